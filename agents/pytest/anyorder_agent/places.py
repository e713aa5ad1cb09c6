"""The verbs `places` and `perturb`: cells of the project that something could change, and changing one.

A scalar is a place if code of the project stores its name; a container, if code stores its name or changes what it holds:
there is no sense in emptying a table of constants. They stand in modules of the project, in its
classes, and in objects that its modules hold. Members of enumerations, and names with two underscores on both sides, are
left alone. Knows where values stand; `perturb.py` knows how they are changed.
"""
import enum
import types

from .contents import short
from .perturb import empty, extend, is_container, is_scalar, other, ways
from .put import Refused, putter
from .shapes import DICT, SLOTS, is_a, namespace_of_module, of_class, own_members, shape_of
from .stores import changed_names, stored_names
from .wire import without_surrogates


class _Place:
    """A value, and the name under which it stands in a holder."""

    __slots__ = ("path", "kind", "value", "names", "write")

    def __init__(self, path, kind, value, names, write):
        self.path = path
        self.kind = kind
        self.value = value
        self.names = names
        self.write = write  # puts another value there


class Places:
    """Those of some modules of the project, in what a [`Memory`] remembers."""

    def __init__(self, modules, memory, names):
        """`modules` by their names."""
        self._modules = modules
        self._beginnings = tuple([name + "." for name in modules])  # of paths
        self._memory = memory
        self._names = names

    def told(self, functions):
        """All of them, as they are told on the wire; `functions` are those that may store something."""
        functions = [function for function in functions if self._is_ours(function.__module__)]
        stored = stored_names(functions)
        changed = stored | changed_names(functions)
        could_change = [
            place
            for place in self._all()
            if not (changed if is_container(place.value) else stored).isdisjoint(place.names)
        ]
        told = [
            {
                "path": place.path, "kind": place.kind, "before": short(place.value),
                "names": place.names, "ways": ways(place.value),
            }
            for place in could_change
        ]
        return [place for place in told if place["ways"]]

    def perturb(self, path, way):
        """Changes one; what is there now, in short."""
        place = next((place for place in self._all() if without_surrogates(place.path) == path), None)
        if place is None or way not in ways(place.value):
            raise Refused("there is nothing like that")
        if way != "other":
            (empty if way == "emptied" else extend)(place.value)
            return short(place.value)
        place.write(other(place.value))
        return short(other(place.value))

    def _is_ours(self, module):
        return type(module) is str and module in self._modules

    def _all(self):
        """Each once: a container that has several names goes by its own path."""
        known = set()
        for place in self._slots():
            if place.path not in known:
                known.add(place.path)
                yield place

    def _slots(self):
        classes = {}
        for name, module in self._modules.items():
            namespace = namespace_of_module(module)
            yield from self._in_namespace(namespace, "global", module, name, [name])
            for value in list(dict.values(namespace)):
                if is_a(value, type):
                    self._add_class(value, classes)
                elif self._is_object(value):
                    yield from self._in_object(value)
        for kind in classes.values():
            path = self._names.path_of(kind)
            if path is not None:
                yield from self._in_namespace(of_class(kind, "__dict__"), "class-attribute", kind, path, [])

    def _add_class(self, kind, classes):
        """With those inside it."""
        if id(kind) in classes or is_a(kind, enum.EnumMeta) or not self._is_ours(of_class(kind, "__module__")):
            return
        classes[id(kind)] = kind
        for value in list(of_class(kind, "__dict__").values()):
            if is_a(value, type):
                self._add_class(value, classes)

    def _is_object(self, value):
        """Whether it is an object whose attributes are the project's business."""
        kind = type(value)
        if kind is types.SimpleNamespace:
            return True
        return self._is_ours(of_class(kind, "__module__")) and not is_a(kind, enum.EnumMeta)

    def _in_object(self, thing):
        path = self._names.path_of(thing)
        shape = shape_of(type(thing))
        if path is None or shape.group != SLOTS:
            return
        if shape.namespace is not None:
            yield from self._in_namespace(shape.namespace(thing), "attribute", thing, path, [])
        members = {name for base in of_class(type(thing), "__mro__") for name, _ in own_members(base)}
        for name, value in zip(shape.labels, shape.values(thing)):
            if name in members:
                write = _writer(SLOTS, thing, None, name, value)
                yield from self._in_slot(value, "attribute", path, name, [], write)

    def _in_namespace(self, namespace, kind, owner, path, modules):
        for key, value in list(namespace.items()):
            if is_a(key, str) and not (key.startswith("__") and key.endswith("__")):
                yield from self._in_slot(value, kind, path, key, modules, _writer(DICT, namespace, owner, key, value))

    def _in_slot(self, value, kind, path, key, modules, write):
        if is_scalar(value):
            names = ["%s.%s" % (module, key) for module in modules] + ["." + key]
            yield _Place("%s.%s" % (path, key), kind, value, names, write)
        elif is_container(value):
            place = self._memory.place(value)
            if place is not None and self._is_shared_state(value, place):
                yield _Place(self._names.path(place), kind, value, self._names.known_as(place), None)

    def _is_shared_state(self, container, place):
        """Whether it is the project's, and neither a namespace nor a cache."""
        if is_a(container, dict) and (self._names.owner(place) is not None or self._names.cache_of(place) is not None):
            return False
        return self._names.path(place).startswith(self._beginnings)


def _writer(group, holder, owner, key, old):
    return lambda new: putter(group, holder, owner, None, None, False).put(key, new, old)
