"""The verbs `mark`, `diff` and `restore`: remembers the shared state of this process, tells which cells have changed, and
puts them back.

Knows where shared state starts from: modules, fixtures that stand, values that tests are parametrised with, the process.
"""
import sys
import threading
import types

from .about import Guide
from .cells import Change, Teller
from .files import REMOVED, Files
from .find import holders
from .fixtures import Fixtures, parameters
from .hidden import Registrations, hidden_codecs
from .names import Names
from .own import own
from .places import Places
from .probes import Below, Probes
from .process import context_variables, facts, reader
from .reads import LIBRARY, PACKAGES
from .reset import Keepsakes, Process
from .restore import put_back
from .shapes import ABSENT, MACHINERY, is_a, is_same, namespace_of_module
from .walk import Memory
from .wire import without_surrogates


class _CollectorResting:
    """No collections while we look: they would run finalisers of the project's, and touch every page."""

    def __enter__(self):
        self.is_collecting = own.gc_enabled()  # but for this moment
        own.gc_disable()
        return self

    def __exit__(self, *_):
        if self.is_collecting:
            own.gc_enable()


class Watch:
    """A mark, and what has changed since."""

    def __init__(self, session, descriptors, layers=None):
        """`descriptors` gives those that are not the suite's business; `layers` are where files go, or nothing."""
        with _CollectorResting() as resting:
            self._mark(session, descriptors, layers, resting.is_collecting)

    def _mark(self, session, descriptors, layers, is_collecting):
        self._fixtures = Fixtures(session.items)
        self._descriptors = descriptors
        self._files = Files(layers, str(session.config.rootpath)) if layers is not None else None
        codecs = hidden_codecs()
        modules, passed_over = _modules(session.config)
        self._memory = Memory(modules, _library(modules), passed_over)
        self._memory.add_roots(codecs)
        self._memory.add_roots(parameters(session.items))
        self._registrations = Registrations(self._memory.objects)
        self._take_facts(self._read_facts(is_collecting))
        self._names = Names(self._memory)
        self._teller = Teller(self._memory, self._names)
        root = str(session.config.rootpath)
        project = _of_project(modules, root)
        self._places = Places(project, self._memory, self._names)
        self._guide = Guide(self._memory, self._names, self._teller, project, root)

    @property
    def objects(self):
        """How many are remembered."""
        return len(self._memory.objects)

    def functions(self):
        """Those that are remembered."""
        return [thing for thing in self._memory.objects if type(thing) is types.FunctionType]

    def diff(self, advance):
        """The cells that have changed; with `advance` they are taken as they are now."""
        with _CollectorResting() as resting:
            changes, now = self._changes(resting.is_collecting)
            cells = [self._teller.told(change) for change in changes]
            if advance:
                self._memory.advance(_each_once([change.holder for change in changes if change.holder is not None]))
                self._take_facts(now)
                self._memory.settle()
                self._names.look_anew()
        return cells

    def restore(self, paths, others):
        """Puts these cells back, or with `others` all that have changed but these. How many went back, why others did not
        by path, and the context in which to go on, if not in this one."""
        with _CollectorResting() as resting:
            changes, _ = self._changes(resting.is_collecting)
            asked = [change for change in changes if (without_surrogates(change.path) in paths) != others]
            process = Process(self._keepsakes, self._descriptors(), resting.is_collecting)
            failed = put_back(asked, changes, self._memory, self._names, lambda change: self._put_fact(process, change))
            resting.is_collecting = process.is_collecting
            context = process.context()
            run = context.run if context is not None else _call
            left = _paths(run(self._changes, resting.is_collecting)[0])
        # What could not be put back may have gone with something else, as the random numbers of a module do.
        failed = {path: failed.get(path, "it was put back, and differs again") for path in _paths(asked) & left}
        return len(asked) - len(failed), failed, context

    def told_places(self):
        """Cells of the project that something could change."""
        with _CollectorResting():
            return self._places.told(self.functions())

    def perturb(self, path, way):
        """Changes such a cell; what is there now, in short."""
        with _CollectorResting():
            return self._places.perturb(path, way)

    def about(self, paths):
        """What somebody has to know who writes code about these cells."""
        with _CollectorResting() as resting:
            changes, _ = self._changes(resting.is_collecting)
            by_path = {without_surrogates(change.path): change for change in changes}
            return [self._guide.told(path, by_path.get(path)) for path in paths]

    def _changes(self, is_collecting):
        """All that differ, each with a path of its own, in the order of their paths; and the facts as they are now."""
        changed = list(self._memory.changed())
        now = self._read_facts(is_collecting)
        found = self._teller.changes(changed) + list(self._changed_facts(now))
        seen = {}
        for change in found:
            seen[change.path] = seen.get(change.path, 0) + 1
            if seen[change.path] > 1:
                change.path = "%s (%d)" % (change.path, seen[change.path])
        return sorted(found, key=lambda change: change.path), now

    def probes(self, paths):
        """What tells quickly whether one of these cells has changed."""
        with _CollectorResting():
            readers = {path: self._reader(path) for path in paths}
            readers = {path: read for path, read in readers.items() if read is not None}
            others = [path for path in paths if path not in readers]
            holding = holders(self._memory, self._names, others) + self._teller.environment(others)
            return Probes(paths, self._memory, self._teller, holding, readers)

    def _reader(self, path):
        fixture = self._fixtures.reader(path)
        if fixture is not None:
            below = Below(self._memory)
            return lambda: below.version(fixture())
        readers = [reader(path, self._descriptors()), self._registrations.reader(path)]
        readers += [self._files.reader(path)] if self._files is not None else []
        return next((read for read in readers if read is not None), None)

    def _put_fact(self, process, change):
        if change.kind == "fixture":
            self._fixtures.put_back(change.path, change.old)
        elif change.kind == "file":
            self._files.put_back(change.path, change.path in self._facts)
        elif ".register(" in change.path:
            self._registrations.put_back(change.path, change.old is not ABSENT)
        else:
            process.put(change.path, change.kind, change.old)

    def _read_facts(self, is_collecting):
        found = facts(self._descriptors(), is_collecting)
        found.update(self._fixtures.facts())
        found.update(self._registrations.facts())
        if self._files is not None:
            found.update(self._files.facts())
        return found

    def _take_facts(self, now):
        self._facts = now
        self._keepsakes = Keepsakes()
        self._fixtures.keep()
        self._memory.add_roots([(path, value) for path, (_, value) in now.items()])

    def _changed_facts(self, now):
        for path in list(self._facts) + [path for path in now if path not in self._facts]:
            kind, old = self._facts.get(path, (None, ABSENT))
            kind, new = now.get(path, (kind, ABSENT))
            if kind == "file" and old is ABSENT:
                old = self._files.before(path)
                new = ABSENT if old is ABSENT and new == REMOVED else new
            if not is_same(old, new):
                yield Change(path, kind, old, new, self._names_of_fact(kind, path), path)

    def _names_of_fact(self, kind, path):
        if kind == "fixture":
            return [" ".join(path.split(" ")[:2])]
        place = self._memory.place(context_variables().get(path)) if kind == "context" else None
        return [] if place is None else self._names.known_as(place)


