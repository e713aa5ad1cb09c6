"""Tests that depend on each other stay together, and run in an order that respects it. Written by `anyorder deps`.

    PYTHONPATH=. pytest -p MODULE
    PYTHONPATH=. pytest -p MODULE -n 4      (with pytest-xdist)
"""
import pytest

GROUPS = []

PLACES = {test: (number, at) for number, group in enumerate(GROUPS) for at, test in enumerate(group)}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    starts = {}
    for at, item in enumerate(items):
        if item.nodeid in PLACES:
            starts.setdefault(PLACES[item.nodeid][0], at)

    def key(numbered):
        at, item = numbered
        number, within = PLACES.get(item.nodeid, (None, 0))
        return starts.get(number, at), within

    items[:] = [item for _, item in sorted(enumerate(items), key=key)]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return "together-%d" % PLACES[nodeid][0] if nodeid in PLACES else nodeid

    return Together(config, log)
