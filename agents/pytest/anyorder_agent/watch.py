"""The verbs `mark` and `diff`: remembers the shared state of this process, and tells the cells that have changed.

Knows where shared state starts from: modules, fixtures that stand, values that tests are parametrised with, the process.
"""
import sys
import threading
import types

from .cells import Teller
from .files import Files
from .hidden import Registrations, hidden_codecs
from .names import Names
from .own import own
from .process import context_variables, facts
from .reads import LIBRARY, PACKAGES
from .shapes import ABSENT, MACHINERY, is_a, is_same
from .walk import Memory


class Watch:
    """A mark, and what has changed since."""

    def __init__(self, session, descriptors, layers=None):
        """`descriptors` gives those that are not the suite's business; `layers` are where files go, or nothing."""
        self._fixtures = _lasting_fixtures(session.items)
        self._descriptors = descriptors
        self._files = Files(layers) if layers is not None else None
        codecs = hidden_codecs()
        modules, passed_over = _modules()
        self._memory = Memory(modules, _library(modules), passed_over)
        self._memory.add_roots(codecs)
        self._memory.add_roots(_parameters(session.items))
        self._registrations = Registrations(self._memory.objects)
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
            self._memory.advance([holder for holder, _, _, _ in changed])
            self._facts = now
            self._walk_facts()
        return sorted(cells, key=lambda cell: cell["path"])

    def after_fork(self):
        """In a child: `threading` has made itself anew."""
        self._memory.advance([threading.__dict__])

    def _read_facts(self):
        found = facts(self._descriptors())
        found.update(_values_of_fixtures(self._fixtures))
        found.update(self._registrations.facts())
        if self._files is not None:
            found.update(self._files.facts())
        return found

    def _walk_facts(self):
        self._memory.add_roots([(path, value) for path, (_, value) in self._facts.items()])

    def _changed_facts(self, now):
        for path in list(self._facts) + [path for path in now if path not in self._facts]:
            kind, old = self._facts.get(path, (None, ABSENT))
            kind, new = now.get(path, (kind, ABSENT))
            if kind == "file" and old is ABSENT:
                old = self._files.before(path)
            if not is_same(old, new):
                yield self._teller.fact(path, kind, old, new, self._names_of_fact(kind, path))

    def _names_of_fact(self, kind, path):
        if kind == "fixture":
            return [" ".join(path.split(" ")[:2])]
        place = self._memory.place(context_variables().get(path)) if kind == "context" else None
        return [] if place is None else self._names.known_as(place)


def _modules():
    """Modules to look into by name, those of the project before its tests; and what is pytest's or the agent's own."""
    threads = [threading._active, threading._limbo, threading._dangling, threading._main_thread]  # told by themselves
    found, passed_over = {}, [own] + threads
    for name, module in list(sys.modules.items()):
        if not is_a(module, types.ModuleType):
            continue
        if name.partition(".")[0] in MACHINERY:
            passed_over += [module, module.__dict__]
        else:
            found[name] = module
    generator = getattr(found.get("random"), "_inst", None)  # its state is told with that of the process
    return {name: found[name] for name in sorted(found, key=lambda name: _rank(name, found[name]))}, passed_over + [generator]


def _rank(name, module):
    """An object that several modules hold is named after the first: modules before those that import them, mostly."""
    file = getattr(module, "__file__", None)
    depth = name.count(".")
    if _is_in_library(file):
        return 0, depth
    if _is_of_tests(name):
        return 3, -depth
    return 1 if PACKAGES in file else 2, -depth


def _library(modules):
    """Names of modules of the standard library."""
    return {name for name, module in modules.items() if _is_in_library(getattr(module, "__file__", None))}


def _is_in_library(file):
    return not is_a(file, str) or file.startswith(LIBRARY) and PACKAGES not in file


def _is_of_tests(name):
    return any([part.startswith("test") or part == "conftest" for part in name.split(".")])


def _parameters(items):
    for item in items:
        for name, value in getattr(getattr(item, "callspec", None), "params", {}).items():
            yield "parameter %s of %s" % (name, item.nodeid), value


def _lasting_fixtures(items):
    """Definitions of fixtures whose values outlive a test, by path."""
    found = {}
    for item in items:
        definitions = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        for name, definition in [(name, one) for name, several in definitions.items() for one in several]:
            module = getattr(definition.func, "__module__", None) or ""
            if definition.scope != "function" and module.partition(".")[0] not in MACHINERY:
                path = "fixture %s (%s) of %s" % (name, definition.scope, definition.baseid or module)
                found[path] = definition
    return found


def _values_of_fixtures(definitions):
    """Values of those that stand."""
    for path, definition in definitions.items():
        cached = getattr(definition, "cached_result", None)
        if cached is not None:
            yield path, ("fixture", cached[0] if cached[2] is None else ABSENT)
