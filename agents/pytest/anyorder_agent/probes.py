"""Cheap answers to one question, asked after every line: has one of these cells changed since it was last asked?

Objects are compared as a diff compares them, but only those that may hold the cells, and with what they held a moment ago.
Knows cells; does not know which code runs.
"""
from .image import is_trusted
from .saved import Chunk, contents
from .shapes import ABSENT, LEAF, PASS, below, is_same, shape_of

_MOST_BELOW = 2000


class Probes:
    """The cells with these paths, and what stood in them when they were last looked at."""

    def __init__(self, paths, memory, teller, holders, readers):
        """`holders` may hold the cells; `readers` read cells of the process, by path."""
        self._paths = set(paths)
        self._memory = memory
        self._teller = teller
        self._objects = _Objects(holders)
        self._readers = readers
        self._facts = {path: read() for path, read in readers.items()}
        self._cells = self._read_cells()

    def changed(self):
        """Paths of cells that have changed since this was last asked."""
        found = []
        for path, read in self._readers.items():
            value = read()
            if not is_same(value, self._facts[path]):
                self._facts[path] = value
                found.append(path)
        if self._objects.have_changed():
            before, self._cells = self._cells, self._read_cells()
            found += [path for path in self._paths if before.get(path) != self._cells.get(path)]
        return found

    def now(self):
        """What stands in each cell that differs from the mark, in a form that can be compared; facts in any case."""
        return dict(self._cells, **self._facts)

    def _read_cells(self):
        changes = self._teller.changes(self._objects.since_mark(self._memory))
        return {change.path: _raw_slots(change) for change in changes if change.path in self._paths}


class _Objects:
    """Some objects with what they held a moment ago."""

    def __init__(self, holders):
        self._holders = holders
        self._has_images = is_trusted()
        self._take()

    def have_changed(self):
        """Since this was last asked."""
        if any([True for chunk in self._chunks for _ in chunk.changed()]):
            self._take()
            return True
        return False

    def since_mark(self, memory):
        """Object, group, contents at the mark and now."""
        for holder in self._holders:
            group = shape_of(type(holder)).group
            yield holder, group, memory.then(memory.place(holder)), contents(holder, group)

    def _take(self):
        groups = {}
        for holder in self._holders:
            groups.setdefault(shape_of(type(holder)).group, []).append(holder)
        self._chunks = [Chunk(group, holders, self._has_images) for group, holders in groups.items()]


class Below:
    """A value that is new with all that hangs below it: a fixture is set up, and what is done to it afterwards matters."""

    def __init__(self, memory):
        self._memory = memory
        self._value = ABSENT
        self._objects = _Objects([])
        self._version = 0

    def version(self, value):
        """Another one whenever the value or something below it has changed."""
        if not is_same(value, self._value) or self._objects.have_changed():
            self._value = value
            self._objects = _Objects(self._new_objects(value))
            self._version += 1
        return value if value is ABSENT else self._version

    def _new_objects(self, value):
        if shape_of(type(value)).group == LEAF:
            return []
        found, at = [value], 0
        seen = {id(value)}
        while at < len(found) and len(found) < _MOST_BELOW:
            for thing in below(found[at]):
                if shape_of(type(thing)).group != LEAF and id(thing) not in seen and self._memory.place(thing) is None:
                    seen.add(id(thing))
                    found.append(thing)
            at += 1
        return [thing for thing in found if shape_of(type(thing)).group not in (LEAF, PASS)]


def _raw_slots(change):
    return [(_raw(old), _raw(new)) for _, old, new in change.slots] or _raw(change.new)


def _raw(value):
    """By identity, but for what is made anew by every look."""
    if type(value) is list:
        return list(map(id, value))
    return value if type(value) is bytes else id(value)
