"""Every attack, by what it attacks with."""

from tests.hostile.cases.code import CODE
from tests.hostile.cases.fakes import FAKES
from tests.hostile.cases.names import NAMES
from tests.hostile.cases.orders import ORDERS
from tests.hostile.cases.shapes import SHAPES
from tests.hostile.cases.sizes import SIZES
from tests.hostile.cases.unseen import UNSEEN
from tests.hostile.cases.values import VALUES

CASES = (*ORDERS, *FAKES, *UNSEEN, *CODE, *SIZES, *SHAPES, *VALUES, *NAMES)
