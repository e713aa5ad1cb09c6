"""The verb `swap`: a function of a test file becomes another one, in this process and in those forked from it.

Everybody who holds the function keeps it: decorators, fixtures, parametrized tests. It only gets other code, compiled as
pytest would have compiled it. Knows functions and code; does not know why they are changed.
"""
import __future__

import sys
import warnings

from _pytest.assertion.rewrite import rewrite_asserts

from .own import own

_KINDS = 0x20 | 0x80 | 0x200  # generators, coroutines, asynchronous generators
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag
_CODE = type((lambda: None).__code__)
_FUNCTION = type(lambda: None)
_MODULE = type(sys)
_CELL = type((lambda it: lambda: it)(None).__closure__[0])
_MOST_LOOKED_AT = 200


class Invalid(Exception):
    """The new function does not compile."""


class Unswappable(Exception):
    """The function has to be changed in its file."""


def swap(session, file, names, text):
    """Gives a function the code that it has in `text`, a file with nothing else in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whoever compiled the file has heard them
        _swap(session, file, names, text)


def _swap(session, file, names, text):
    path = str(session.config.rootpath / file)
    module = _module(session, path)
    if module is None:
        raise Unswappable("no module was imported from it")
    try:
        tree = own.parse(text, path)
        plain = _code_of(own.compile(text, path, "exec", 0, True), names)
    except (SyntaxError, ValueError) as error:
        raise Invalid("%s: %s" % (type(error).__name__, error))
    if plain is None:
        raise Unswappable("its code was not found")
    functions = _functions(vars(module), names, plain)
    if not functions:
        raise Unswappable("nobody holds it any more")
    if "@pytest_ar" in vars(module):
        rewrite_asserts(tree, text.encode("utf-8", "surrogatepass"), path, session.config)
    flags = functions[0].__code__.co_flags & _FUTURE
    code = _code_of(own.compile(tree, path, "exec", flags, True), names)
    for function in functions:
        old = function.__code__
        if code.co_freevars != old.co_freevars:
            raise Unswappable("it closes over other names")
        if (code.co_flags ^ old.co_flags) & _KINDS:
            raise Unswappable("it becomes a function of another kind")
    for function in functions:
        function.__code__ = code


def _module(session, path):
    """The module that was made of a file; test modules and conftest files need not be importable by their names."""
    for item in session.items:
        module = getattr(item, "module", None)
        if module is not None and vars(module).get("__file__") == path:
            return module
    for module in list(session.config.pluginmanager.get_plugins()) + list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        if type(names) is dict and names.get("__file__") == path:
            return module
    return None


def _code_of(code, names):
    """The code of a definition; the last one counts if there are several."""
    for name in names:
        found = [inner for inner in code.co_consts if type(inner) is _CODE and inner.co_name == name]
        if not found:
            return None
        code = found[-1]
    return code


def _functions(namespace, names, code):
    """The functions that were made of a definition, however they are decorated."""
    for name in names[:-1]:
        namespace = getattr(namespace.get(name), "__dict__", {})
    open_, seen, found = [namespace.get(names[-1])], set(), []
    while open_ and len(seen) < _MOST_LOOKED_AT:
        it = open_.pop()
        if id(it) in seen:
            continue
        seen.add(id(it))
        if type(it) is _FUNCTION:
            own_code = it.__code__
            if own_code.co_name == code.co_name and own_code.co_firstlineno == code.co_firstlineno:
                found.append(it)
            open_.extend(cell for cell in it.__closure__ or ())
            open_.extend(it.__dict__.values())
        elif type(it) is _CELL:
            try:
                open_.append(it.cell_contents)
            except ValueError:  # it is empty
                pass
        else:
            open_.extend(_held(it))
    return found


def _held(it):
    """What a wrapper holds: a method, a partial, a fixture's definition, a handle of a plugin's."""
    if isinstance(it, (type, _MODULE, str, bytes, int, float)) or it is None:
        return
    for name in ("__func__", "__wrapped__", "func", "fget"):
        try:
            held = object.__getattribute__(it, name)
        except Exception:
            continue
        yield held
    names = getattr(it, "__dict__", None)
    if type(names) is dict:
        yield from names.values()
