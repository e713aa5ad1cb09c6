"""Puts contents of objects back as they were: slot by slot, in place, so that everybody who holds an object sees it.

Writes through the descriptors of built-in types only, as `shapes.py` reads. Dicts and sets ask their keys for a hash, and there
is no way around that. Knows single objects; does not know which of their slots should go back, nor why.
"""
import _random
import array
import sys
import types
from collections import OrderedDict as _OrderedDict
from collections import deque as _Deque

from .cells import NAMESPACE, name_of_key
from .names import is_link
from .own import own
from .saved import contents
from .shapes import ABSENT, BUFFER, DEQUE, DICT, LIST, LRU_CACHE, ORDERED, SET, SLOTS, Cell, Digest, is_a, is_same
from .shapes import of_class, own_members, shape_of


class Refused(Exception):
    """Something cannot be put back; the message says why, in words."""


def putter(group, holder, owner, cache_of, then, is_whole):
    """What puts slots of an object back. `owner` is what a dict is the namespace of, `cache_of` the function that it is the
    cache of; `is_whole` says that all that has changed in the object is to go back."""
    if group == DICT and holder is getattr(own.environ, "_data", None):
        return _Environment(holder)
    if group == DICT and is_a(owner, type):
        return _Class(holder, owner)
    if group == DICT and cache_of is not None:
        return _Cache(holder, then, is_whole, cache_of)
    if group == DICT:
        return _Dict(holder, then, is_whole, may_move=not is_a(owner, types.ModuleType))
    if group == ORDERED:
        return _Ordered(holder, then, is_whole)
    if group == NAMESPACE:
        return _Namespace(holder, then, is_whole)
    kinds = {LIST: _List, SET: _Set, DEQUE: _DoubleEnded, BUFFER: _Buffer, SLOTS: _Slots}
    if group not in kinds:
        raise Refused("it could not be looked at")
    return kinds[group](holder)


class _Holder:
    """One object, some of whose slots go back: `put` for each of them, those that were empty first, then `end`."""

    def __init__(self, holder):
        self._holder = holder

    def end(self):
        """Nothing to do, for most."""


class _Dict(_Holder):
    _set, _delete, _keys = dict.__setitem__, dict.__delitem__, dict.keys

    def __init__(self, holder, then, is_whole, may_move=True):
        super().__init__(holder)
        self._then = then
        self._is_whole = is_whole
        self._may_move = may_move
        self._added = set()

    def put(self, key, old, new):
        if old is ABSENT:
            type(self)._delete(self._holder, key)
            return
        if new is ABSENT:
            self._added.add(name_of_key(key))
        type(self)._set(self._holder, key, old)

    def end(self):
        """A key that comes back goes where it was: behind the one that it followed."""
        if self._may_move and self._added:
            now = list(type(self)._keys(self._holder))
            order = self._wanted_order(now)
            first = next((at for at, (one, other) in enumerate(zip(order, now)) if one is not other), None)
            if first is not None and all(map(_has_plain_hash, order[first:])):
                self._move(order[first:], len(now) - first)

    def _wanted_order(self, now):
        place_of = {name_of_key(key): at for at, key in enumerate(now)}
        order = [key for key in now if name_of_key(key) not in self._added]
        behind = {}  # keys that came back, by the key in front of them
        front = None
        for name in map(name_of_key, self._then[0]):
            if name in self._added and name in place_of:
                behind.setdefault(front, []).append(now[place_of[name]])
            elif name in place_of:
                front = name
        return behind.get(None, []) + [one for key in order for one in [key] + behind.get(name_of_key(key), [])]

    def _move(self, order, count):
        taken = {}
        for _ in range(count):
            key, value = dict.popitem(self._holder)
            taken[name_of_key(key)] = value
        for key in order:
            dict.__setitem__(self._holder, key, taken[name_of_key(key)])


class _Ordered(_Dict):
    _set, _delete, _keys = _OrderedDict.__setitem__, _OrderedDict.__delitem__, _OrderedDict.keys

    def end(self):
        if self._is_whole:
            self._move(self._then[0], 0)
        else:
            super().end()

    def _move(self, order, count):
        for key in order:
            _OrderedDict.move_to_end(self._holder, key)


class _Environment(_Holder):
    """What `os.environ` holds, and what libc does."""

    def put(self, key, old, new):
        if old is ABSENT:
            own.unsetenv(key)
            dict.__delitem__(self._holder, key)
        else:
            own.putenv(key, old)
            dict.__setitem__(self._holder, key, old)


class _Class(_Holder):
    """The namespace of a class, which the interpreter has to know about."""

    def __init__(self, holder, owner):
        super().__init__(holder)
        self._owner = owner

    def put(self, key, old, new):
        metas = of_class(type(self._owner), "__mro__")
        if any([key in of_class(meta, "__dict__") for meta in metas if meta not in (type, object)]):
            raise Refused("its metaclass has an attribute of that name")
        if old is ABSENT:
            type.__delattr__(self._owner, key)
        else:
            type.__setattr__(self._owner, key, old)


