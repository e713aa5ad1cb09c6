"""What a memory finds changed does not depend on how it compares: bytes of memory, or objects."""
import array
import collections
import importlib
import os
import random
import sys
import types

import pytest

from engine import HOME

package = sys.modules.setdefault("stub_of_agent", types.ModuleType("stub_of_agent"))
package.__path__ = [os.path.join(HOME, "anyorder_agent")]
walk = importlib.import_module("stub_of_agent.walk")
image = importlib.import_module("stub_of_agent.image")


class Thing:
    count = 0

    def __init__(self, **attributes):
        vars(self).update(attributes)


class Slotted:
    __slots__ = ("left", "right")


class Mixed(dict):
    __slots__ = ("left", "__dict__")


def function(argument=1, *, keyword=2):
    return argument, keyword


def with_cell():
    held = 1

    def inner():
        return held

    return inner


def changes():
    """A label, what is held, and how it is changed."""
    yield "same value in a dict", {"a": "text"}, lambda held: held.update(a="".join(["te", "xt"]))
    yield "value", {"a": 1}, lambda held: held.update(a=2)
    yield "truth for a number", {"a": 1}, lambda held: held.update(a=True)
    yield "key", {"a": 1}, lambda held: held.update(b=held.pop("a"))
    yield "large dict", {str(at): at for at in range(5000)}, lambda held: held.pop("77")
    yield "emptied", {"a": 1}, lambda held: held.clear()
    yield "filled", {}, lambda held: held.update(a=1)
    yield "list", [1, 2], lambda held: held.reverse()
    yield "grown list", [], lambda held: held.extend(range(100))
    yield "set", {1, 2}, lambda held: held.symmetric_difference_update({2, 3})
    yield "large set", set(range(500)), lambda held: held.symmetric_difference_update({2, -3})
    yield "deque", collections.deque([1, 2]), lambda held: held.rotate()
    yield "ordered", collections.OrderedDict(a=1, b=2), lambda held: held.move_to_end("a")
    yield "bytes", bytearray(b"ab"), lambda held: held.reverse()
    yield "numbers", array.array("d", [1.0]), lambda held: held.append(2.0)
    yield "dice", random.Random(1), lambda held: held.random()
    yield "attribute", Thing(a=1), lambda held: setattr(held, "a", 2)
    yield "new attribute", Thing(), lambda held: setattr(held, "a", 2)
    yield "namespace", Thing(a=1), lambda held: setattr(held, "__dict__", {"a": 2})
    yield "class", Thing(), lambda held: setattr(held, "__class__", type("Other", (Thing,), {}))
    yield "slot", Slotted(), lambda held: setattr(held, "right", 1)
    yield "item of a class of one's own", Mixed(a=1), lambda held: held.update(a=2)
    yield "attribute of such a thing", Mixed(a=1), lambda held: setattr(held, "a", 2)
    yield "class attribute", type("Fresh", (Thing,), {}), lambda held: setattr(held, "count", 1)
    yield "defaults", types.FunctionType(function.__code__, {}), lambda held: setattr(held, "__defaults__", (5,))
    yield "attribute of a function", types.FunctionType(function.__code__, {}), lambda held: setattr(held, "seen", 1)
    yield "cell", with_cell(), lambda held: setattr(held.__closure__[0], "cell_contents", 2)


CHANGES = list(changes())


@pytest.mark.parametrize("by_bytes", [True, False], ids=["bytes", "objects"])
@pytest.mark.parametrize("at", range(len(CHANGES)), ids=[label for label, _, _ in CHANGES])
def test_what_changes_is_found_once(at, by_bytes, monkeypatch):
    monkeypatch.setattr(walk, "is_trusted", lambda: by_bytes)
    held = list(changes())
    module = types.ModuleType("module")
    module.things = [thing for _, thing, _ in held]
    memory = walk.Memory({"module": module}, set(), [])
    assert list(memory.changed()) == []
    label, thing, change = held[at]
    change(thing)
    changed = list(memory.changed())
    assert len(changed) == (0 if label == "same value in a dict" else 1)
    memory.advance([holder for holder, _, _, _ in changed])
    assert list(memory.changed()) == []


def test_memory_looks_as_expected_in_the_interpreters_that_we_test_with():
    assert image.is_trusted()
