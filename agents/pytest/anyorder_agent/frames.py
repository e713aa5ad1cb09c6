"""Which frames are the project's, how their places are told, and which lines instructions are of.

Packages that the project uses count as its own here; the standard library, pytest and the agent do not. Knows frames; does not
know why anybody asks.
"""
import dis
import os

from .reads import LIBRARY, PACKAGES
from .shapes import MACHINERY

_OTHERS = MACHINERY | {"__main__"}  # what has started pytest
_DEEPEST = 10


class Frames:
    """Frames of one process; `root` is the suite's."""

    def __init__(self, root):
        self._root = os.path.join(root, "")
        self._known = {}

    def is_ours(self, frame):
        code = frame.f_code
        known = self._known.get(id(code))
        if known is None:
            file, module = code.co_filename, frame.f_globals.get("__name__")
            is_of_library = file.startswith("<") or file.startswith(LIBRARY) and PACKAGES not in file
            is_of_machinery = isinstance(module, str) and module.partition(".")[0] in _OTHERS
            known = self._known[id(code)] = not (is_of_library or is_of_machinery), code  # no other gets its address
        return known[0]

    def innermost(self, frame):
        """The first one of the project's, from here outwards."""
        while frame is not None and not self.is_ours(frame):
            frame = frame.f_back
        return frame

    def place(self, frame, line):
        code = frame.f_code
        file = code.co_filename
        if file.startswith(self._root):
            file = file[len(self._root):]
        return {"file": file, "line": line or code.co_firstlineno, "function": getattr(code, "co_qualname", code.co_name)}

    def stack(self, frame, line):
        """Places, the innermost first, which is at `line`."""
        found = []
        while frame is not None and len(found) < _DEEPEST:
            found.append(self.place(frame, line))
            frame = self.innermost(frame.f_back)
            line = frame.f_lineno if frame is not None else None
        return found


def instructions(code):
    """Those of a code object, each behind its line."""
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        if hasattr(instruction, "line_number"):  # from Python 3.13 on
            line = instruction.line_number or line
        else:
            line = instruction.starts_line or line
        yield line, instruction
