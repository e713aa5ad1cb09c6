"""Contents of objects as bytes of memory: the quickest way to see that nothing has changed.

Looking at an object through Python counts references, and that writes to it and to all that it holds. In a forked child
every page that is written to has to be copied, and this copying was most of what a comparison cost. Bytes are read
without it. A difference here only means that an object deserves a look.

Knows where CPython keeps the contents of dicts, lists, sets and slots, and tries that out before it is believed
([`is_trusted`]). Does not know what the bytes mean.
"""
import sys
import types
from array import array
from itertools import accumulate

from .own import own
from .shapes import DICT, LIST, SET, SLOTS, of_class

_FIRST = 4096  # nothing is ever below

try:
    import _ctypes

    class _Byte(_ctypes._SimpleCData):
        _type_ = "B"

    class _AllMemory(_ctypes.Array):
        _length_ = (1 << 47) - _FIRST
        _type_ = _Byte

    _memory = memoryview(_AllMemory.from_address(_FIRST))
except (ImportError, TypeError, ValueError, OverflowError, AttributeError):
    _memory = None

_WORD = 8
_HEADER = 2 * _WORD  # the count of references, and the type
_VERSION, _KEYS, _VALUES = 3 * _WORD, 4 * _WORD, 5 * _WORD  # in a dict
_ITEMS = 3 * _WORD  # in a list
_MASK, _TABLE = 4 * _WORD, 5 * _WORD  # in a set
_MOST_SHARED_KEYS = 30
_BEFORE_SHARED = _WORD if sys.version_info >= (3, 13) else 0  # stands in front of values whose keys are shared
_MANAGED_DICT = 1 << 4 if sys.version_info >= (3, 11) else 0


class Image:
    """The bytes of some objects of one group, as they were when it was made. The objects must stay alive.

    A dict has a version, which is another one whenever something is stored; the rest is read only where that differs.
    """

    __slots__ = ("_versions", "_heads", "_bodies")

    def __init__(self, group, holders):
        heads = [list(_heads(group, holder)) for holder in holders]
        bodies = [[_body(group, holder)] for holder in holders]
        if group == DICT and _has_versions:
            self._versions = _Bytes([[(id(holder) + _VERSION, _WORD)] for holder in holders])
            self._heads, self._bodies = _Singly(heads), _Singly(bodies)
        else:
            self._versions = None
            self._heads, self._bodies = _Bytes(heads), _Bytes(bodies)

    def changed(self, but):
        """Places of holders whose bytes differ, without those in `but`."""
        # A body may be gone unless the head that points to it is the same.
        if self._versions is None:
            changed = self._heads.changed()
            return sorted((changed | (self._bodies.changed_but(changed) if changed else self._bodies.changed())) - but)
        asked = self._versions.changed() - but
        changed = self._heads.changed_among(asked)
        return sorted(changed | self._bodies.changed_among(asked - changed))

    def settle(self):
        """What differs by now does not matter any more."""
        if self._versions is not None:
            self._versions.take()


def most_at_once(group):
    """How many objects of a group are best kept in one image. A head that differs has all bodies of an image looked at one by
    one, unless there are versions; and heads of dicts often do."""
    return 128 if group == DICT and not _has_versions else 1024


class _Bytes:
    """Spans of memory, start and length, of some holders; all are read at once."""

    __slots__ = ("_parts",)

    def __init__(self, spans):
        spans = [(start, length, at) for at, some in enumerate(spans) for start, length in some if length]
        self._parts = [_Part(part) for part in _disjoint(spans)]

    def take(self):
        for part in self._parts:
            part.take()

    def changed(self):
        """Places of those that differ."""
        return {place for part in self._parts for place in part.changed()}

    def changed_but(self, gone):
        return {place for part in self._parts for place in part.changed_but(gone)}


def _disjoint(spans):
    """Few lists within which no two spans overlap. Of some bodies only a greatest length is known."""
    spans = sorted(spans)
    while spans:
        part, others, end = [], [], 0
        for span in spans:
            if span[0] < end:
                others.append(span)
            else:
                part.append(span)
                end = span[0] + span[1]
        yield part
        spans = others


