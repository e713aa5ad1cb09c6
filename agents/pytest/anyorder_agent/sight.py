"""The verb `sight`: the lines that load a name, of those that run.

`Reads` knows which code mentions a name at all; only that code is traced line by line. A line of the library that loads a name
counts for the line of the project that led there. Where another tool has the trace function, nothing is told.
"""
from .frames import Frames, instructions
from .trace import Hook

_BY_VARIABLE = ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF")
_BY_GLOBAL = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_BY_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM")
_CALL = 0  # stands for the line of a function itself
_BY_IMPORT = ("IMPORT_NAME", "IMPORT_FROM")


class Sight:
    """Listens between `begin` and `end`."""

    def __init__(self, reads, names, root):
        self._reads = reads
        self._names = set(names)
        self._arguments = {name.partition(" ")[2]: name for name in names if name.startswith(("fixture ", "parameter "))}
        self._frames = Frames(root)
        self._lines = {}  # by code: the names that each line loads
        self._seen = set()
        self._hook = Hook(self._called)

    def begin(self):
        self._seen.clear()
        self._hook.start()

    def end(self, _):
        """What goes into the outcome: `read`."""
        self._hook.stop()
        fields = ("file", "line", "function", "name")
        return {"read": [dict(zip(fields, seen)) for seen in sorted(self._seen)]}

    def _called(self, frame, event, _):
        try:
            lines = self._lines_of(frame)
            for name in lines.get(_CALL, ()):
                self._note(name, frame)
            return self._ran if lines else None
        except Exception:  # deep in a recursion, for example; it must not be the test that fails
            return None

    def _ran(self, frame, event, _):
        if event == "line":
            try:
                for name in self._lines_of(frame).get(frame.f_lineno, ()):
                    self._note(name, frame)
            except Exception:
                return None
        return self._ran

    def _lines_of(self, frame):
        known = self._lines.get(id(frame.f_code))
        if known is None:
            known = self._lines[id(frame.f_code)] = frame.f_code, self._study(frame)
        return known[1]

    def _note(self, name, frame):
        frame = self._frames.innermost(frame)
        if frame is not None:
            place = self._frames.place(frame, frame.f_lineno)
            self._seen.add((place["file"], place["line"], place["function"], name))

    def _study(self, frame):
        """The names that each line of a code object loads."""
        code, found = frame.f_code, {}
        names = self._names.intersection(self._reads.names(code, frame.f_globals))
        arguments = set(code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]) & set(self._arguments)
        if not names and not (arguments and self._frames.is_ours(frame)):
            return found
        for line, instruction in instructions(code):
            loaded = {name for name in names if _loads(instruction, name, frame.f_globals.get("__name__"))}
            loaded |= {self._arguments[name] for name in arguments if _loads_argument(instruction, name)}
            if loaded:
                found.setdefault(line, set()).update(loaded)
        found[_CALL] = {name for name in names if name.endswith("()")}
        return found


def _loads(instruction, name, module):
    operation, value = instruction.opname, instruction.argval
    if name.endswith(">"):
        return operation in _BY_VARIABLE and value == name[name.index("<") + 1:-1]
    if name.startswith("import "):
        return operation in _BY_IMPORT and name.endswith(value)
    owner, _, last = name.rpartition(".")
    if operation == "LOAD_CONST":
        return not owner and type(value) is str and value.rpartition(".")[2] == last
    return value == last and operation in (_BY_GLOBAL if owner in (module, "builtins") else _BY_ATTRIBUTE)


def _loads_argument(instruction, name):
    operation, value = instruction.opname, instruction.argval
    if operation.startswith("LOAD_FAST"):
        return value == name or type(value) is tuple and name in value
    return operation in _BY_VARIABLE and value == name
