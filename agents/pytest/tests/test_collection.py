"""What collecting takes of the project is told, and which files a test opens."""
import sys

import pytest

from engine import Engine

HEARS = sys.version_info >= (3, 8)
SEES_FUNCTIONS = sys.version_info >= (3, 12)
FILES = {
    "pytest.ini": "[pytest]\npythonpath = .\naddopts = -p no:cacheprovider -p local_plugin\n",
    "local_plugin.py": "import helper\n",
    "helper.py": "",
    "boxes.py": (
        "class Box:\n    @property\n    def size(self):\n        return 1\n\n    def unused(self):\n        pass\n\n\n"
        "SIZE = Box().size\n"
    ),
    "shop/__init__.py": (
        "import importlib\nimport pathlib\n\nHERE = pathlib.Path(__file__).parent\n"
        "PARTS = [importlib.import_module('shop.' + one.stem) for one in sorted(HERE.glob('part_*.py'))]\n"
        "RATES = (HERE / 'rates.csv').read_text()\n"
    ),
    "shop/part_a.py": "",
    "shop/rates.csv": "1",
    "shop/table.csv": "2",
    "shop/unread.csv": "3",
    "test_it.py": (
        "import os\n\nimport boxes\nimport shop\n\n\ndef test_reads():\n    assert (shop.HERE / 'table.csv').read_text() == '2'\n\n\n"
        "def test_lists():\n    os.chdir(str(shop.HERE))\n    assert 'table.csv' in os.listdir('.')\n\n\ndef test_nothing():\n    import colorsys\n"
    ),
}


@pytest.fixture
def suite(tmp_path):
    engines = []
    directory = tmp_path / "suite"
    for name, text in FILES.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)

    def start(**orders):
        engines.append(Engine(directory, tmp_path, **orders))
        return engines[-1]

    yield start
    for engine in engines:
        engine.close()


def test_modules_are_told_with_the_file_that_had_them_loaded(suite):
    loaded = {one["file"]: one["by"] for one in suite(records=True).collection["loaded"]}
    expected = {"boxes.py": "test_it.py", "shop/__init__.py": "test_it.py", "shop/part_a.py": "shop/__init__.py"}
    # Plugins that settings name are there before the agent.
    nobody = dict.fromkeys(["helper.py", "local_plugin.py", "test_it.py"])
    assert loaded == dict(expected if HEARS else dict.fromkeys(expected), **nobody)


def test_plugins_of_the_project_are_told(suite):
    assert suite(records=True).collection["plugins"] == ["local_plugin.py"]


@pytest.mark.skipif(not HEARS, reason="there are no audit events")
def test_files_that_are_opened_at_import_are_told_with_the_opener(suite):
    opened = suite(records=True).collection["opened"]
    assert {"file": "shop/rates.csv", "by": "shop/__init__.py"} in opened
    assert {"file": "shop/", "by": "shop/__init__.py"} in opened
    assert not [one for one in opened if one["file"] == "shop/unread.csv"]


@pytest.mark.skipif(not SEES_FUNCTIONS, reason="there is no sys.monitoring")
def test_functions_that_run_at_import_are_told(suite):
    names = {one["function"] for one in suite(records=True).collection["functions"]}
    assert "Box.size" in names
    assert "Box.unused" not in names


def test_nothing_is_told_unless_it_is_wanted(suite):
    assert suite().collection is None


@pytest.mark.skipif(not HEARS, reason="there are no audit events")
def test_files_that_a_test_opens_and_directories_that_it_lists_are_told(suite):
    engine = suite()
    fresh = engine.fork(engine.zygote)
    fresh.ask("mark", "marked")
    fresh.tell("trace")
    reads, lists, nothing = fresh.run(0, 1, 2)
    assert [one["outcome"] for one in (reads, lists, nothing)] == ["passed"] * 3
    assert reads["opened"] == ["shop/table.csv"]
    assert lists["opened"] == ["shop/"]
    assert nothing["opened"] == []
    fresh.close()
