"""Fixtures that outlive a test, and values that tests are parametrised with.

Knows where pytest keeps them. A fixture goes back to not standing by being forgotten: it is set up again for the next test that
asks for it, and what was set up before is never torn down. Knows, too, whether a tear-down would do anything. Does not know
what has changed.
"""
import functools
import sys
import types

from _pytest.nodes import Item, Node
from _pytest.python import Package

from .contents import type_name
from .put import Refused
from .shapes import ABSENT, MACHINERY, is_a, namespace_of_module, of_class

# Fixtures that hand out what is there anyway.
_WINDOWS = {
    ("_pytest.tmpdir", "tmp_path_factory"),
    ("_pytest.fixtures", "pytestconfig"),
    ("pytest_asyncio.plugin", "event_loop_policy"),
    ("pytest_asyncio.plugin", "_asyncio_loop_factory"),
}


class Fixtures:
    """Definitions of fixtures whose values outlive a test, by path."""

    def __init__(self, items):
        self._definitions = _lasting(items)
        self._kept = {}
        self._forgotten = []

    def facts(self):
        """Values of those that stand."""
        for path, definition in self._definitions.items():
            value = _value(definition)
            if value is not ABSENT:
                yield path, ("fixture", value)

    def reader(self, path):
        """Reads the value of one; nothing if there is none of that name."""
        definition = self._definitions.get(path)
        return None if definition is None else lambda: _value(definition)

    def keep(self):
        """Remembers what stands now."""
        self._kept = {path: getattr(definition, "cached_result", None) for path, definition in self._definitions.items()}

    def put_back(self, path, old):
        definition = self._definitions[path]
        if old is not ABSENT and definition.cached_result is None:
            raise Refused("it has been torn down")
        if old is ABSENT:
            self._forgotten.append((definition.cached_result, definition._finalizers[:]))  # no generator is to be closed
            del definition._finalizers[:]
        definition.cached_result = self._kept[path]


def _value(definition):
    cached = getattr(definition, "cached_result", None)
    if cached is None:
        return ABSENT
    if cached[2] is None:
        return cached[0]
    error = next(part for part in cached[2] if is_a(part, BaseException))
    return "<set-up failed: %s>" % type_name(type(error))


def parameters(items):
    """Labels and values."""
    for item in items:
        for name, value in getattr(getattr(item, "callspec", None), "params", {}).items():
            yield "parameter %s of %s" % (name, item.nodeid), value


def _lasting(items):
    found, seen = {}, set()
    for item in items:
        definitions = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        for name, definition in [(name, one) for name, several in definitions.items() for one in several]:
            if id(definition) in seen:
                continue
            seen.add(id(definition))
            module = getattr(definition.func, "__module__", None) or ""
            is_told = module.partition(".")[0] not in MACHINERY and (module, name) not in _WINDOWS
            if definition.scope != "function" and is_told:
                path = "fixture %s (%s) of %s" % (name, definition.scope, definition.baseid or module)
                found[path] = definition
    return found


def are_standing(session):
    """Whether a tear-down would do anything that somebody could notice, beyond forgetting what was set up."""
    stack = session._setupstate.stack
    if not is_a(stack, dict):  # pytest < 7
        return True
    return any([_sets_up(node) for node in stack]) or any(
        [_does_something(node, finalizer) for node, (finalizers, _) in stack.items() for finalizer in finalizers]
    )


def _sets_up(node):
    """Whether what holds tests does anything before them by itself, without a fixture: a package has a function for that."""
    if isinstance(node, Item) or type(node).setup is Node.setup:
        return False
    if not isinstance(node, Package):
        return True
    file = str(node.path / "__init__.py")
    spaces = [namespace_of_module(module) for module in list(sys.modules.values()) if is_a(module, types.ModuleType)]
    own_spaces = [space for space in spaces if type(space.get("__file__")) is str and space["__file__"] == file]
    functions = ("setup_module", "setUpModule", "teardown_module", "tearDownModule")
    return not own_spaces or any([name in space for space in own_spaces for name in functions])


def _does_something(node, finalizer):
    if type(finalizer) is types.MethodType and finalizer.__func__ is Node.teardown:
        return False
    if type(finalizer) is not functools.partial:  # pytest < 8
        return True
    definition = getattr(finalizer.func, "__self__", None)
    module = getattr(getattr(definition, "func", None), "__module__", None)
    if module == "_pytest.unittest":
        return not _is_left_to_unittest(getattr(node, "obj", None))
    return (module, getattr(definition, "argname", None)) not in _WINDOWS


def _is_left_to_unittest(kind):
    """Whether a class has no set-up of its own, and wants nothing cleaned up."""
    if not is_a(kind, type):
        return False
    spaces = [of_class(base, "__dict__") for base in of_class(kind, "__mro__")]
    owners = [next((space for space in spaces if name in space), {}) for name in ("setUpClass", "tearDownClass")]
    is_left_alone = all([owner.get("__module__") == "unittest.case" for owner in owners])
    return is_left_alone and not any([space.get("_class_cleanups") for space in spaces])
