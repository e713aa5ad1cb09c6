"""Contents of many objects as they were, and which of the objects have changed since.

Objects of one shape are kept in chunks. A chunk is read as a whole and compared by identity, in a few calls of functions that
are written in C; only the objects of a chunk that differs are looked at one by one. Knows contents; knows no names.
"""
from collections import OrderedDict as _OrderedDict
from collections import deque as _Deque

from .image import Image
from .own import own
from .shapes import BUFFER, DEQUE, DICT, LIST, ORDERED, SET, SLOTS, buffer_of, is_same, shape_of

_IMAGED = {DICT, LIST, SET, SLOTS}

# Each reader gives what is compared by value (lengths, bytes), then what is compared by identity.


def _read_dicts(chunk):
    keys, values = own.chain(map(dict.keys, chunk)), own.chain(map(dict.values, chunk))
    return list(map(dict.__len__, chunk)), [list(keys), list(values)]


def _read_ordered_dicts(chunk):
    keys, values = own.chain(map(_OrderedDict.keys, chunk)), own.chain(map(_OrderedDict.values, chunk))
    return list(map(dict.__len__, chunk)), [list(keys), list(values)]


def _read_lists(chunk):
    return list(map(list.__len__, chunk)), [list(own.chain(map(list.__iter__, chunk)))]


def _read_sets(chunk):
    return list(map(set.__len__, chunk)), [list(own.chain(map(set.__iter__, chunk)))]


def _read_deques(chunk):
    return list(map(_Deque.__len__, chunk)), [list(own.chain(map(_Deque.__iter__, chunk)))]


def _read_buffers(chunk):
    return list(map(buffer_of, chunk)), []


def _read_slots(chunk):
    return [], [own.referents(*chunk)]


_READERS = {
    DICT: _read_dicts,
    LIST: _read_lists,
    SET: _read_sets,
    DEQUE: _read_deques,
    BUFFER: _read_buffers,
    SLOTS: _read_slots,
    ORDERED: _read_ordered_dicts,
}


def contents(holder, group):
    """What one object holds now: keys and values, items, bytes, or the values of its slots."""
    if group == DICT:
        copy = list(dict.items(holder))
        return [key for key, _ in copy], [value for _, value in copy]
    if group == ORDERED:
        return list(_OrderedDict.keys(holder)), list(_OrderedDict.values(holder))
    if group == LIST:
        return list(list.__iter__(holder))
    if group == SET:
        return list(set.__iter__(holder))
    if group == DEQUE:
        return list(_Deque.__iter__(holder))
    if group == BUFFER:
        return buffer_of(holder)
    return shape_of(type(holder)).values(holder)


class Chunk:
    """Some objects of one group, with what they held."""

    __slots__ = ("group", "holders", "_values", "_things", "_slots", "_image", "_retired")

    def __init__(self, group, holders, has_image):
        self.group = group
        self.holders = tuple(holders)
        self._retired = set()
        self._image = Image(group, self.holders) if has_image and group in _IMAGED else None
        self._values, self._things = _READERS[self.group](self.holders)
        self._slots = None
        if self.group == SLOTS:
            self._slots = [contents(holder, SLOTS) for holder in self.holders]

    def retire(self, at):
        """Forgets a holder; another chunk remembers it from now on."""
        self._retired.add(at)

    @property
    def living(self):
        """How many holders it has not forgotten."""
        return len(self.holders) - len(self._retired)

    def settle(self):
        """To be called when all holders hold what they are remembered with."""
        if self._image is not None:
            self._image.settle()

    def _suspects(self):
        """Places of holders that deserve a look."""
        if self._image is not None:
            return self._image.changed(self._retired)
        return [at for at in range(len(self.holders)) if at not in self._retired] if self._has_changed() else []

    def _has_changed(self):
        try:
            values, things = _READERS[self.group](self.holders)
        except RuntimeError:
            return True  # another thread is changing one just now
        return values != self._values or any(map(_differ, things, self._things))

    def then(self, at):
        """What one holder held, in the form of [`contents`]."""
        if self.group == SLOTS:
            return self._slots[at]
        if self.group == BUFFER:
            return self._values[at]
        lengths = self._values
        start = sum(lengths[:at])
        end = start + lengths[at]
        if self.group in (DICT, ORDERED):
            return self._things[0][start:end], self._things[1][start:end]
        return self._things[0][start:end]

    def changed(self):
        """Places of holders whose contents are not the same any more."""
        suspects = self._suspects()
        looks = [(at, self.then(at), contents(self.holders[at], self.group)) for at in suspects]
        changed = [look for look in looks if not _is_same_contents(self.group, look[1], look[2])]
        if self._image is not None and not changed:
            self._image.settle()
        return changed


def _differ(now, then):
    return len(now) != len(then) or any(map(own.is_not, now, then))


def _is_same_contents(group, then, now):
    if group == BUFFER:
        return then == now
    if group in (DICT, ORDERED):
        return _all_same(then[0], now[0]) and _all_same(then[1], now[1])
    return _all_same(then, now)


def _all_same(then, now):
    return len(then) == len(now) and all(map(is_same, then, now))
