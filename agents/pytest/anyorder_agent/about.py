"""The verb `about`: what somebody has to know who writes code about a cell.

Which module owns it, how Python says what holds it, and what stood there at the mark. Knows cells that have changed, and finds
those that have not; `expression.py` knows what Python can follow, `source.py` what can be written down.
"""
import os

from .cells import FACT, NAMESPACE
from .contents import type_name
from .expression import expression_of, module_of
from .find import holders
from .own import own
from .process import DECIMAL, context_variables
from .shapes import ABSENT, BUFFER, DEQUE, DICT, LIST, ORDERED, SET, SLOTS
from .shapes import Cell, is_a, namespace_of_module, shape_of
from .source import literal

_AT_A_TIME = 50


class Guide:
    """Tells about cells of what a [`Memory`] remembers."""

    def __init__(self, memory, names, teller, project, root):
        """`project` has its modules by their names."""
        self._memory = memory
        self._names = names
        self._teller = teller
        self._project = project
        self._root = os.path.join(root, "")

    def told(self, path, change):
        """What is known of a cell; `change` is how it has changed, or nothing."""
        change = change or self._unchanged(path)
        if change is None:
            return dict(self._owner(path), path=path)
        told = {"path": path, "kind": change.kind}
        told.update(self._value(change))
        thing, key = self._holder(change)
        if thing is not None:
            told["holder"] = type_name(type(thing))
            told["key"] = key
            told["expression"] = self._expression(thing)
        told.update(self._owner(told.get("expression") or path))
        return told

    def _unchanged(self, path):
        """A change of a cell that is as it was: as if it were gone."""
        for holder in holders(self._memory, self._names, [path]) + self._teller.environment([path]):
            then = self._memory.then(self._memory.place(holder))
            shape = shape_of(type(holder))
            for before, after in _gone(shape, then):
                for change in self._teller.changes([(holder, shape.group, before, after)]):
                    if change.path == path:
                        return change
        return None

    def _value(self, change):
        """Class and source of what was there; not of several things at once, nor of what is only a text about the process."""
        is_told = len(change.slots) == 1 and change.kind != "cache"
        if change.group == FACT:
            is_told = change.kind == "context" and DECIMAL not in change.path
        if not is_told or change.old is ABSENT:
            return {}
        return {"class": type_name(type(change.old)), "literal": literal(change.old, self._memory)}

    def _holder(self, change):
        """What holds a cell, and by which key or name."""
        if change.group == FACT:
            return context_variables().get(change.path), None
        if change.group is None:
            return None, None
        key, old, new = change.slots[0] if len(change.slots) == 1 else (None, ABSENT, ABSENT)
        holder = change.holder
        if change.kind == "environment":
            return own.environ, repr(os.fsdecode(key))
        if change.group in (DICT, ORDERED):
            return self._holder_in_dict(holder, key)
        if is_a(holder, Cell):
            return self._names.sharer(self._memory.place(holder))
        if change.group in (SLOTS, NAMESPACE):
            return holder, key
        if change.group == SET:
            return holder, literal(old if new is ABSENT else new, self._memory) if len(change.slots) == 1 else None
        return holder, ":" if change.group == BUFFER else _index(key)

    def _holder_in_dict(self, holder, key):
        place = self._memory.place(holder)
        cached = self._names.cache_of(place)
        if cached is not None:
            return cached, None
        owner = self._names.owner(place)
        if owner is not None and is_a(key, str):
            return owner, key
        return holder, None if key is None else literal(key, self._memory)

    def _expression(self, thing):
        """By the project's names, if it has some and others have no simple one."""
        paths = [self._names.path_of(thing)] + list(self._aliases(thing))
        found = [expression_of(path, thing) for path in paths if path is not None]
        return min([text for text in found if text is not None], key=self._rank, default=None)

    def _aliases(self, thing):
        for name, module in self._project.items():
            for key, value in list(namespace_of_module(module).items()):
                if value is thing and is_a(key, str):
                    yield "%s.%s" % (name, key)

    def _rank(self, text):
        module = module_of(text, self._memory.modules)
        if module in self._memory.library and text.partition("(")[0].count(".") <= module.count(".") + 1:
            return 0
        return 1 if module in self._project else 2

    def _owner(self, path):
        """The module that a path or an expression begins with."""
        module = module_of(path, self._memory.modules)
        if module is None:
            return {}
        file = namespace_of_module(self._memory.module(module)).get("__file__")
        if not is_a(file, str):
            return {"module": module}
        return {"module": module, "file": file[len(self._root):] if file.startswith(self._root) else file}


def _gone(shape, then):
    """Contents, and the same with some of them gone: with more, they would be told as one."""
    group = shape.group
    if group in (DICT, ORDERED):
        keys, values = then
        for at in range(0, len(keys), _AT_A_TIME):
            yield (keys[at:at + _AT_A_TIME], values[at:at + _AT_A_TIME]), ((), ())
    elif group == SET:
        for at in range(0, len(then), _AT_A_TIME):
            yield then[at:at + _AT_A_TIME], ()
    elif group in (LIST, DEQUE):
        for at in range(0, len(then), _AT_A_TIME):
            rest = then[at + _AT_A_TIME:]
            yield then, then[:at] + [ABSENT] * (len(then) - at - len(rest)) + rest
    elif group == SLOTS:
        # A namespace has a holder of its own.
        yield then, tuple([old if label == "__dict__" else ABSENT for label, old in zip(shape.labels, then)])


def _index(key):
    if is_a(key, slice):
        return "%d:" % key.start
    return None if key is None else str(key)
