"""Fixtures that several files of tests ask for."""
import textwrap

import pytest

from engine import Engine


@pytest.fixture
def suite(tmp_path):
    """Starts an engine on the files of a suite, with a process that has marked its state; all is closed in the end."""
    engines = []

    def start(**files):
        directory = tmp_path / "suite"
        directory.mkdir(exist_ok=True)
        for name, text in files.items():
            (directory / (name + ".py")).write_text(textwrap.dedent(text), encoding="utf-8")
        (directory / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = -p no:cacheprovider\n")
        engine = Engine(directory, tmp_path)
        engines.append(engine)
        fresh = engine.fork(engine.zygote)
        fresh.ask("mark", "marked")
        return engine, fresh

    yield start
    for engine in engines:
        engine.close()
