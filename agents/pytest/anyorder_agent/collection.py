"""What collecting the suite takes of the project: code that runs, and files that are opened, before the first test.

| told | from Python |
|---|---|
| modules of the project, and which of its files had them loaded | 3.8; below, only that they are there |
| functions that ran | 3.12 |
| files that were opened, and by which file | 3.8 |
| modules of the project that are no Python code | any |

Modules that were there before the agent are told, too, without who loaded them. Knows nothing of what tests do.
"""
import sys
import types

from .opened import Project, ear, is_own, opened
from .own import own
from .shapes import is_a, namespace_of_module
from .trace import Monitoring

_EXTENSIONS = (".so", ".pyd")


class Collection:
    """Listens from the beginning, when nobody knows yet where the project is, until the tests are collected."""

    def __init__(self):
        self._loaded = {}  # by file: the file that had it loaded, or nothing if the framework did
        self._opened = set()
        self._ran = {}
        self._listener = Monitoring(self._ran) if own.monitoring is not None else None
        if self._listener is not None:
            self._listener.start()
        ear.listen(self._note)

    def _note(self, event, arguments, frame):
        if event == "exec":
            code = arguments[0]
            if type(code) is types.CodeType and code.co_name == "<module>" and is_own(code.co_filename):
                self._loaded.setdefault(code.co_filename, _caller(frame))
            return
        path = opened(event, arguments, frame)
        if path is not None and is_own(path):
            by = _caller(frame)
            if by is not None:  # the framework looks at everything
                self._opened.add((path, by))

    def end(self, root, plugins):
        """All of it, with paths relative to the root; what lies elsewhere is left out."""
        ear.rest()
        if self._listener is not None:
            self._listener.stop()
        relative = Project(root).relative
        files = {file: None for file, _ in _modules(_is_source)}
        files.update(self._loaded)
        files = {relative(file): by and relative(by) for file, by in files.items()}
        ran = {(relative(code.co_filename), code.co_qualname) for code, _ in list(self._ran.values()) if _counts(code)}
        self._ran.clear()
        was_opened = {(relative(path), relative(by)) for path, by in self._opened}
        return {
            "loaded": [{"file": file, "by": files[file]} for file in sorted(filter(None, files))],
            "functions": [{"file": file, "function": name} for file, name in sorted(filter(_is_whole, ran))],
            "opened": [{"file": path, "by": by} for path, by in sorted(filter(_is_whole, was_opened))],
            "plugins": sorted(filter(None, map(relative, _files_of(plugins)))),
            "extensions": [
                {"file": relative(file), "module": name} for file, name in _modules(_is_extension) if relative(file)
            ],
        }


def _counts(code):
    return is_own(code.co_filename) and code.co_name != "<module>"


def _is_whole(pair):
    return None not in pair


def _is_source(file):
    return file.endswith(".py")


def _is_extension(file):
    return file.endswith(_EXTENSIONS)


def _modules(is_meant):
    """Files and names of modules that may be the project's."""
    found = []
    for name, module in list(sys.modules.items()):
        file = namespace_of_module(module).get("__file__") if is_a(module, types.ModuleType) else None
        if type(file) is str and is_own(file) and is_meant(file):
            found.append((file, name))
    return found


def _files_of(plugins):
    """Files of these modules. A `conftest.py` is for those below it."""
    files = {namespace_of_module(plugin).get("__file__") for plugin in plugins if is_a(plugin, types.ModuleType)}
    return {file for file in files if type(file) is str and is_own(file) and not file.endswith("/conftest.py")}


def _caller(frame):
    """The file of the project that is at work; nothing if it is the framework."""
    while frame is not None:
        file = frame.f_code.co_filename
        if is_own(file) and not file.startswith(_HOME):
            return file
        frame = frame.f_back
    return None


_HOME = __file__.rpartition("/")[0] + "/"