class _Cache(_Dict):
    """What a cached function remembers. A bounded cache has links between its items, which only the cache itself can change."""

    def __init__(self, holder, then, is_whole, function):
        super().__init__(holder, then, is_whole)
        self._function = function
        self._must_be_cleared = False

    def put(self, key, old, new):
        if not is_link(old, new):
            super().put(key, old, new)
        elif self._then[0]:
            raise Refused("a bounded cache can only be emptied as a whole, and it was not empty")
        elif not self._is_whole:
            raise Refused("a bounded cache can only be emptied as a whole")
        else:
            self._must_be_cleared = True

    def end(self):
        if self._must_be_cleared:
            LRU_CACHE.__dict__["cache_clear"](self._function)
        else:
            super().end()


class _Namespace(_Holder):
    """The `__dict__` of an object that was replaced by another, or made."""

    def __init__(self, holder, then, is_whole):
        super().__init__(holder)
        self._then = then  # the dict, and what it held
        self._is_whole = is_whole

    def put(self, key, old, new):
        namespace = self._read()
        if old is ABSENT:
            dict.__delitem__(namespace, key)
        else:
            dict.__setitem__(namespace, key, old)

    def end(self):
        """If nothing of the new dict stays, and the old one is as it was, that one goes back itself."""
        namespace, (keys, values) = self._then
        if self._is_whole and namespace is not ABSENT:
            now = contents(namespace, DICT)
            if len(now[0]) == len(keys) and all(map(is_same, now[0] + now[1], list(keys) + list(values))):
                _Slots(self._holder).put("__dict__", namespace, None)

    def _read(self):
        shape = shape_of(type(self._holder))
        return shape.slots[shape.labels.index("__dict__")](self._holder)


class _List(_Holder):
    def put(self, at, old, new):
        list.__setitem__(self._holder, at, old)


class _Set(_Holder):
    def put(self, _, old, new):
        if old is ABSENT:
            set.discard(self._holder, new)
        else:
            set.add(self._holder, old)


class _DoubleEnded(_Holder):
    def put(self, at, old, new):
        if type(at) is not slice:
            _Deque.__setitem__(self._holder, at, old)
            return
        while _Deque.__len__(self._holder) > at.start:
            _Deque.pop(self._holder)
        _Deque.extend(self._holder, old)


class _Slots(_Holder):
    def put(self, name, old, new):
        descriptor = self._descriptor(name)
        if old is ABSENT:
            descriptor.__delete__(self._holder)
        else:
            descriptor.__set__(self._holder, old)

    def _descriptor(self, name):
        kind = type(self._holder)
        if name == "__class__":
            return object.__dict__["__class__"]
        if kind is Cell:
            return Cell.__dict__["cell_contents"]
        if name == "__bases__":
            return type.__dict__["__bases__"]
        for base in of_class(kind, "__mro__"):
            is_in_all = name == "__dict__" or kind is types.FunctionType
            members = of_class(base, "__dict__") if is_in_all else dict(own_members(base))
            if name in members and hasattr(type(members[name]), "__set__"):
                return members[name]
        raise Refused("its class has no slot of that name any more")


class _Buffer(_Holder):
    def put(self, _, old, new):
        holder = self._holder
        if type(old) is Digest:
            raise Refused("it is so large that only a digest of it was kept")
        if is_a(holder, _random.Random):
            _random.Random.setstate(holder, tuple(_numbers(old)))
        elif is_a(holder, bytearray):
            bytearray.__setitem__(holder, slice(None), old)
        elif is_a(holder, array.array):
            array.array.__delitem__(holder, slice(None))
            array.array.frombytes(holder, old)
        else:
            self._put_in_array_of_numpy(old)

    def _put_in_array_of_numpy(self, old):
        view = memoryview(self._holder)
        if "O" in view.format:
            raise Refused("it holds objects, in a way of its own")
        if view.nbytes != len(old):
            raise Refused("it was of another size")
        array_of = sys.modules["numpy"].ndarray
        array_of.__setitem__(self._holder, ..., array_of(self._holder.shape, self._holder.dtype, buffer=old))


def _has_plain_hash(key):
    """Whether a key can be taken out and in again without a method of its class."""
    for base in of_class(type(key), "__mro__"):
        if "__hash__" in of_class(base, "__dict__"):
            is_built_in = type(of_class(base, "__dict__")["__hash__"]) is types.WrapperDescriptorType
            return is_built_in and (base is not tuple or all(map(_has_plain_hash, tuple.__iter__(key))))
    return False


def _numbers(state):
    numbers = array.array("L")
    numbers.frombytes(state)
    return numbers
