"""How well documents are filed: invented ones, whose right answers are known."""
