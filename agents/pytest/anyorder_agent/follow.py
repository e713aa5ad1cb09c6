"""The verb `follow`: the lines after which a cell had changed.

A trace function looks at the cells whenever a line of the project ends: at the next line, call or return. What code of the
library, of pytest or in C does counts for the line that called it. Where another tool has the trace function, nothing is told.
Knows frames and lines; what a cell is, `Probes` knows.
"""
from .frames import Frames
from .trace import Hook


class Follower:
    """Listens between `begin` and `end`."""

    def __init__(self, watch, cells, root):
        self._watch = watch
        self._probes = watch.probes(cells)
        self._frames = Frames(root)
        self._frame = self._line = None  # what ran last, while it still runs
        self._last = None  # the place that ran last
        self._written = {}
        self._hook = Hook(self._called)

    def begin(self):
        self._written = {}
        self._frame = self._last = None
        self._probes.changed()
        self._before = self._probes.now()
        self._hook.start()

    def end(self, _):
        """What goes into the outcome: `written`."""
        self._hook.stop()
        self._look()
        self._frame = None
        now = self._probes.now()
        cells = {cell["path"]: cell for cell in self._watch.diff(False)} if self._written else {}
        as_marked = {"before": "", "after": ""}  # a cell that was changed back has no texts
        told = {path: cells.get(path, as_marked) for path in self._written}
        return {
            "written": [
                dict(stack[0], path=path, stack=stack, before=told[path]["before"], after=told[path]["after"])
                for path, stack in sorted(self._written.items())
                if stack and self._before.get(path) != now.get(path)
            ]
        }

    def _called(self, frame, event, _):
        if not self._frames.is_ours(frame):
            return None
        self._look()
        self._frame, self._line = frame, frame.f_lineno
        return self._ran

    def _ran(self, frame, event, _):
        """Before a line, and at the end of a frame."""
        self._look()
        if event == "return":
            self._last = self._frames.place(frame, frame.f_lineno)
            frame = self._frames.innermost(frame.f_back)
        self._frame = frame
        self._line = frame.f_lineno if frame is not None else None
        return self._ran

    def _look(self):
        try:
            for path in self._probes.changed():
                self._written[path] = self._stack()
        except Exception:  # deep in a recursion, for example; it must not be the test that fails
            return

    def _stack(self):
        if self._frame is not None:
            return self._frames.stack(self._frame, self._line)
        return [self._last] if self._last is not None else []
