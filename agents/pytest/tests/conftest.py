"""Fixtures that several files of tests ask for."""
import pytest

from engine import marked_suite


@pytest.fixture
def suite(tmp_path):
    """Starts an engine on the files of a suite, with a process that has marked its state; all is closed in the end."""
    engines = []

    def start(**files):
        engine, fresh = marked_suite(tmp_path, files)
        engines.append(engine)
        return engine, fresh

    yield start
    for engine in engines:
        engine.close()
