"""The part of anyorder that rides inside pytest.

pytest starts, configures and collects as usual; then, instead of running the tests, it obeys the engine that started
it. `ANYORDER_AGENT` carries what the agent must know. The agent takes itself out of the environment and the import path
before any code of the project is imported, because suites start pytest in subprocesses.
"""
import json
import os
import sys

import pytest

from . import forked, neutral
from .collection import Collection
from .disk import Layers
from .observe import Observer
from .own import own
from .serve import Server
from .wire import Link

WIRE_VERSION = 1


def _take_orders():
    """Reads and removes every trace that starting this agent has left in the environment."""
    orders = json.loads(os.environ.pop("ANYORDER_AGENT"))
    for name, value in orders["restore"].items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    sys.path[:] = [_moved(entry, orders["moved"]) for entry in sys.path if entry != orders["path"]]
    if orders.get("random") is not None:
        forked.seed_random(orders["random"])
    return orders


def _moved(path, moved):
    """The same place in the copy of the project, for packages that are installed from its sources."""
    if moved and (path == moved[0] or path.startswith(moved[0] + os.sep)) and os.path.exists(_in_copy(path, moved)):
        return _in_copy(path, moved)
    return path


def _in_copy(path, moved):
    return moved[1] + path[len(moved[0]):]


def _strays(moved):
    """Modules that come from the project itself although the tests run in a copy of it."""
    if not moved:
        return []
    left_in_place = os.sep + "site-packages" + os.sep  # a virtual environment inside the project
    files = {name: getattr(module, "__file__", None) or "" for name, module in list(sys.modules.items())}
    return sorted(
        name for name, file in files.items() if file.startswith(moved[0] + os.sep) and left_in_place not in file
    )


_orders = _take_orders()
_link = Link(_orders["socket"])
_layers = Layers(_orders["layers"]) if _orders["layers"] else None
_errors = []
_collection = Collection() if _orders.get("records") else None


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config):
    neutral.before_conftests(early_config)
    yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_cmdline_main(config):
    overridden = neutral.after_parsing(config)
    _link.send(_hello(config, overridden))
    yield


@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    forked.own_directories(config, "%s/%d" % (_orders["scratch"], _orders["node"]), _layers)


def pytest_collectreport(report):
    if report.failed:
        text = str(report.longrepr).strip()
        lines = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
        _errors.append({"at": report.nodeid, "message": (lines or text.splitlines() or [""])[-1][:300]})


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    config = session.config
    collection = None
    if _collection is not None:
        collection = _collection.end(str(config.rootpath), config.pluginmanager.get_plugins())
    observer = Observer(str(config.rootpath) + os.sep)
    config.pluginmanager.register(observer, "anyorder-observer")
    neutral.silence(config)
    session.testsfailed = 0
    own.collect_garbage()  # what survives is old by now, so that a child's own collections leave it alone
    _link.send(
        {
            "say": "ready",
            "tests": len(session.items),
            "errors": _errors,
            "strays": _strays(_orders["moved"]),
            "can_fork": forked.is_possible(),
            "can_watch": True,
            "can_layer": _layers is not None and _layers.can_add(),
            "threads": forked.threads(),
            "connections": forked.held_connections(_link.descriptor) if forked.is_possible() else [],
        }
    )
    Server(session, _link, observer, _orders["socket"], _orders["scratch"], _layers, collection).obey()
    return True


def _hello(config, overridden):
    distributions = config.pluginmanager.list_plugin_distinfo()
    options, targets = _typed(config)
    return {
        "say": "hello",
        "wire": WIRE_VERSION,
        "node": _orders["node"],
        "pid": own.getpid(),
        "framework": "pytest " + pytest.__version__,
        "language": "python %d.%d.%d" % sys.version_info[:3],
        "executable": sys.executable,
        "directory": str(config.invocation_params.dir),
        "root": str(config.rootpath),
        "options": options,
        "targets": targets,
        "overridden": overridden,
        "environment": dict(os.environ),
        "search_path": [entry for entry in sys.path if isinstance(entry, str)],
        "plugins": sorted({"%s %s" % (dist.project_name, dist.version) for _, dist in distributions}),
    }



def _typed(config):
    """What was typed, apart: options with their values, and what to run. `-k tests tests` names `tests` twice."""
    options = [str(argument) for argument in config.invocation_params.args]
    targets = []
    for target in reversed(config.option.file_or_dir):
        if target in options:
            at = len(options) - 1 - options[::-1].index(target)
            targets.insert(0, options.pop(at))
    return options, targets
