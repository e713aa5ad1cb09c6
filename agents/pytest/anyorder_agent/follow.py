"""The verb `follow`: the lines after which a cell had changed.

A trace function looks at the cells whenever a line of the project ends: at the next line, call or return. What code of the
library, of pytest or in C does counts for the line that called it. Where another tool has the trace function, nothing is told.
Knows frames and lines; what a cell is, `Probes` knows.
"""
import os
import threading

from .own import own
from .reads import LIBRARY, PACKAGES
from .shapes import MACHINERY

_OTHERS = MACHINERY | {"__main__"}  # what has started pytest
_DEEPEST = 10


class Follower:
    """Listens between `begin` and `end`."""

    def __init__(self, watch, cells, root):
        self._watch = watch
        self._probes = watch.probes(cells)
        self._root = os.path.join(root, "")
        self._is_ours = {}
        self._frame = self._line = None  # what ran last, while it still runs
        self._last = None  # the place that ran last
        self._written = {}

    def begin(self):
        self._written = {}
        self._frame = self._last = None
        self._probes.changed()
        self._before = self._probes.now()
        if own.tracer() is None:
            own.set_tracer(self._called)
            if threading._trace_hook is None:
                own.set_tracer_of_threads(self._called)

    def end(self):
        """What goes into the outcome: `written`."""
        if own.tracer() == self._called:
            own.set_tracer(None)
        if threading._trace_hook == self._called:
            own.set_tracer_of_threads(None)
        self._look()
        self._frame = None
        now = self._probes.now()
        cells = {cell["path"]: cell for cell in self._watch.diff(False)} if self._written else {}
        return {
            "written": [
                dict(stack[0], path=path, stack=stack, before=cells[path]["before"], after=cells[path]["after"])
                for path, stack in sorted(self._written.items())
                if stack and path in cells and self._before.get(path) != now.get(path)
            ]
        }

    def _called(self, frame, event, _):
        if not self._is_project(frame):
            return None
        self._look()
        self._frame, self._line = frame, frame.f_lineno
        return self._ran

    def _ran(self, frame, event, _):
        """Before a line, and at the end of a frame."""
        self._look()
        if event == "return":
            self._last = self._place(frame, frame.f_lineno)
            frame = frame.f_back
            while frame is not None and not self._is_project(frame):
                frame = frame.f_back
        self._frame = frame
        self._line = frame.f_lineno if frame is not None else None
        return self._ran

    def _look(self):
        for path in self._probes.changed():
            self._written[path] = self._stack()

    def _stack(self):
        """The frames of the project, innermost first."""
        frame, line, found = self._frame, self._line, []
        while frame is not None and len(found) < _DEEPEST:
            if self._is_project(frame):
                found.append(self._place(frame, line))
            frame = frame.f_back
            line = frame.f_lineno if frame is not None else None
        return found or ([self._last] if self._last is not None else [])

    def _place(self, frame, line):
        code = frame.f_code
        file = code.co_filename
        if file.startswith(self._root):
            file = file[len(self._root):]
        return {"file": file, "line": line or code.co_firstlineno, "function": getattr(code, "co_qualname", code.co_name)}

    def _is_project(self, frame):
        code = frame.f_code
        known, _ = self._is_ours.get(id(code), (None, None))
        if known is None:
            file, module = code.co_filename, frame.f_globals.get("__name__")
            is_of_library = file.startswith("<") or file.startswith(LIBRARY) and PACKAGES not in file
            is_of_machinery = isinstance(module, str) and module.partition(".")[0] in _OTHERS
            known = not (is_of_library or is_of_machinery)
            self._is_ours[id(code)] = known, code  # kept, so that no other gets its address
        return known
