"""Paths for people, and the names by which code mentions a place.

A path is the shortest way to an object, written as Python would write it where Python can. Names are what `reads.py` finds
in code: `module.name` for globals, `.name` for attributes, `module<name>` for variables that functions share, `module.name()`
for what belongs to a function itself. An item has no name; it goes by the names of whatever holds its container.
Knows what is remembered; does not know what has changed.
"""
import functools
import logging
import types

from .contents import label, short
from .own import own
from .saved import contents
from .shapes import DEQUE, LRU_CACHE, Cell, is_a, namespace_of_module, of_class, shape_of

_MOST_NAMES = 2000
_DEEPEST = 6


class Names:
    """Names of what a [`Memory`] remembers."""

    def __init__(self, memory):
        self._memory = memory
        self._paths = {}
        self._known = {}

    def look_anew(self):
        """More is remembered now, which may hold what was known already."""
        self._known = {}

    def path_of(self, thing):
        """The path of an object that is remembered; nothing for others."""
        place = self._memory.place(thing)
        return None if place is None else self.path(place)

    def path(self, place):
        path = self._paths.get(place)
        if path is None:
            self._paths[place] = "..."  # in case a way leads back here
            path = self._paths[place] = self._make_path(place)
        return path

    def _make_path(self, place):
        thing = self._memory.objects[place]
        holder = self._memory.holder(place)
        if holder is None:
            return self._memory.labels[place][0]
        return self._own_path(thing) or self.path(holder) + self._step(holder, thing)

    def _own_path(self, thing):
        """Classes and functions know their own names; believed if it leads back to them."""
        if is_a(thing, logging.Logger):
            name = thing.__dict__.get("name")
            return "logging.getLogger(%r)" % name if thing.manager.loggerDict.get(name) is thing else None
        if not is_a(thing, (type, types.FunctionType)):
            return None
        if is_a(thing, type):
            module, name = of_class(thing, "__module__"), of_class(thing, "__qualname__")
        else:
            module, name = thing.__module__, thing.__qualname__
        if not is_a(module, str) or not is_a(name, str):
            return None
        found = self._memory.module(module)
        for part in name.split("."):
            namespace = _namespace(found)
            found = namespace.get(part) if namespace is not None else None
        unwrapped = getattr(found, "__func__", found) if is_a(found, (staticmethod, classmethod)) else found
        return "%s.%s" % (module, name) if unwrapped is thing else None

    def _step(self, holder, thing):
        """From a holder to what it holds."""
        owner = self._memory.objects[holder]
        if is_a(owner, dict):
            key = self._key(holder, thing)
            return self.slot(holder, key)[0] if key is not _NO_KEY else "<key %s>" % short(thing, 1)
        if is_a(owner, types.FunctionType):
            return _step_of_function(owner, thing)
        if is_a(thing, Cell) and is_a(owner, tuple):
            name = self._variable(holder, thing)
            return ".<closure %s>" % name if name else ""
        if is_a(owner, (list, tuple)) or shape_of(type(owner)).group == DEQUE:
            return "[%s]" % _index(self._memory.then(holder) or _items(owner), thing)
        if is_a(owner, (set, frozenset)):
            return "{%s}" % short(thing, 1)
        if type(owner) is LRU_CACHE:
            return _step_of_cache(owner, thing)
        return self._step_of_instance(holder, owner, thing)

    def _step_of_instance(self, holder, owner, thing):
        if is_a(owner, (types.ModuleType, type, staticmethod, classmethod, Cell, types.MappingProxyType)):
            return ""
        label = self._label(holder, owner, thing)
        if label is not None:
            return "" if label == "__dict__" else "." + label
        if type(owner) is functools.partial:
            return "." + next((name for name in ("func", "args", "keywords") if getattr(owner, name) is thing), "func")
        if is_a(owner, types.MethodType):
            return ".__self__" if owner.__self__ is thing else ".__func__"
        if is_a(owner, property):
            return "." + next((name for name in ("fget", "fset", "fdel") if getattr(owner, name) is thing), "fget")
        return ".<%s>" % of_class(type(thing), "__name__")

    def _label(self, holder, owner, thing):
        """The slot of an instance that an object was in."""
        values = self._memory.then(holder)
        labels = shape_of(type(owner)).labels
        if values is None or len(values) != len(labels):
            return "__dict__" if thing is _namespace(owner) else None
        return next((label for label, value in zip(labels, values) if value is thing), None)

    def _key(self, holder, thing):
        keys, values = self._memory.then(holder)
        return next((key for key, value in zip(keys, values) if value is thing), _NO_KEY)

    def _variable(self, holder, cell):
        """The name of a variable, from a function that shares it."""
        function = self._function_of(holder)
        if function is None or function.__closure__ is None:
            return None
        places = [at for at, other in enumerate(function.__closure__) if other is cell]
        return function.__code__.co_freevars[places[0]] if places else None

    def _function_of(self, holder):
        above = self._memory.holder(holder)
        function = self._memory.objects[above] if above is not None else None
        return function if is_a(function, types.FunctionType) else None

    def sharer(self, place):
        """The function by which a variable is known, and its name there; nothing twice if there is none."""
        above = self._memory.holder(place)
        function = self._function_of(above) if above is not None else None
        return (None, None) if function is None else (function, self._variable(above, self._memory.objects[place]))

    def owner(self, place):
        """What a dict is the namespace of, or nothing."""
        thing = self._memory.objects[place]
        for holder in self._memory.holders(place):
            owner = self._memory.objects[holder]
            if is_a(owner, (types.ModuleType, type)):
                return owner
            if is_a(owner, types.FunctionType) and thing is not owner.__kwdefaults__:
                return owner
            if shape_of(type(owner)).namespace is not None and thing is shape_of(type(owner)).namespace(owner):
                return owner
            if type(owner) is LRU_CACHE and not _is_cache(owner, thing):
                return owner
        return None

    def cache_of(self, place):
        """The function that a dict is the cache of, or nothing."""
        above = self._memory.holder(place)
        is_cache = above is not None and type(self._memory.objects[above]) is LRU_CACHE and self.owner(place) is None
        return self._memory.objects[above] if is_cache else None

    def slot(self, place, key):
        """The last step of the path of an item of a dict, and its names."""
        owner = self.owner(place)
        if owner is None or not is_a(key, str):
            return "[%s]" % label(key), self.known_as(place)
        if is_a(owner, types.ModuleType):
            return "." + key, ["%s.%s" % (_name_of_module(owner), key), "." + key]
        names = ["." + key]
        if not is_a(owner, (type, types.FunctionType)) and len(self._memory.holders(place)) > 1:
            names += self.known_as(place)
        return "." + key, names

    def known_as(self, place):
        """Names for what has none: those of its holders."""
        if place not in self._known:
            found = set()
            self._collect(place, found, set(), 0)
            self._known[place] = sorted(found)[:_MOST_NAMES]
        return list(self._known[place])

    def _collect(self, place, found, seen, depth):
        if place in seen or depth > _DEEPEST or len(found) > _MOST_NAMES:
            return
        seen.add(place)
        thing = self._memory.objects[place]
        found.update(_names_of_roots(self._memory.labels.get(place, ())))
        for holder in self._memory.holders(place):
            names = self._edge_names(holder, thing)
            if names is None:
                self._collect(holder, found, seen, depth + 1)
            else:
                found.update(names)

    def _edge_names(self, holder, thing):
        """Names that a holder gives to what it holds; nothing if it gives none."""
        owner = self._memory.objects[holder]
        if is_a(owner, dict):
            if self.owner(holder) is None:
                return None
            keys, values = self._memory.then(holder)
            found = [self.slot(holder, key)[1] for key, value in zip(keys, values) if value is thing]
            return sum(found, []) or None
        if is_a(owner, types.FunctionType):
            return ["%s.%s()" % (owner.__module__, owner.__code__.co_name)]
        if is_a(owner, tuple) and is_a(thing, Cell):
            name = self._variable(holder, thing)
            return ["%s<%s>" % (self._function_of(holder).__module__, name)] if name else None
        if is_a(owner, (type, types.ModuleType)):
            return None
        label = self._label(holder, owner, thing) if shape_of(type(owner)).slots else None
        return ["." + label] if label not in (None, "", "__dict__") else None