class _Part:
    """Spans that do not overlap. They are fields of a `Struct`, so one call reads all.

    Numbers are in arrays and all bytes in one object, because a child that looks at objects has to copy the pages that these
    are in.
    """

    __slots__ = ("_starts", "_ends", "_places", "_read", "_then")

    def __init__(self, spans):
        self._starts = array("Q", [start for start, _, _ in spans])
        self._ends = array("Q", accumulate([length for _, length, _ in spans], initial=0))  # among the bytes that are kept
        self._places = array("Q", [place for _, _, place in spans])
        fields, end = ["="], spans[0][0]
        for start, length, _ in spans:
            fields.append("%dx%ds" % (start - end, length))
            end = start + length
        self._read = own.fields("".join(fields)).unpack_from
        self.take()

    def take(self):
        self._then = self._now()

    def _now(self):
        return b"".join(self._read(_memory, self._starts[0] - _FIRST))

    def changed(self):
        now = self._now()
        return () if now == self._then else [self._places[at] for at in self._differing(now)]

    def _differing(self, now):
        """By halves, because few differ."""
        then, ends, waiting = self._then, self._ends, [(0, len(self._starts))]
        while waiting:
            begin, end = waiting.pop()
            if now[ends[begin]:ends[end]] == then[ends[begin]:ends[end]]:
                continue
            if end - begin == 1:
                yield begin
            else:
                middle = (begin + end) // 2
                waiting += [(begin, middle), (middle, end)]

    def changed_but(self, gone):
        for at, place in enumerate(self._places):
            start, end = self._ends[at], self._ends[at + 1]
            if place not in gone and _bytes(self._starts[at], end - start) != self._then[start:end]:
                yield place


class _Singly:
    """Spans of memory, the same number for each holder, that are read for few of them."""

    __slots__ = ("_each", "_starts", "_ends", "_then")

    def __init__(self, spans):
        self._each = len(spans[0])
        spans = [span for some in spans for span in some]
        self._starts = array("Q", [start for start, _ in spans])
        self._ends = array("Q", accumulate([length for _, length in spans], initial=0))
        self._then = b"".join([_bytes(start, length) for start, length in spans])

    def changed_among(self, asked):
        """Places of those that differ."""
        return {place for place in asked if any(map(self._differs, range(place * self._each, (place + 1) * self._each)))}

    def _differs(self, at):
        start, end = self._ends[at], self._ends[at + 1]
        return _bytes(self._starts[at], end - start) != self._then[start:end]


def _bytes(start, length):
    return bytes(_memory[start - _FIRST:start - _FIRST + length])


def _word(address):
    return int.from_bytes(_bytes(address, _WORD), sys.byteorder)


def _heads(group, holder):
    kind = type(holder)
    if group == DICT and _has_versions:
        yield id(holder) + _HEADER, _VERSION - _HEADER
        yield id(holder) + _KEYS, _SIZES[group] - _KEYS
    elif group != SLOTS:
        yield id(holder) + _WORD, _SIZES[group] - _WORD
    elif issubclass(kind, type):
        yield id(holder) + _BASES, _WORD  # the rest is mostly caches
    elif kind is types.FunctionType:
        yield id(holder) + _HEADER, kind.__basicsize__ - _HEADER - 2 * _WORD  # the end is for the interpreter
    else:
        yield id(holder) + _WORD, of_class(kind, "__basicsize__") - _WORD
    if group == SLOTS and of_class(kind, "__flags__") & _MANAGED_DICT:
        yield id(holder) - 4 * _WORD, 2 * _WORD  # the dict is kept in front, and the collector's links in between


def _where_bases_are():
    words = [_word(id(_Example) + at) for at in range(0, type.__basicsize__, _WORD)]
    return words.index(id(_Example.__bases__)) * _WORD if id(_Example.__bases__) in words else 0


_SIZES = {DICT: dict.__basicsize__, LIST: list.__basicsize__, SET: set.__basicsize__}


