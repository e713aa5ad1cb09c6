"""Contents of objects as bytes of memory: the quickest way to see that nothing has changed.

Looking at an object through Python counts references, and that writes to it and to all that it holds. In a forked child
every page that is written to has to be copied, and this copying was most of what a comparison cost. Bytes are read
without it. A difference here only means that an object deserves a look.

Knows where CPython keeps the contents of dicts, lists, sets and slots, and tries that out before it is believed
([`is_trusted`]). Does not know what the bytes mean.
"""
import operator
import sys
import types

from .shapes import DICT, LIST, SET, SLOTS, of_class

try:
    import _ctypes

    class _Byte(_ctypes._SimpleCData):
        _type_ = "B"

    class _AllMemory(_ctypes.Array):
        _length_ = (1 << 47) - 4096
        _type_ = _Byte

    _memory = memoryview(_AllMemory.from_address(4096))
except (ImportError, TypeError, ValueError, OverflowError, AttributeError):
    _memory = None

_WORD = 8
_HEADER = 2 * _WORD  # the count of references, and the type
_KEYS, _VALUES = 4 * _WORD, 5 * _WORD  # in a dict
_ITEMS = 3 * _WORD  # in a list
_MASK, _TABLE = 4 * _WORD, 5 * _WORD  # in a set
_MOST_SHARED_KEYS = 30
_BEFORE_SHARED = _WORD if sys.version_info >= (3, 13) else 0  # stands in front of values whose keys are shared
_MANAGED_DICT = 1 << 4 if sys.version_info >= (3, 11) else 0


class Image:
    """The bytes of some objects of one group, as they were when it was made. The objects must stay alive."""

    __slots__ = ("_heads", "_bodies")

    def __init__(self, group, holders):
        self._heads = _Bytes([(at, *span) for at, holder in enumerate(holders) for span in _heads(group, holder)])
        self._bodies = _Bytes([(at, *_body(group, holder)) for at, holder in enumerate(holders)])

    def changed(self):
        """Places of holders whose bytes differ."""
        changed = self._heads.changed()
        # A body may be gone unless the head that points to it is the same.
        return sorted(changed | self._bodies.changed(changed))


class _Bytes:
    """Spans of memory, each with the place of its holder."""

    __slots__ = ("_read", "_places", "_lengths", "_then")

    def __init__(self, spans):
        spans = [(place, start, length) for place, start, length in spans if length]
        self._places = [place for place, _, _ in spans]
        self._lengths = [length for _, _, length in spans]
        slices = [slice(start - 4096, start - 4096 + length) for _, start, length in spans]
        # Two that are empty, because with a single one a getter would not give a tuple.
        self._read = operator.itemgetter(slice(0, 0), slice(0, 0), *slices)
        self._then = b"".join(self._read(_memory))

    def changed(self, gone=frozenset()):
        if not gone and b"".join(self._read(_memory)) == self._then:
            return set()
        changed, start = set(), 0
        slices = self._read.__reduce__()[1][2:]
        for place, length, span in zip(self._places, self._lengths, slices):
            if place not in gone and bytes(_memory[span]) != self._then[start:start + length]:
                changed.add(place)
            start += length
        return changed


def _word(address):
    return int.from_bytes(_memory[address - 4096:address - 4096 + _WORD], sys.byteorder)


def _heads(group, holder):
    kind = type(holder)
    if group != SLOTS:
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
    has_lock = getattr(sys, "_is_gil_enabled", lambda: True)()
    if _memory is None or object.__basicsize__ != _HEADER or not has_lock:
        return False
    return all([_is_seen(*trial) for trial in _trials()])


def _is_seen(group, holder, change):
    image = Image(group, [holder, holder])
    if image.changed():
        return False
    change(holder)
    return image.changed() == [0, 1]


def _trials():
    """Every way in which contents can change without a change of size."""
    yield LIST, [None, True], lambda holder: holder.__setitem__(1, False)
    yield LIST, [None] * 1000, lambda holder: holder.__setitem__(999, False)
    for size in (1, 5, 40, 300):
        yield DICT, {at: None for at in range(size)}, lambda holder, last=size - 1: holder.__setitem__(last, True)
        yield DICT, {str(at): None for at in range(size)}, _rename_last
        yield SET, set(range(size)), lambda holder: holder.symmetric_difference_update({0, -7})
    yield DICT, _Example().__dict__, lambda holder: holder.__setitem__("second", True)
    wide = _WideExample()
    yield DICT, wide.__dict__, lambda _: setattr(wide, _WideExample.last, True)
    example = _Example()
    yield DICT, example.__dict__, lambda _: setattr(example, "first", True)
    other = _Example()
    yield SLOTS, other, lambda _: setattr(other, "__dict__", {})
    yield SLOTS, type("_Derived", (_Example,), {}), lambda holder: setattr(holder, "__bases__", (_OtherExample,))
    yield SLOTS, _SlottedExample(), lambda holder: setattr(holder, "second", True)
    yield SLOTS, lambda argument=None: argument, lambda holder: setattr(holder, "__defaults__", (1,))
    yield SLOTS, lambda: None, lambda holder: setattr(holder, "attribute", True)
    yield SLOTS, (lambda held: lambda: held)(None).__closure__[0], lambda cell: setattr(cell, "cell_contents", True)


def _rename_last(holder):
    holder.popitem()
    holder["other"] = None


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


_BASES = _where_bases_are() if _memory is not None else 0
