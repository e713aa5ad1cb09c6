"""What the agent writes on the wire is JSON that means the same to everybody else."""
import importlib
import json
import os
import sys
import types
from random import Random

import pytest

AGENT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "anyorder_agent")


def load(name):
    """A module of the agent without the agent itself, which wants to be started by the engine."""
    package = sys.modules.setdefault("stub_of_agent", types.ModuleType("stub_of_agent"))
    package.__path__ = [AGENT]
    return importlib.import_module("stub_of_agent." + name)


wire = load("wire")
own = load("own").own


NASTY = [
    "",
    " ",
    "plain",
    "two\nlines\r\nand\ttabs",
    "null \0 byte",
    "escape \x1b[31m and delete \x7f",
    'quotes " and \\ backslashes \\" and \\u0041',
    "</script> & <!--",
    "caf\u00e9 \u65e5\u672c \U0001f600",
    "line separators \u2028 \u2029 \x85",
    "byte order mark \ufeff",
    "not a character \uffff \U0010ffff",
    "right to left \u202e",
    "x" * 100000,
]


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_strings_come_back_as_they_were(text):
    assert json.loads(wire.encode(text)) == text
    assert json.loads(wire.encode({text: [text]})) == {text: [text]}


@pytest.mark.parametrize("text", ["\ud800", "a \udcff b", "\udfff\ud800", "\U0001f600 \udc80"])
def test_lone_surrogates_become_visible_escapes(text):
    encoded = wire.encode(text)
    encoded.encode("ascii")
    decoded = json.loads(encoded)
    decoded.encode("utf-8")
    assert decoded == text.encode("utf-8", "backslashreplace").decode("utf-8")


@pytest.mark.parametrize(
    "value",
    [None, True, False, 0, -1, 2 ** 53, 2 ** 200, 0.0, -0.0, 0.1, 1e-320, 1.7976931348623157e308, 1e22, 123456.789],
)
def test_numbers_and_constants_come_back_as_they_were(value):
    decoded = json.loads(wire.encode(value))
    assert decoded == value
    assert type(decoded) is type(value)


def test_containers_may_be_nested_and_empty():
    value = {"a": [], "b": {}, "c": [[[]], {"d": [None, {"e": [1, 2.5, "x", True]}]}], "": {"": [""]}}
    assert json.loads(wire.encode(value)) == value


def test_tuples_are_lists():
    assert json.loads(wire.encode({"pair": (1, ("a", ()))})) == {"pair": [1, ["a", []]]}


class Shouting(str):
    def __str__(self):
        return "SHOUTED"

    __repr__ = __str__


class Odd(int):
    def __repr__(self):
        return "odd"

    __str__ = __repr__


class Rounded(float):
    def __repr__(self):
        return "about this"

    __str__ = __repr__


def test_subclasses_with_their_own_looks_do_not_break_a_message():
    assert json.loads(wire.encode([Odd(3), Rounded(1.5)])) == [3, 1.5]
    assert json.loads(wire.encode({"text": Shouting("quiet")})) == {"text": "quiet"}


def test_everything_is_ascii_on_one_line():
    for text in NASTY:
        encoded = wire.encode({"text": text})
        assert "\n" not in encoded
        encoded.encode("ascii")


def test_a_message_written_at_one_end_is_read_at_the_other(tmp_path):
    import socket

    address = "/tmp/anyorder-test-%d" % os.getpid()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(address)
    try:
        listener.listen(1)
        link = wire.Link(address)
        peer, _ = listener.accept()
        link.send({"say": "hello", "text": NASTY})
        length = int.from_bytes(read_exactly(peer, 4), "big")
        assert json.loads(read_exactly(peer, length).decode("ascii")) == {"say": "hello", "text": NASTY}
        body = json.dumps({"verb": "run", "tests": [1, 2], "text": NASTY}, ensure_ascii=False).encode("utf-8")
        peer.sendall(len(body).to_bytes(4, "big"))
        peer.sendall(body)
        assert link.receive() == {"verb": "run", "tests": [1, 2], "text": NASTY}
        peer.close()
        with pytest.raises(wire.Gone):
            link.receive()
        link.close()
    finally:
        listener.close()
        os.unlink(address)


