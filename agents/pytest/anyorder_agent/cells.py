"""Cells: what differs between then and now, slot by slot, in the words of docs/wire.md.

Knows how changes of one object become cells, and which kind each is. Does not know how changes are found, nor how they are
undone.
"""
import builtins
import os
import sys
import threading
import types
import warnings

from .contents import Canon, Opaque, label, short, type_name
from .names import cached_result, is_link
from .own import own
from .saved import contents
from .shapes import ABSENT, BUFFER, DICT, ORDERED, PLAIN, SET, SLOTS, Cell, is_a, is_same, shape_of

_MOST_PER_HOLDER = 50
_VARIABLE = "os.environ["
NAMESPACE, FACT = "namespace", "fact"  # groups of changes that are not of the contents of one object
_CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, staticmethod, classmethod, property, type)


class Change:
    """One cell that differs: what stood in it then, what stands in it now, and in which slots of which object."""

    __slots__ = ("path", "kind", "old", "new", "names", "identity", "holder", "group", "slots")

    def __init__(self, path, kind, old, new, names, identity, holder=None, group=FACT, slots=()):
        self.path = path
        self.kind = kind
        self.old = old
        self.new = new
        self.names = names
        self.identity = identity
        self.holder = holder
        self.group = group
        self.slots = slots  # key, index or label of each, with its value then and now


