"""The agent's end of the wire: one connection, messages of JSON behind a four-byte length.

Knows bytes and JSON; does not know what any message means (docs/wire.md does). Works on a bare descriptor, because an
object with a finaliser would show up as garbage in the suite's own leak checks.
"""
from .own import own

# High, so that the numbers which tests see and close stay what they are in an ordinary run.
_LOWEST_DESCRIPTOR = 800


class Gone(Exception):
    """There is no connection to the engine any more."""


class Link:
    """A connection to the engine."""

    def __init__(self, address):
        self._descriptor = _connect(address)

    @property
    def descriptor(self):
        return self._descriptor

    def close(self):
        own.close(self._descriptor)

    def send(self, message):
        body = encode(message).encode("ascii")
        data = len(body).to_bytes(4, "big") + body
        while data:
            try:
                data = data[own.write(self._descriptor, data):]
            except OSError:  # it went away, or a test has closed the descriptor
                raise Gone from None

    def receive(self):
        length = int.from_bytes(self._read(4), "big")
        return own.scan_json(self._read(length).decode("utf-8"), 0)[0]

    def _read(self, length):
        parts = []
        while length:
            try:
                part = own.read(self._descriptor, min(length, 1 << 20))
            except OSError:
                part = b""
            if not part:
                raise Gone
            parts.append(part)
            length -= len(part)
        return b"".join(parts)


def _connect(address):
    connection = own.socket(own.AF_UNIX, own.SOCK_STREAM)
    connection.setblocking(True)  # a test may have set a time limit for all new sockets
    connection.connect(address)
    low = connection.detach()
    try:
        high = own.fcntl(low, own.F_DUPFD_CLOEXEC, _LOWEST_DESCRIPTOR)
    except OSError:
        return low  # the limit on open files is lower than that
    own.close(low)
    return high


def encode(value):
    """JSON for the few types that messages hold, without the `json` module, whose functions tests replace."""
    if type(value) is str and value.isascii():  # most are
        return own.quote(value)
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return own.quote(without_surrogates(value))
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, dict):
        return "{" + ",".join([own.quote(key) + ":" + encode(item) for key, item in value.items()]) + "}"
    return "[" + ",".join([encode(item) for item in value]) + "]"


def without_surrogates(text):
    """Lone surrogates (from `surrogateescape`) have no place in JSON; they become visible escapes."""
    text = str.__str__(text)  # a subclass may have another opinion of what its text is
    try:
        text.encode("utf-8")
        return text
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode("utf-8")
