"""The names that code stores, from its bytecode: a global as `module.name`, an attribute of anything as `.name`.

Strings count where code sets attributes by strings (`setattr`, `monkeypatch.setattr`, `patch`). What a module or a class
says once, when it is made, is no store. Knows code objects; does not run anything.
"""
import opcode
import types

from .own import own

_NAME = own.pattern(r"([^\W\d]\w*\.)*([^\W\d]\w*)\Z")
_BY_STRING = {"setattr", "delattr", "patch"}
_LETTERS = {"STORE_GLOBAL": b"G", "DELETE_GLOBAL": b"G", "STORE_ATTR": b"A", "DELETE_ATTR": b"A", "EXTENDED_ARG": b"E"}
_TRANSLATION = bytearray(b"." * 256)
for _operation, _letter in _LETTERS.items():
    _TRANSLATION[opcode.opmap[_operation]] = ord(_letter)
_STORE = own.pattern(rb"E*[GA]")


def stored_names(functions):
    """All names that these functions, and those inside them, may store."""
    found = set()
    for function in functions:
        module = function.__globals__.get("__name__")
        waiting = [function.__code__]
        while waiting:
            code = waiting.pop()
            found.update(_stores(code, module))
            waiting += [constant for constant in code.co_consts if type(constant) is types.CodeType]
    return found


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
