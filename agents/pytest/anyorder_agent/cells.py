"""Cells: what differs between then and now, slot by slot, in the words of docs/wire.md.

Knows how changes of one object become cells, and which kind each is. Does not know how changes are found.
"""
import builtins
import os
import sys
import types
import warnings

from .contents import Canon, Opaque, label, short, type_name
from .names import cached_result
from .own import own
from .saved import contents
from .shapes import ABSENT, BUFFER, DICT, LRU_CACHE, ORDERED, PLAIN, SET, SLOTS, Cell, is_a, is_same, shape_of

_MOST_PER_HOLDER = 50
_CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, staticmethod, classmethod, property, type)


class Teller:
    """Makes cells from what has changed."""

    def __init__(self, memory, names):
        self._memory = memory
        self._names = names
        self._environment = getattr(own.environ, "_data", None)

    def cells(self, changed):
        """From object, group, and contents then and now."""
        return [cell for change in changed for cell in self._cells_or_excuse(*change)]

    def fact(self, path, kind, then, now, names=()):
        """A cell of the process itself."""
        return self._cell(path, kind, then, now, names, path)

    def _cells_or_excuse(self, holder, group, then, now):
        try:
            return self._cells(holder, group, then, now)
        except Exception as error:  # an object that resists must not cost the others
            path = "<%s> %s" % (type_name(type(holder)), type(error).__name__)
            return [dict(path=path, kind="item", before="?", after="?", names=[], key="", place="%x" % id(holder))]

    def _cells(self, holder, group, then, now):
        place = self._memory.place(holder)
        if group in (DICT, ORDERED):
            cells = self._of_dict(place, holder, then, now)
            if group == ORDERED and not cells:
                return [self._item(place, ".<order>", then[0], now[0])]
            return cells
        if group == SET:
            return self._of_set(place, then, now)
        if group == SLOTS:
            return self._of_slots(place, holder, then, now)
        if group == BUFFER:
            return [self._item(place, "[:]", then, now)]
        return self._of_list(place, then, now)

    def _of_dict(self, place, holder, then, now):
        before, after = _by_key(*then), _by_key(*now)
        found = []
        for name in list(before) + [name for name in after if name not in before]:
            key, old = before.get(name, (None, ABSENT))
            key, new = after.get(name, (key, ABSENT))
            if not is_same(old, new):
                found.append((key, old, new))
        if len(found) > _MOST_PER_HOLDER and self._names.owner(place) is None:
            return [self._item(place, "[...]", _side(found, 1), _side(found, 2))]
        if holder is self._environment:
            found = [slot for slot in found if _text(slot[0]) != "PYTEST_CURRENT_TEST"]
        return [self._of_key(place, holder, *slot) for slot in found]

    def _of_key(self, place, holder, key, old, new):
        identity = "%x %s" % (id(holder), label(key))
        if holder is self._environment:
            return self._cell("os.environ[%r]" % _text(key), "environment", _text(old), _text(new), (), identity)
        piece, names = self._names.slot(place, key)
        if holder is sys.modules:
            names = names + ["import %s" % key]
        if self._is_in_cache(place) and new is not ABSENT:
            new = cached_result(self._memory.objects[self._memory.holder(place)], key, new)
        kind = self._kind(place, holder, old, new)
        return self._cell(self._names.path(place) + piece, kind, old, new, names, identity)

    def _kind(self, place, holder, old, new):
        if holder is sys.modules:
            return "module"
        owner = self._names.owner(place)
        if self._is_in_cache(place):
            return "cache"
        if owner is None:
            return "item"
        if new is not ABSENT and is_a(old, _CALLABLE):
            return "patch"
        if is_a(owner, types.ModuleType):
            return "builtin" if owner is builtins else "global"
        if is_a(owner, type):
            return "class-attribute"
        return "context" if shape_of(type(owner)).is_thread_local else "attribute"

    def _is_in_cache(self, place):
        above = self._memory.holder(place)
        return above is not None and type(self._memory.objects[above]) is LRU_CACHE and self._names.owner(place) is None

    def _of_set(self, place, then, now):
        before, after = _by_key(then, then), _by_key(now, now)
        lost = [(value, ABSENT) for name, (_, value) in before.items() if name not in after]
        gained = [(ABSENT, value) for name, (_, value) in after.items() if name not in before]
        found = lost + gained
        if len(found) > _MOST_PER_HOLDER:
            return [self._item(place, "{...}", [old for old, _ in lost], [new for _, new in gained])]
        return [self._item(place, "{%s}" % label(old if new is ABSENT else new), old, new) for old, new in found]

    def _of_list(self, place, then, now):
        differing = [at for at, pair in enumerate(zip(then, now)) if not is_same(*pair)]
        if len(then) == len(now) and len(differing) <= _MOST_PER_HOLDER:
            return [self._item(place, "[%d]" % at, then[at], now[at]) for at in differing]
        first = differing[0] if differing else min(len(then), len(now))
        return [self._item(place, "[%d:]" % first, then[first:], now[first:])]

    def _of_slots(self, place, holder, then, now):
        labels = shape_of(type(holder)).labels
        found = [slot for slot in zip(labels, then, now) if not is_same(slot[1], slot[2])]
        cells = [self._of_slot(place, holder, *slot) for slot in found if slot[0] != "__dict__"]
        for _, old, new in [slot for slot in found if slot[0] == "__dict__"]:
            cells += self._of_namespace(place, holder, old, new)
        return cells

    def _of_namespace(self, place, holder, old, new):
        """A whole `__dict__` was replaced, or made."""
        known = self._memory.place(old)
        before = _by_key(*(self._memory.then(known) if known is not None else ((), ())))
        after = _by_key(*contents(new, DICT)) if is_a(new, dict) else {}
        path, found = self._names.path(place), []
        for name in list(before) + [name for name in after if name not in before]:
            key, value = before.get(name, (None, ABSENT))
            key, other = after.get(name, (key, ABSENT))
            if not is_same(value, other):
                identity = "%x .%s" % (id(holder), key)
                found.append(self._cell("%s.%s" % (path, key), "attribute", value, other, [".%s" % key], identity))
        return found

    def _of_slot(self, place, holder, name, old, new):
        path = self._names.path(place)
        identity = "%x %s" % (id(holder), name)
        if is_a(holder, Cell):
            return self._cell(path, "closure", old, new, self._names.known_as(place), identity)
        if is_a(holder, types.FunctionType):
            kind = "patch" if name == "__code__" else "default"
            names = ["%s.%s()" % (holder.__module__, holder.__name__)]
            return self._cell("%s.%s" % (path, name), kind, old, new, names, identity)
        kind = "class-attribute" if is_a(holder, type) else "attribute"
        names = ["." + name]
        if name == "__class__":
            names += self._names.known_as(place)  # `type(thing)` looks at it, too
        return self._cell("%s.%s" % (path, name), kind, old, new, names, identity)

    def _item(self, place, piece, old, new):
        holder = self._memory.objects[place]
        names = [] if holder is warnings.filters else self._names.known_as(place)
        identity = "%x %s" % (id(holder), piece)
        return self._cell(self._names.path(place) + piece, "item", old, new, names, identity)

    def _cell(self, path, kind, old, new, names, identity):
        return {
            "path": path,
            "kind": kind,
            "before": short(old),
            "after": short(new),
            "names": list(names),
            "key": self._key(path, new),
            "place": identity,
        }

    def _key(self, path, new):
        try:
            form = Canon(self._names.path_of).form(new)
        except (Opaque, RecursionError):
            return ""
        return own.digest(("%s\0%s" % (path, form)).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _side(found, side):
    return {label(slot[0]): slot[side] for slot in found if slot[side] is not ABSENT}


def _text(value):
    return os.fsdecode(value) if is_a(value, bytes) else value


def _by_key(keys, values):
    """Pairs by key, where keys whose hash and equality are the project's business go by their identity."""
    return {_name_of_key(key): (key, value) for key, value in zip(keys, values)}


def _name_of_key(key):
    if type(key) in PLAIN:
        return key
    if type(key) is tuple and all([type(part) in PLAIN for part in key]):
        return key
    return ("by identity", id(key))
