"""For clients of plain HTTP: loading the certificates takes longer than most tests."""

import ssl

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