class Teller:
    """Makes changes of cells from changes of objects, and tells them."""

    def __init__(self, memory, names):
        self._memory = memory
        self._names = names
        self._environment = getattr(own.environ, "_data", None)

    def changes(self, changed):
        """From object, group, and contents then and now."""
        return [change for one in changed for change in self._changes_or_excuse(*one)]

    def environment(self, paths):
        """What holds the variables of the environment, if one of the paths is that of a variable."""
        is_meant = self._environment is not None and any([path.startswith(_VARIABLE) for path in paths])
        return [self._environment] if is_meant else []

    def told(self, change):
        """A change as it is told on the wire."""
        is_known = change.group is not None
        return {
            "path": change.path,
            "kind": change.kind,
            "before": short(change.old) if is_known else "?",
            "after": short(change.new) if is_known else "?",
            "names": list(change.names),
            "key": self._key(change.path, change.new) if is_known else "",
            "place": change.identity,
        }

    def _changes_or_excuse(self, holder, group, then, now):
        try:
            return self._changes(holder, group, then, now)
        except Exception as error:  # an object that resists must not cost the others
            path = "<%s> %s" % (type_name(type(holder)), type(error).__name__)
            return [Change(path, "item", ABSENT, ABSENT, (), "%x" % id(holder), holder, None)]

    def _changes(self, holder, group, then, now):
        place = self._memory.place(holder)
        if group in (DICT, ORDERED):
            changes = self._of_dict(place, holder, group, then, now)
            if group == ORDERED and not changes:
                return [self._item(place, ".<order>", then[0], now[0], group)]
            return changes
        if group == SET:
            return self._of_set(place, then, now)
        if group == SLOTS:
            return self._of_slots(place, holder, then, now)
        if group == BUFFER:
            return [self._item(place, "[:]", then, now, group, [(None, then, now)])]
        return self._of_list(place, group, then, now)

    def _of_dict(self, place, holder, group, then, now):
        found = list(_differing(then, now))
        if holder is self._environment:
            found = [slot for slot in found if _text(slot[0]) != "PYTEST_CURRENT_TEST"]
        if holder is threading.__dict__:
            found = [slot for slot in found if slot[0] != "_shutdown_locks"]  # is made anew in every fork
        if not found:
            return []
        is_namespace = self._names.owner(place) is not None
        is_bounded = len(found) > 1 and self._is_in_cache(place) and any([is_link(slot[1], slot[2]) for slot in found])
        if len(found) > _MOST_PER_HOLDER and not is_namespace or is_bounded:
            return [self._item(place, "[...]", _side(found, 1), _side(found, 2), group, found)]
        return [self._of_key(place, holder, group, *slot) for slot in found]

    def _of_key(self, place, holder, group, key, old, new):
        identity = "%x %s" % (id(holder), label(key))
        where = (holder, group, [(key, old, new)])
        if holder is self._environment:
            return Change("%s%r]" % (_VARIABLE, _text(key)), "environment", _text(old), _text(new), (), identity, *where)
        piece, names = self._names.slot(place, key)
        if holder is sys.modules:
            names = names + ["import %s" % key]
        if self._is_in_cache(place) and new is not ABSENT:
            new = cached_result(self._memory.objects[self._memory.holder(place)], key, new)
        kind = self._kind(place, holder, old, new)
        return Change(self._names.path(place) + piece, kind, old, new, names, identity, *where)

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
        return self._names.cache_of(place) is not None

    def _of_set(self, place, then, now):
        before, after = by_key(then, then), by_key(now, now)
        lost = [(None, value, ABSENT) for name, (_, value) in before.items() if name not in after]
        gained = [(None, ABSENT, value) for name, (_, value) in after.items() if name not in before]
        found = lost + gained
        if len(found) > _MOST_PER_HOLDER:
            sides = [old for _, old, _ in lost], [new for _, _, new in gained]
            return [self._item(place, "{...}", *sides, SET, found)]
        return [
            self._item(place, "{%s}" % label(old if new is ABSENT else new), old, new, SET, [(None, old, new)])
            for _, old, new in found
        ]

    def _of_list(self, place, group, then, now):
        differing = [at for at, pair in enumerate(zip(then, now)) if not is_same(*pair)]
        if len(then) == len(now) and len(differing) <= _MOST_PER_HOLDER:
            found = [(at, then[at], now[at]) for at in differing]
            return [self._item(place, "[%d]" % at, old, new, group, [(at, old, new)]) for at, old, new in found]
        first = differing[0] if differing else min(len(then), len(now))
        old, new = then[first:], now[first:]
        return [self._item(place, "[%d:]" % first, old, new, group, [(slice(first, None), old, new)])]

    def _of_slots(self, place, holder, then, now):
        labels = shape_of(type(holder)).labels
        found = [slot for slot in zip(labels, then, now) if not is_same(slot[1], slot[2])]
        changes = [self._of_slot(place, holder, *slot) for slot in found if slot[0] != "__dict__"]
        for _, old, new in [slot for slot in found if slot[0] == "__dict__"]:
            changes += self._of_namespace(place, holder, old, new)
        return changes

    def _of_namespace(self, place, holder, old, new):
        """A whole `__dict__` was replaced, or made."""
        path = self._names.path(place)
        if self._memory.place(new) is not None:  # something else has it, too
            identity = "%x .__dict__" % id(holder)
            slots = [("__dict__", old, new)]
            return [Change(path + ".__dict__", "attribute", old, new, [".__dict__"], identity, holder, SLOTS, slots)]
        known = self._memory.place(old)
        before = self._memory.then(known) if known is not None else ((), ())
        return [
            Change(
                "%s.%s" % (path, key), "attribute", value, other, [".%s" % key], "%x .%s" % (id(holder), key),
                holder, NAMESPACE, [(key, value, other)],
            )
            for key, value, other in _differing(before, contents(new, DICT) if is_a(new, dict) else ((), ()))
        ]

    def _of_slot(self, place, holder, name, old, new):
        path = self._names.path(place)
        where = "%x %s" % (id(holder), name), holder, SLOTS, [(name, old, new)]
        if is_a(holder, Cell):
            return Change(path, "closure", old, new, self._names.known_as(place), *where)
        if is_a(holder, types.FunctionType):
            kind = "patch" if name == "__code__" else "default"
            names = ["%s.%s()" % (holder.__module__, holder.__name__)]
            return Change("%s.%s" % (path, name), kind, old, new, names, *where)
        kind = "class-attribute" if is_a(holder, type) else "attribute"
        names = ["." + name]
        if name == "__class__":
            names += self._names.known_as(place)  # `type(thing)` looks at it, too
        return Change("%s.%s" % (path, name), kind, old, new, names, *where)

    def _item(self, place, piece, old, new, group, slots=()):
        holder = self._memory.objects[place]
        names = [] if holder is warnings.filters else self._names.known_as(place)
        identity = "%x %s" % (id(holder), piece)
        return Change(self._names.path(place) + piece, "item", old, new, names, identity, holder, group, slots)

    def _key(self, path, new):
        try:
            form = Canon(self._names.path_of).form(new)
        except (Opaque, RecursionError):
            return ""
        return own.digest(("%s\0%s" % (path, form)).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _differing(then, now):
    """Keys with their values then and now, where these are not the same."""
    begin = _first_difference(then, now)
    before, after = [by_key(keys[begin:], values[begin:]) for keys, values in (then, now)]
    for name in list(before) + [name for name in after if name not in before]:
        key, old = before.get(name, (None, ABSENT))
        key, new = after.get(name, (key, ABSENT))
        if not is_same(old, new):
            yield key, old, new


def _first_difference(then, now):
    """How many keys and values come first and are the same: most of what has grown."""
    differ = map(own.either, *[map(own.is_not, *sides) for sides in zip(then, now)])
    return next(own.chain([(at for at, is_other in enumerate(differ) if is_other), [min(len(then[0]), len(now[0]))]]))


def _side(found, side):
    return {label(slot[0]): slot[side] for slot in found if slot[side] is not ABSENT}


def _text(value):
    return os.fsdecode(value) if is_a(value, bytes) else value


def by_key(keys, values):
    """Pairs by key, where keys whose hash and equality are the project's business go by their identity."""
    return {name_of_key(key): (key, value) for key, value in zip(keys, values)}


def name_of_key(key):
    if type(key) in PLAIN:
        return key
    if type(key) is tuple and all([type(part) in PLAIN for part in key]):
        return key
    return ("by identity", id(key))