def any_value(random, depth=4):
    """Whatever JSON can hold, down to a few levels."""
    kind = random.randrange(7 if depth else 5)
    if kind == 0:
        return random.choice([None, True, False])
    if kind == 1:
        return random.randrange(-(2 ** 70), 2 ** 70)
    if kind == 2:
        return random.uniform(-1, 1) * 10.0 ** random.randrange(-300, 300)
    if kind in (3, 4):
        return any_text(random)
    if kind == 5:
        return [any_value(random, depth - 1) for _ in range(random.randrange(4))]
    return {any_text(random): any_value(random, depth - 1) for _ in range(random.randrange(4))}


def any_text(random):
    ranges = [(0, 0x80), (0, 0xD800), (0xE000, 0x110000)]
    return "".join(chr(random.randrange(*random.choice(ranges))) for _ in range(random.randrange(12)))


@pytest.mark.parametrize("seed", range(100))
def test_any_message_is_read_back_however_it_arrives(seed, monkeypatch):
    random = Random(seed)
    reader, writer = os.pipe()
    monkeypatch.setattr(own, "read", lambda descriptor, most: os.read(descriptor, random.randint(1, most)))
    link = wire.Link.__new__(wire.Link)
    try:
        for _ in range(5):
            message = any_value(random)
            link._descriptor = writer
            link.send(message)
            link._descriptor = reader
            assert link.receive() == message
            body = json.dumps(message, ensure_ascii=False).encode("utf-8")
            os.write(writer, len(body).to_bytes(4, "big") + body)
            assert link.receive() == message
        os.write(writer, b"\0\0\0\7{")
    finally:
        os.close(writer)
    with pytest.raises(wire.Gone):
        link.receive()
    os.close(reader)


def read_exactly(peer, length):
    parts = b""
    while len(parts) < length:
        part = peer.recv(length - len(parts))
        assert part
        parts += part
    return parts


def test_the_descriptor_is_high_and_not_inherited():
    import socket

    address = "/tmp/anyorder-test-high-%d" % os.getpid()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(address)
    try:
        listener.listen(1)
        link = wire.Link(address)
        assert link.descriptor >= 800
        assert not os.get_inheritable(link.descriptor)
        link.close()
    finally:
        listener.close()
        os.unlink(address)


def test_own_copies_survive_a_test_that_replaces_the_originals(monkeypatch):
    def broken(*arguments, **keywords):
        raise AssertionError("replaced by a test")

    for name in ("dumps", "loads"):
        monkeypatch.setattr(json, name, broken)
    monkeypatch.setattr(os, "read", broken)
    monkeypatch.setattr(os, "write", broken)
    assert wire.encode({"a": [1, "b"]}) == '{"a":[1,"b"]}'
    assert own.read is not broken
    assert own.scan_json('{"a": 1}', 0)[0] == {"a": 1}


GOLDEN = os.path.join(os.path.dirname(AGENT), "..", "..", "fixtures", "wire")


def golden(name):
    with open(os.path.join(GOLDEN, name), encoding="utf-8") as file:
        return file.read().splitlines()


@pytest.mark.parametrize("line", golden("messages.jsonl"))
def test_golden_messages_are_encoded_without_loss(line):
    assert json.loads(wire.encode(json.loads(line))) == json.loads(line)


@pytest.mark.parametrize("line", golden("requests.jsonl"))
def test_golden_requests_name_verbs_that_the_agent_obeys(line):
    request = own.scan_json(line, 0)[0]
    verb = request.pop("verb")
    if verb == "exit":
        return  # ends the loop that obeys all others
    obey = getattr(load("serve").Server, "_obey_" + verb)
    accepted = obey.__code__.co_varnames[1:obey.__code__.co_argcount]
    assert set(request) <= set(accepted)
