"""The names that code stores, or changes the contents of, from its bytecode: a global as `module.name`, an attribute of anything as
`.name`.

Strings count where code sets attributes by strings (`setattr`, `monkeypatch.setattr`, `patch`). What a module or a class
says once, when it is made, is no store. Contents change where a method like `append` is called on a name, where an item is
set or deleted in a line that loads it, or in a function that does so with a variable of its own which holds the same.
Knows code objects; does not run anything.
"""
import opcode
import types

from .frames import instructions
from .own import own

_NAME = own.pattern(r"([^\W\d]\w*\.)*([^\W\d]\w*)\Z")
_BY_STRING = {"setattr", "delattr", "patch"}
_LETTERS = {"STORE_GLOBAL": b"G", "DELETE_GLOBAL": b"G", "STORE_ATTR": b"A", "DELETE_ATTR": b"A", "EXTENDED_ARG": b"E"}
_TRANSLATION = bytearray(b"." * 256)
for _operation, _letter in _LETTERS.items():
    _TRANSLATION[opcode.opmap[_operation]] = ord(_letter)
_STORE = own.pattern(rb"E*[GA]")


_CHANGING = {
    "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft", "insert",
    "intersection_update", "move_to_end", "pop", "popitem", "popleft", "remove", "reverse", "rotate", "setdefault", "sort",
    "symmetric_difference_update", "update",
}
_CHANGING_ITEMS = {"STORE_SUBSCR", "DELETE_SUBSCR"}
_CHANGING_ARGUMENTS = {"setitem", "delitem", "patch"}  # of `monkeypatch` and `mock`
_PASSED_OVER = {"CACHE", "PUSH_NULL"}


def stored_names(functions):
    """All names that these functions, and those inside them, may store."""
    return {name for code, module in _codes(functions) for name in _stores(code, module)}


def changed_names(functions):
    """All names whose contents these functions, and those inside them, may change."""
    return {name for code, module in _codes(functions) for name in _changes(code, module)}


def _codes(functions):
    for function in functions:
        waiting = [function.__code__]
        while waiting:
            code = waiting.pop()
            yield code, function.__globals__.get("__name__")
            waiting += [constant for constant in code.co_consts if type(constant) is types.CodeType]


def _changes(code, module):
    found, held, loaded, lines, before = set(), set(), {}, set(), None
    for line, instruction in instructions(code):
        operation, name = instruction.opname, _loaded(instruction, module)
        if operation in _PASSED_OVER:
            continue
        if operation in _CHANGING_ITEMS or instruction.argval in _CHANGING_ARGUMENTS:
            lines.add(line)
        elif name is not None and name[1:] in _CHANGING:
            found.add(before)
        elif operation.startswith("STORE_FAST") and not str(instruction.argval).startswith("@"):  # pytest's, for `assert`
            held.add(before)
        loaded.setdefault(line, set()).add(name)
        before = name
    if found or lines:
        found.update(held, *[loaded[line] for line in lines])
    return found - {None}


def _loaded(instruction, module):
    if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
        return "%s.%s" % (module, instruction.argval)
    return "." + instruction.argval if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") else None


def _stores(code, module):
    operations = code.co_code
    letters = operations[::2].translate(_TRANSLATION)
    for match in _STORE.finditer(letters):
        at = match.end() - 1
        name = code.co_names[int.from_bytes(operations[2 * match.start() + 1:2 * at + 2:2], "big")]
        yield "%s.%s" % (module, name) if letters[at:at + 1] == b"G" else "." + name
    if not _BY_STRING.isdisjoint(code.co_names):
        for constant in code.co_consts:
            match = _NAME.match(constant) if type(constant) is str else None
            if match:
                yield "." + match.group(2)
