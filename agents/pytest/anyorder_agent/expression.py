"""Expressions for objects: paths that Python can follow too, followed by hand.

No code of the project's runs: what only a property or a `__getattr__` would find is not found. Knows modules as they are now,
and what hangs below them; `names.py` makes the paths.
"""
import ast
import functools
import logging
import sys
import types
from collections import deque

from .own import own
from .shapes import ABSENT, LRU_CACHE, Cell, is_a, namespace_of_module, of_class, shape_of

_CLOSURE = ".<closure "
_BUILT_IN = {
    types.FunctionType: ("__defaults__", "__kwdefaults__", "__closure__"),
    types.MethodType: ("__self__", "__func__"),
    functools.partial: ("func", "args", "keywords"),
    property: ("fget", "fset", "fdel"),
    Cell: ("cell_contents",),
}


class _Lost(Exception):
    """An expression does not lead anywhere."""


def expression_of(path, thing):
    """An expression for what a path leads to, if that is this thing; else nothing."""
    try:
        text = _in_python(path)
        return text if _follow(own.parse(text, "", "eval").body) is thing else None
    except (_Lost, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def module_of(path, modules):
    """The longest beginning of a path that names one of these modules, or nothing."""
    name = path.partition("[")[0].partition("(")[0].partition("<")[0].rstrip(".")
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def _in_python(path):
    """Variables that functions share have a way of their own to be written."""
    while _CLOSURE in path:
        before, _, rest = path.partition(_CLOSURE)
        name, _, after = rest.partition(">")
        function = _follow(own.parse(before, "", "eval").body)
        if type(function) is not types.FunctionType or name not in function.__code__.co_freevars:
            raise _Lost
        at = function.__code__.co_freevars.index(name)
        path = "%s.__closure__[%d].cell_contents%s" % (before, at, after)
    return path


def _follow(node):
    if is_a(node, ast.Name):
        return _found(sys.modules.get(node.id, ABSENT))
    if is_a(node, ast.Attribute):
        return _attribute(_follow(node.value), node.attr)
    if is_a(node, ast.Subscript):
        key = node.slice.value if type(node.slice).__name__ == "Index" else node.slice  # Python 3.8
        return _item(_follow(node.value), own.literal(key))
    if is_a(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        return _logger(_follow(node.func), own.literal(node.args[0]))
    raise _Lost


def _found(thing):
    if thing is ABSENT:
        raise _Lost
    return thing


def _logger(function, name):
    if function is not logging.getLogger:
        raise _Lost
    return _found(logging.Logger.manager.loggerDict.get(name, ABSENT))


def _item(thing, key):
    for kind in (dict, list, tuple, deque):
        if is_a(thing, kind):
            try:
                return kind.__getitem__(thing, key)
            except (LookupError, TypeError):
                raise _Lost from None
    raise _Lost


def _attribute(thing, name):
    if is_a(thing, types.ModuleType):
        return _found(namespace_of_module(thing).get(name, ABSENT))
    if is_a(thing, type):
        return _unwrapped(_found(_of_class(thing, name)))
    if name in _BUILT_IN.get(type(thing), ()):
        return _found(_built_in(thing, name))
    on_class = _of_class(type(thing), name)
    if hasattr(type(on_class), "__set__") and not is_a(on_class, types.MemberDescriptorType):
        raise _Lost  # a property, or the like
    held = _held(thing, name)
    return held if held is not ABSENT else _unwrapped(_found(on_class))


def _built_in(thing, name):
    try:
        return getattr(thing, name)
    except ValueError:
        return ABSENT  # a variable that has no value


def _held(thing, name):
    """What an object itself has under a name."""
    shape = shape_of(type(thing))
    if type(thing) in (types.FunctionType, LRU_CACHE):
        return thing.__dict__.get(name, ABSENT)
    if shape.namespace is not None:
        value = dict.get(shape.namespace(thing), name, ABSENT)
        if value is not ABSENT:
            return value
    return next((value for label, value in zip(shape.labels, shape.values(thing)) if label == name), ABSENT)


def _of_class(kind, name):
    spaces = [of_class(base, "__dict__") for base in of_class(kind, "__mro__")]
    return next((space[name] for space in spaces if name in space), ABSENT)


def _unwrapped(thing):
    return thing.__func__ if is_a(thing, (staticmethod, classmethod)) else thing
