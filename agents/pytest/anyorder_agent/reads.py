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
counts as well; pytest's and the agent's does not, nor what pytest has around every test. Knows code objects; does not run anything.
"""
import itertools
import opcode
import os
import sys
import types
from array import array

from .own import own
from .shapes import MACHINERY, is_a, namespace_of_module

_NAME = own.pattern(r"[^\W\d]\w*(\.[^\W\d]\w*)*\Z")
_BY_STRING = {"getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller", "patch", "vars", "__dict__"}
LIBRARY = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_UNKNOWN = {"__name__": "?"}
_NOTHING = (), None  # is all there is to say about code of the framework's
# pytest adds its handlers before each test and removes them behind it, so that these would be read by all tests.
_AROUND_TESTS = {"logging": {"addHandler", "removeHandler"}}
PACKAGES = os.sep + "site-packages" + os.sep

# What an instruction does, as a letter: loads a Global or an Attribute, Imports a module or something From it, Extends the
# next one's argument, or is none of our business but leaves what was loaded where it is (_).
_LETTERS = {
    "LOAD_GLOBAL": b"G", "LOAD_NAME": b"G", "DELETE_GLOBAL": b"G", "DELETE_NAME": b"G", "LOAD_FROM_DICT_OR_GLOBALS": b"G",
    "LOAD_ATTR": b"A", "LOAD_METHOD": b"A", "DELETE_ATTR": b"A", "LOAD_SUPER_ATTR": b"A",
    "IMPORT_NAME": b"I", "IMPORT_FROM": b"F", "EXTENDED_ARG": b"E", "CACHE": b"_", "PUSH_NULL": b"_",
}
_TRANSLATION = bytearray(b"." * 256)
for _operation, _letter in _LETTERS.items():
    if opcode.opmap.get(_operation, 256) < 256:  # higher ones exist in the compiler only
        _TRANSLATION[opcode.opmap[_operation]] = ord(_letter)
_OF_INTEREST = own.pattern(rb"E*[GAIF]")
_GLOBAL, _IMPORT, _FROM = b"GIF"
_SHIFT = {}
if sys.version_info >= (3, 11):
    _SHIFT[opcode.opmap["LOAD_GLOBAL"]] = 1
if sys.version_info >= (3, 12):
    _SHIFT[opcode.opmap["LOAD_ATTR"]] = 1
    _SHIFT[opcode.opmap["LOAD_SUPER_ATTR"]] = 2


class Reads:
    """Names and places of code, remembered by code object.

    Code that was studied before it ran has a number. A child tells numbers, because to tell names is to copy the pages that
    they are in; whoever hears a number for the first time asks what it means.
    """

    def __init__(self, root):
        self._root = os.path.join(root, "")
        self._known = {}
        self._numbered = array("Q")  # addresses of the code that is known, sorted: the place of one is its number
        self._says_something = b""  # by number
        self._new = {}  # what was not known before the first test: to add to a large dict would be to copy it in every child
        self._namespaces = {}  # of modules, by file
        self._modules = 0  # how many were looked at for that

    def warm(self):
        """Studies all code before it runs, in a process that others are forked from."""
        self._learn_modules()
        for function in [thing for thing in own.gc_objects() if type(thing) is types.FunctionType]:
            waiting = [function.__code__]
            while waiting:
                code = waiting.pop()
                self._known[id(code)] = (code,) + self._study(code, function.__globals__, _names)
                waiting += [constant for constant in code.co_consts if type(constant) is types.CodeType]
        self._numbered = array("Q", sorted(self._known))
        self._says_something = bytes([self._known[address][1:] != _NOTHING for address in self._numbered])

    def studied(self, numbers):
        """What code with these numbers looks at, and where it is."""
        entries = [self._known[self._numbered[number]] for number in numbers]
        return [{"names": sorted(names), "code": function} for _, names, function in entries]

    def names(self, code, namespace):
        """All names that this code may look at."""
        return self._entry(code, namespace)[1]

    def _entry(self, code, namespace):
        known = self._known.get(id(code)) or self._new.get(id(code))
        if known is None:
            namespace = namespace or self._namespaces.get(code.co_filename, _UNKNOWN)
            names = _names if code.co_filename.startswith(self._root) else _mentioned
            known = self._new[id(code)] = (code,) + self._study(code, namespace, names)
        return known

    def _learn_modules(self):
        """New ones are the last; the others are not touched, because a child would have to copy the pages that they are in."""
        modules = sys.modules if is_a(sys.modules, dict) else {}
        number = dict.__len__(modules) - self._modules
        for module in list(itertools.islice(reversed(dict.values(modules)), max(number, 0))):
            namespace = namespace_of_module(module) if is_a(module, types.ModuleType) else {}
            if type(namespace.get("__file__")) is str:
                self._namespaces[namespace["__file__"]] = namespace
        self._modules = dict.__len__(modules)

    def of(self, ran):
        """The numbers of these pairs of code and globals; and of those that have none, all names that they may look at and the
        functions, without the standard library's. Globals that are not known are those of the module in the code's file."""
        self._learn_modules()
        numbers, names, functions = [], set(), []
        for code, namespace in list(ran):
            number = own.place_in(self._numbered, id(code))
            if number < len(self._numbered) and self._numbered[number] == id(code):
                if self._says_something[number]:
                    numbers.append(number)
                continue
            known = self._entry(code, namespace)
            names.update(known[1])
            if known[2] is not None:
                functions.append(known[2])
        return sorted(numbers), names, functions

    def _study(self, code, namespace, names):
        module = namespace.get("__name__")
        if not isinstance(module, str) or module.partition(".")[0] in MACHINERY:
            return _NOTHING
        if code.co_name in _AROUND_TESTS.get(module, ()):
            return _NOTHING
        return frozenset(map(sys.intern, names(code, namespace, module))), self._function(code)

    def _function(self, code):
        file = code.co_filename
        if file.startswith("<") or file.startswith(LIBRARY) and PACKAGES not in file:
            return None
        if file.startswith(self._root):
            file = file[len(self._root):]
        name = getattr(code, "co_qualname", code.co_name)
        return {"file": file, "function": name, "line": max(code.co_firstlineno, 1)}


def _mentioned(code, namespace, module):
    """Less exact, and quick: a test may load packages with thousands of functions."""
    found = {"%s.%s()" % (module, code.co_name)}
    found.update("." + name for name in code.co_names)
    found.update("%s.%s" % (module, name) for name in code.co_names if name in namespace)
    return found


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
    """Goes through the instructions; `known` is the namespace of the module that has just been loaded, if it was one."""
    known, imported, end = None, module, 0
    operations = code.co_code
    letters = operations[::2].translate(_TRANSLATION)
    for match in _OF_INTEREST.finditer(letters):
        at = match.end() - 1
        argument = int.from_bytes(operations[2 * match.start() + 1:2 * at + 2:2], "big")
        name = code.co_names[argument >> _SHIFT.get(operations[2 * at], 0)]
        if letters[end:match.start()].strip(b"_"):
            known = None
        end = at + 1
        letter = letters[at]
        if letter == _GLOBAL:
            known = _global(name, namespace, module, found)
        elif letter == _IMPORT:
            imported = _absolute(code, name, namespace, 2 * match.start())
            found.add("import " + imported)
            known = _inside(sys.modules.get(imported))
        elif letter == _FROM:
            found.update(("%s.%s" % (imported, name), "import %s.%s" % (imported, name)))
        elif known is None:
            found.add("." + name)
        else:
            found.add("%s.%s" % (known["__name__"], name))
            known = _inside(known.get(name))


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
