"""The names that code may look at, from its bytecode.

| in code | name |
|---|---|
| a global `FLAGS` of the module `shop.settings` | `shop.settings.FLAGS` |
| the same as `settings.FLAGS`, where `settings` is a module | `shop.settings.FLAGS` |
| a builtin `open` | `builtins.open` |
| an attribute of anything else | `.name` |
| `getattr(thing, "name")` and the like: every string that could be meant | `.name` |
| `import shop.settings`, `from shop.settings import FLAGS` | `import shop.settings`, `shop.settings.FLAGS` |
| a variable that functions share | `module<name>` |
| the function itself, its defaults with it | `module.name()` |

Names may be missed (`getattr` with a computed name, code in C), so they rank and never exclude. Code of the standard library
counts as well; pytest's and the agent's does not. Knows code objects; does not run anything.
"""
import opcode
import os
import sys
import types

from .own import own
from .shapes import MACHINERY

_NAME = own.pattern(r"[^\W\d]\w*(\.[^\W\d]\w*)*\Z")
_BY_STRING = {"getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller", "patch", "delitem", "setitem"}
LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
PACKAGES = os.sep + "site-packages" + os.sep

_OPERATIONS = {
    "LOAD_GLOBAL": "global", "LOAD_NAME": "global", "DELETE_GLOBAL": "global", "DELETE_NAME": "global",
    "LOAD_FROM_DICT_OR_GLOBALS": "global", "LOAD_ATTR": "attribute", "LOAD_METHOD": "attribute",
    "DELETE_ATTR": "attribute", "LOAD_SUPER_ATTR": "attribute", "IMPORT_NAME": "import", "IMPORT_FROM": "from",
    "EXTENDED_ARG": "extended", "CACHE": "nothing", "PUSH_NULL": "nothing",
}
_MEANING = {code: _OPERATIONS[name] for name, code in opcode.opmap.items() if name in _OPERATIONS}
_SHIFT = {}
if sys.version_info >= (3, 11):
    _SHIFT[opcode.opmap["LOAD_GLOBAL"]] = 1
if sys.version_info >= (3, 12):
    _SHIFT[opcode.opmap["LOAD_ATTR"]] = 1
    _SHIFT[opcode.opmap["LOAD_SUPER_ATTR"]] = 2


class Reads:
    """Names and places of code, remembered by code object."""

    def __init__(self, root):
        self._root = os.path.join(root, "")
        self._known = {}

    def of(self, ran):
        """All names that these pairs of code and globals may look at; and the functions, without the standard library's."""
        names, functions = set(), []
        for code, namespace in list(ran):
            known = self._known.get(id(code))
            if known is None:
                known = self._known[id(code)] = (code,) + self._study(code, namespace)
            names.update(known[1])
            if known[2] is not None:
                functions.append(known[2])
        return names, sorted(functions, key=lambda function: (function["file"], function["line"], function["function"]))

    def _study(self, code, namespace):
        module = namespace.get("__name__")
        if not isinstance(module, str) or module.partition(".")[0] in MACHINERY:
            return (), None
        return frozenset(map(sys.intern, _names(code, namespace, module))), self._function(code)

    def _function(self, code):
        file = code.co_filename
        if file.startswith("<") or file.startswith(LIBRARY) and PACKAGES not in file:
            return None
        if file.startswith(self._root):
            file = file[len(self._root):]
        name = getattr(code, "co_qualname", code.co_name)
        return {"file": file, "function": name, "line": max(code.co_firstlineno, 1)}


def _names(code, namespace, module):
    found = {"%s.%s()" % (module, code.co_name)}
    found.update("%s<%s>" % (module, name) for name in code.co_freevars + code.co_cellvars)
    _follow(code, namespace, module, found)
    if not _BY_STRING.isdisjoint(code.co_names):
        for constant in code.co_consts:
            if type(constant) is str and _NAME.match(constant):
                found.add("." + constant.rpartition(".")[2])
    return found


def _follow(code, namespace, module, found):
    """Goes through the instructions; `known` is the module that has just been loaded, if it was one."""
    known, extended, imported = None, 0, module
    operations = code.co_code
    for at in range(0, len(operations), 2):
        operation, argument = operations[at], operations[at + 1] | extended
        extended = 0
        meaning = _MEANING.get(operation)
        if meaning == "extended":
            extended = argument << 8
        elif meaning == "global":
            known = _global(code.co_names[argument >> _SHIFT.get(operation, 0)], namespace, module, found)
        elif meaning == "attribute":
            name = code.co_names[argument >> _SHIFT.get(operation, 0)]
            if known is None:
                found.add("." + name)
            else:
                found.add("%s.%s" % (known["__name__"], name))
                known = _inside(known.get(name))
        elif meaning == "import":
            imported = _absolute(code, code.co_names[argument], namespace, at)
            found.add("import " + imported)
            known = _inside(sys.modules.get(imported))
        elif meaning == "from":
            name = code.co_names[argument]
            found.update(("%s.%s" % (imported, name), "import %s.%s" % (imported, name)))
        elif meaning is None:
            known = None


def _global(name, namespace, module, found):
    """Notes a global; the namespace of the module that it is, if it is one."""
    if name in namespace:
        found.add("%s.%s" % (module, name))
        return _inside(namespace[name])
    found.add("builtins." + name)
    found.add("%s.%s" % (module, name))
    return None


def _inside(thing):
    if type(thing) is not types.ModuleType:
        return None
    namespace = types.ModuleType.__dict__["__dict__"].__get__(thing)
    return namespace if isinstance(namespace.get("__name__"), str) else None


def _absolute(code, name, namespace, at):
    """The full name of a module that is imported; the level is loaded two instructions earlier."""
    package = namespace.get("__package__")
    level = _level(code, at)
    if not level or not isinstance(package, str):
        return name
    base = package.split(".")
    base = base[:len(base) - level + 1]
    return ".".join(base + [name] if name else base)


def _level(code, at):
    """`LOAD_CONST level; LOAD_CONST names; IMPORT_NAME`."""
    argument = code.co_code[at - 3] if at >= 4 else 0
    if opcode.opname[code.co_code[at - 4]] == "LOAD_SMALL_INT":
        return argument
    level = code.co_consts[argument] if argument < len(code.co_consts) else 0
    return level if type(level) is int else 0
