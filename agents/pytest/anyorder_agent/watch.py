"""The verbs `mark` and `diff`: remembers the shared state of this process, and tells the cells that have changed.

Knows where shared state starts from: modules, fixtures that stand, values that tests are parametrised with, the process.
"""
import sys
import types

from .cells import Teller
from .names import Names
from .own import own
from .process import facts
from .reads import LIBRARY, PACKAGES
from .shapes import ABSENT, MACHINERY, is_same
from .walk import Memory


class Watch:
    """A mark, and what has changed since."""

    def __init__(self, session, descriptors):
        self._session = session
        self._descriptors = descriptors
        modules, passed_over = _modules()
        self._memory = Memory(modules, _library(modules), passed_over)
        self._memory.add_roots(_parameters(session.items))
        self._facts = self._read_facts()
        self._walk_facts()
        self._names = Names(self._memory)
        self._teller = Teller(self._memory, self._names)

    @property
    def objects(self):
        """How many are remembered."""
        return len(self._memory.objects)

    def diff(self, advance):
        """The cells that have changed; with `advance` they are taken as they are now."""
        changed = list(self._memory.changed())
        now = self._read_facts()
        cells = self._teller.cells(changed) + list(self._changed_facts(now))
        if advance:
            self._memory.advance(changed)
            self._facts = now
            self._walk_facts()
        return sorted(cells, key=lambda cell: cell["path"])

    def _read_facts(self):
        found = facts(self._descriptors())
        found.update(_fixtures(self._session))
        return found

    def _walk_facts(self):
        self._memory.add_roots([(path, value) for path, (_, value) in self._facts.items()])

    def _changed_facts(self, now):
        for path in list(self._facts) + [path for path in now if path not in self._facts]:
            kind, old = self._facts.get(path, (None, ABSENT))
            kind, new = now.get(path, (kind, ABSENT))
            if not is_same(old, new):
                yield self._teller.fact(path, kind, old, new, _names_of_fact(path))


def _names_of_fact(path):
    return [" ".join(path.split(" ")[:2])] if path.startswith("fixture ") else []


def _modules():
    """Modules to look into by name, those of the project before its tests; and what is pytest's or the agent's own."""
    found, passed_over = {}, [own]
    for name, module in list(sys.modules.items()):
        if not isinstance(module, types.ModuleType):
            continue
        if name.partition(".")[0] in MACHINERY:
            passed_over += [module, module.__dict__]
        else:
            found[name] = module
    ranked = sorted(found, key=lambda name: (_is_of_tests(name), -name.count(".")))
    return {name: found[name] for name in ranked}, passed_over


def _library(modules):
    """Names of modules of the standard library."""
    return {name for name, module in modules.items() if _is_in_library(getattr(module, "__file__", None))}


def _is_in_library(file):
    return not isinstance(file, str) or file.startswith(LIBRARY) and PACKAGES not in file


def _is_of_tests(name):
    return any([part.startswith("test") or part == "conftest" for part in name.split(".")])


def _parameters(items):
    for item in items:
        for name, value in getattr(getattr(item, "callspec", None), "params", {}).items():
            yield "parameter %s of %s" % (name, item.nodeid), value


def _fixtures(session):
    """Values of fixtures that outlive a test."""
    found = {}
    for name, definitions in session._fixturemanager._arg2fixturedefs.items():
        for definition in definitions:
            cached = getattr(definition, "cached_result", None)
            module = getattr(definition.func, "__module__", None) or ""
            if cached is None or definition.scope == "function" or module.partition(".")[0] in MACHINERY:
                continue
            path = "fixture %s (%s) of %s" % (name, definition.scope, definition.baseid or module)
            found[path] = "fixture", cached[0] if cached[2] is None else ABSENT
    return found