_NO_KEY = object()


def _items(owner):
    return list(tuple.__iter__(owner)) if is_a(owner, tuple) else contents(owner, shape_of(type(owner)).group)


def _index(items, thing):
    return next((str(at) for at, item in enumerate(items) if item is thing), "?")


def _is_cache(wrapper, thing):
    """Whether a dict is what a cached function remembers, rather than its attributes or a result of it."""
    if type(thing) is not dict:
        return False
    attributes = LRU_CACHE.__dict__["__dict__"].__get__(wrapper)
    dicts = [held for held in own.referents(wrapper) if type(held) is dict and held is not attributes]
    return thing is dicts[-1]  # results come first


def _step_of_cache(wrapper, thing):
    if _is_cache(wrapper, thing):
        return ".<cache>"
    if is_a(thing, types.FunctionType):
        return ".__wrapped__"
    held = own.referents(wrapper)  # a key and a result for each call, among others
    places = [at for at, other in enumerate(held) if other is thing]
    return ".<cache>[%s]" % short(held[places[0] - 1], 1) if places and places[0] else ""


def cached_result(wrapper, key, link):
    """What a cached function remembers for a key: the link is a structure of the cache's own."""
    held = own.referents(wrapper)
    places = [at for at, other in enumerate(held) if other is key]
    return held[places[0] + 1] if places and places[0] + 1 < len(held) else link


def is_link(*values):
    """Whether one of these is a link of a bounded cache, which is chained to others."""
    return any([of_class(type(value), "__name__") == "_lru_list_elem" for value in values])


def _step_of_function(function, thing):
    if thing is function.__closure__:
        return ""
    for name in ("__defaults__", "__kwdefaults__"):
        if thing is getattr(function, name):
            return "." + name
    return ""


def _namespace(thing):
    if is_a(thing, types.ModuleType):
        return namespace_of_module(thing)
    if is_a(thing, type):
        return of_class(thing, "__dict__")
    reader = shape_of(type(thing)).namespace
    return reader(thing) if reader is not None else None


def _name_of_module(module):
    name = namespace_of_module(module).get("__name__")
    return name if is_a(name, str) else "?"


def _names_of_roots(labels):
    """`fixture db (session) of tests/conftest.py` is `fixture db` to the code that uses it."""
    return [" ".join(label.split(" ")[:2]) for label in labels if label.startswith(("fixture ", "parameter "))]