def _body(group, holder):
    if group == DICT:
        return _body_of_dict(holder)
    if group == LIST:
        return _word(id(holder) + _ITEMS), _WORD * list.__len__(holder)
    if group == SET and set.__len__(holder):
        table = _word(id(holder) + _TABLE)
        if not id(holder) <= table < id(holder) + _SIZES[SET]:
            return table, 2 * _WORD * (_word(id(holder) + _MASK) + 1)
    return 0, 0


def _body_of_dict(holder):
    if not dict.__len__(holder):
        return 0, 0  # all empty dicts share their keys
    size = dict.__sizeof__(holder) - dict.__basicsize__
    values = _word(id(holder) + _VALUES)
    if values:  # the keys are shared with others of a class
        length = min(size, _WORD * _MOST_SHARED_KEYS) if _MANAGED_DICT else _WORD * dict.__len__(holder)
        return values, length + _BEFORE_SHARED
    return _word(id(holder) + _KEYS), size


def is_trusted():
    """Whether memory looks as expected in this interpreter."""
    global _has_versions
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    if _memory is None or object.__basicsize__ != _HEADER or not has_lock:
        return False
    _has_versions = True
    _has_versions = all([_is_seen(*trial) for trial in _trials() if trial[0] == DICT])
    return all([_is_seen(*trial) for trial in _trials()])


def _is_seen(group, holder, change):
    image = Image(group, [holder])
    if image.changed(set()):
        return False
    change(holder)
    return image.changed(set()) == [0]


def _trials():
    """Every way in which contents can change without a change of size."""
    yield LIST, [None, True], lambda holder: holder.__setitem__(1, False)
    yield LIST, [None] * 1000, lambda holder: holder.__setitem__(999, False)
    for size in (1, 5, 40, 300):
        yield DICT, {at: None for at in range(size)}, lambda holder, last=size - 1: holder.__setitem__(last, True)
        yield DICT, {str(at): None for at in range(size)}, _rename_last
        yield DICT, dict.fromkeys(range(size)), lambda holder: holder.popitem()
        yield SET, set(range(size)), lambda holder: holder.symmetric_difference_update({0, -7})
    yield DICT, _emptied(), lambda holder: holder.__setitem__("first", None)
    yield DICT, _Example().__dict__, lambda holder: holder.__setitem__("second", True)
    wide = _WideExample()
    yield DICT, wide.__dict__, lambda _: setattr(wide, _WideExample.last, True)
    example = _Example()
    yield DICT, example.__dict__, lambda _: setattr(example, "first", True)
    practised = _Example()
    yield DICT, practised.__dict__, lambda _: _store_as_practised(practised)
    other = _Example()
    yield SLOTS, other, lambda _: setattr(other, "__dict__", {})
    yield SLOTS, type("_Derived", (_Example,), {}), lambda holder: setattr(holder, "__bases__", (_OtherExample,))
    yield SLOTS, _SlottedExample(), lambda holder: setattr(holder, "second", True)
    yield SLOTS, lambda argument=None: argument, lambda holder: setattr(holder, "__defaults__", (1,))
    yield SLOTS, lambda: None, lambda holder: setattr(holder, "attribute", True)
    yield SLOTS, (lambda held: lambda: held)(None).__closure__[0], lambda cell: setattr(cell, "cell_contents", True)


def _emptied():
    holder = {"first": None}
    del holder["first"]
    return holder


def _rename_last(holder):
    holder.popitem()
    holder["other"] = None


def _store_as_practised(thing):
    """The interpreter has ways of its own for a store that it has seen often."""

    def store(thing):
        thing.first = True

    for _ in range(100):
        other = _Example()
        other.__dict__
        store(other)
    store(thing)


class _Example:
    def __init__(self):
        self.first = self.second = None


class _WideExample:
    """Has as many attributes as an object keeps without a dict of its own."""

    last = "attribute%d" % (_MOST_SHARED_KEYS - 2)

    def __init__(self):
        for at in range(_MOST_SHARED_KEYS - 1):
            setattr(self, "attribute%d" % at, None)


class _OtherExample(_Example):
    pass


class _SlottedExample:
    __slots__ = ("first", "second")

    def __init__(self):
        self.first = self.second = None


_has_versions = False
_BASES = _where_bases_are() if _memory is not None else 0