def _call(function, *arguments):
    return function(*arguments)


def _paths(changes):
    return {change.path for change in changes}


def _each_once(things):
    return list({id(thing): thing for thing in things}.values())


def _modules(config):
    """Modules to look into by name, the library's first and tests last; and what is pytest's, a plugin's or ours."""
    plugins = {id(plugin) for plugin, _ in config.pluginmanager.list_plugin_distinfo()}
    threads = [threading._active, threading._limbo, threading._dangling, threading._main_thread]  # told by themselves
    found, passed_over = {}, [own] + threads
    for name, module in list(sys.modules.items()):
        if not is_a(module, types.ModuleType):
            continue
        if name.partition(".")[0] in MACHINERY or id(module) in plugins:
            passed_over += [module, namespace_of_module(module)]
        else:
            found[name] = module
    generator = getattr(sys.modules.get("random"), "_inst", None)  # its state is told with that of the process
    ranked = sorted(found, key=lambda name: _rank(name, found[name]))
    return {name: found[name] for name in ranked}, passed_over + [generator]


def _rank(name, module):
    """An object that several modules hold is named after the first: modules before those that import them, mostly."""
    file = namespace_of_module(module).get("__file__")
    depth = name.count(".")
    if _is_in_library(file):
        return 0, depth
    if _is_of_tests(name):
        return 3, -depth
    return 1 if PACKAGES in file else 2, -depth


def _library(modules):
    """Names of modules of the standard library."""
    return {name for name, module in modules.items() if _is_in_library(namespace_of_module(module).get("__file__"))}


def _of_project(modules, root):
    """Those that are neither of the standard library nor of installed packages. The project itself may be installed: a
    package that stands below the root, too, is the project's."""
    sources = _entries(root) | _entries(root + "/src")
    found = {}
    for name, module in modules.items():
        file = namespace_of_module(module).get("__file__")
        beginning = name.partition(".")[0]
        is_installed = _is_in_library(file) or PACKAGES in file and sources.isdisjoint({beginning, beginning + ".py"})
        if not is_installed:
            found[name] = module
    return found


def _entries(directory):
    try:
        return set(own.listdir(directory))
    except OSError:
        return set()


def _is_in_library(file):
    return not is_a(file, str) or file.startswith(LIBRARY) and PACKAGES not in file


def _is_of_tests(name):
    return any([part.startswith("test") or part == "conftest" for part in name.split(".")])
