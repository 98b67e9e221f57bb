"""Every example of a docstring and of the documents runs; every public name has a docstring and a type."""

from __future__ import annotations

import doctest
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import waypost
import waypost.distributed
from distributed import LocalCluster

HERE = Path(__file__).parent.parent


def documented() -> Iterator[tuple[str, str]]:
    """Names and docstrings of all that is public."""
    yield "waypost", waypost.__doc__ or ""
    yield "waypost.distributed", waypost.distributed.__doc__ or ""
    for name in waypost.__all__:
        thing = getattr(waypost, name)
        if not callable(thing):
            continue
        yield name, thing.__doc__ or ""
        if inspect.isclass(thing):
            for member in vars(thing):
                if not member.startswith("_"):
                    # Of a static method this is its own; what lies in the class has that of all static methods.
                    yield f"{name}.{member}", getattr(thing, member).__doc__ or ""


@pytest.mark.parametrize(("name", "text"), list(documented()), ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "")
def test_docstrings(name: str, text: str) -> None:
    assert text.strip(), f"{name} has no docstring"
    run_examples(text, name)


@pytest.mark.parametrize(("stub", "text"), [("def kind", waypost.Event.__doc__), ("def why", waypost.Event.__doc__), ("def status(\n", waypost.Crowd.status.__doc__)])
def test_types_have_the_words_of_docstrings(stub: str, text: str) -> None:
    """What is listed after a name is listed in the types."""
    words = (HERE / "package/waypost/_native.pyi").read_text().split(stub)[1].split("Literal[")[1].split("]")[0]
    listed = set(re.findall('"([^"]+)"', words))
    why = {"holders", "no-room", "goal-taken"}
    assert listed == (why if stub == "def why" else set(re.findall('"([^"]+)"', text)) - why)


def test_the_docstring_of_save_says_of_which_map() -> None:
    text = waypost.Navigator.save.__doc__ or ""
    assert "as it was built" in text and "rebuild" in text and "doors aside" in text


def test_static_methods_have_docstrings_of_their_own() -> None:
    texts = dict(documented())
    assert "A map from a boolean array" in texts["Map.from_array"] and "Opens a file" in texts["Navigator.load"]


def run_examples(text: str, name: str) -> int:
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=failures.append)
    assert not failures, "".join(failures)
    return len(test.examples)


def python_blocks(text: str) -> Iterator[str]:
    for part in text.split("```python\n")[1:]:
        yield part.split("```")[0]


@pytest.mark.parametrize("document", ["README.md", "../README.md", "../docs/guide/src/python.md", "../docs/guide/src/scaling-out.md"])
def test_documents(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    waypost.Map.generate("rooms", 64, 48, seed=1).save("level.map")
    waypost.scenario("level.map", 20, out="level.map.scen")
    waypost.scenario("level.map", 20, out="level.scen")
    scope: dict[str, Any] = {}
    blocks = list(python_blocks((HERE / document).read_text()))
    assert blocks
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        for block in blocks:
            # One cluster for all; examples/on_a_cluster.py, below, makes one of its own.
            here = re.sub(r"LocalCluster\([^)]*\)", "cluster", block).replace("tcp://scheduler:8786", cluster.scheduler_address)
            scope["cluster"] = cluster
            exec(compile(here, document, "exec"), scope)
        if "client" in scope:
            scope["client"].close()


def test_distributed_needs_no_import_of_its_own() -> None:
    script = "import waypost; assert 'distributed' in dir(waypost); print(waypost.distributed.build.__name__, hasattr(waypost, 'x'))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["build", "False"], done.stderr


def test_examples_are_named_in_the_readme() -> None:
    readme = (HERE / "README.md").read_text()
    for example in os.listdir(HERE / "examples"):
        if example.endswith(".py"):
            assert example in readme


@pytest.mark.parametrize(("example", "said"), [("compare_methods.py", "methods.png"), ("on_a_cluster.py", "records")])
def test_examples_run(example: str, said: str, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, str(HERE / "examples" / example)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout and "Traceback" not in done.stderr
