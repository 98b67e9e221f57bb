"""Agents, solve, bench, lab, indexes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import waypost
from conftest import distances, refused, walked

#: `bench --json` of the command line has these.
BENCH_FIELDS = {
    "algo", "solved", "failed", "cost_total", "optimal_total", "suboptimality_pct", "query_us", "move_ns", "first_move_ns",
    "moves_total", "expansions_total", "revisits_total", "ops_per_move_max", "online_bytes", "index_bytes", "build_seconds",
}


def ends_of(level: waypost.Map) -> tuple[tuple[int, int], tuple[int, int]]:
    cells = np.argwhere(level.to_array())[:, ::-1].tolist()
    return (cells[0][0], cells[0][1]), (cells[-1][0], cells[-1][1])


@pytest.mark.parametrize("spec", ["astar", "lrta", "tba:slice=20", "lss-lrta", "jps", "cpd", "waypost", "knn-lrta:records=200"])
def test_agents_walk_legally(caves: waypost.Map, spec: str) -> None:
    start, goal = ends_of(caves)
    agent = waypost.Agent(caves, spec)
    assert agent.status == "idle" and agent.position is None
    with refused(ValueError, "call start"):
        agent.step()
    agent.start(start, goal)
    answers = set()
    for _ in range(100_000):
        answer = agent.step()
        answers.add(answer)
        last, total = agent.operations
        bound = agent.operations_bound
        assert last <= total and (bound is None or last <= bound)
        if answer in ("arrived", "unreachable"):
            break
    assert "arrived" in answers and agent.position == goal
    assert walked(caves.to_array(), agent.path) == pytest.approx(agent.cost)
    solved = waypost.solve(caves, start, goal, spec)
    assert (solved["path"] == agent.path).all() and solved["cost"] == pytest.approx(agent.cost)
    assert solved["optimal_cost"] == pytest.approx(distances(caves.to_array(), start)[goal])
    agent.start(goal, start)
    assert agent.walk() == "arrived" and agent.position == start


def test_agents_of_a_world_see_changes(open_field: waypost.Navigator) -> None:
    agent = open_field.agent("astar")
    agent.start((0, 0), (39, 0))
    for _ in range(5):
        agent.step()
    open_field.patch(block=[(20, y) for y in range(29)])
    assert agent.walk() == "arrived"
    assert (20, 29) in {tuple(p) for p in agent.path.tolist()}


def test_solve() -> None:
    mask = np.ones((6, 9), dtype=bool)
    mask[:, 4] = False
    answer = waypost.solve(waypost.Map.from_array(mask), (0, 0), (8, 0))
    assert answer["status"] == "unreachable" and answer["cost"] is None and answer["path"].shape == (0, 2)
    with refused(ValueError, r"goal \(x=4, y=0\) is a wall"):
        waypost.solve(waypost.Map.from_array(mask), (0, 0), (4, 0))
    with refused(ValueError, "astr", "astar"):
        waypost.solve(waypost.Map.from_array(mask), (0, 0), (1, 0), "astr")
    assert "astar" in waypost.algorithms


def test_bench_is_what_the_command_line_prints(tmp_path: Path, caves: waypost.Map) -> None:
    caves.save(tmp_path / "caves.map")
    problems = waypost.scenario(caves, 30, seed=4, min_cost=10, out=tmp_path / "caves.map.scen")
    assert problems.shape == (30, 4) and problems.dtype == np.int32
    assert (waypost.read_scenario(tmp_path / "caves.map.scen", caves) == problems).all()
    rows = waypost.bench(str(tmp_path / "caves.map"), tmp_path / "caves.map.scen", ["waypost", "astar", "lrta"])
    assert [row["algo"] for row in rows] == ["waypost", "astar", "lrta"]
    for row in rows:
        assert BENCH_FIELDS <= row.keys() and row["map"].endswith("caves.map") and row["problems"] == 30
        assert row["solved"] == 30 and set(row["query_us"]) == {"mean", "p50", "p99", "p999", "max"}
        assert set(row["suboptimality_pct"]) == {"mean", "p50", "p95", "max"} and row["rules"]["costs"] == "sqrt2"
    table = pd.json_normalize(rows)
    assert table["suboptimality_pct.max"].iloc[0] == 0 and (table["query_us.mean"] > 0).all()
    assert len(pd.DataFrame(rows)) == 3

    def counts(rows: list[dict[str, Any]]) -> Any:
        return [(row["algo"], row["cost_total"], row["expansions_total"], row["ops_per_move_max"]) for row in rows]

    assert counts(waypost.bench(caves, problems, "waypost;astar;lrta")) == counts(rows)
    assert waypost.bench(caves, problems, "astar", limit=7)[0]["problems"] == 7
    with refused(ValueError, "no algorithm"):
        waypost.bench(caves, problems, [])
    with refused(ValueError, r"scen\[0\]: the start", "outside"):
        waypost.bench(caves, np.array([[500, 0, 1, 1]]))
    smaller = waypost.Map.generate("caves", 50, 50)
    with refused(ValueError, "caves.map.scen"):
        waypost.bench(smaller, tmp_path / "caves.map.scen")


def test_problems_that_nobody_can_stand_on(tmp_path: Path) -> None:
    mask = np.ones((50, 60), dtype=bool)
    mask[:, 20:] = mask[30:] = False
    mask[0, 59] = True
    level = waypost.Map.from_array(mask)
    good = np.array([[1, 25, 3, 2], [19, 29, 4, 4]])
    assert waypost.bench(level, good, "astar")[0]["solved"] == 2
    swapped = np.array([[25, 1, 2, 3], [29, 19, 4, 4]])
    with refused(ValueError, r"scen\[0\]: the start \(x=25, y=1\) is a wall", "swapped all ends are free", "strict=False"):
        waypost.bench(level, swapped, "astar")
    with refused(ValueError, r"scen\[1\]: the goal \(x=30, y=0\) is a wall; with strict"):
        waypost.read_scenario(np.array([[1, 1, 2, 2], [1, 1, 30, 0]]), level)
    for strange in (np.array([[1, 1, 2**64 - 1, 2]], dtype=np.uint64), np.array([[1, 1, 2**64 - 1, 2]], dtype=">u8")):
        with refused(ValueError, r"scen\[0\]: the goal \(x=18446744073709551615, y=2\) is outside"):
            waypost.bench(level, strange)
        assert waypost.bench(level, strange, "astar", strict=False)[0]["unsolvable"] == 1
    for empty in (np.zeros((0, 3), dtype=int), np.array([])):
        with refused(ValueError, "scen has the shape", r"expected \[n, 4\]"):
            waypost.bench(level, empty)
    assert waypost.read_scenario(np.zeros((0, 4), dtype=int), level).shape == (0, 4)
    # No way is no mistake.
    assert waypost.bench(level, np.array([[0, 0, 59, 0]]), "astar")[0]["unsolvable"] == 1
    row = waypost.bench(level, np.concatenate([swapped, good]), "astar", strict=False)[0]
    assert (row["problems"], row["unsolvable"]) == (2, 2)
    # A scenario of another map of this size.
    file = tmp_path / "open.scen"
    opened = waypost.Map.from_array(np.ones((50, 60), dtype=bool))
    problems = waypost.scenario(opened, 40, seed=1, out=file)
    calls: list[Callable[[], object]] = [lambda: waypost.read_scenario(file, level), lambda: waypost.bench(level, file)]
    for call in calls:
        with refused(ValueError, r"open.scen: problem \d+: the", "is a wall"):
            call()
    assert (waypost.read_scenario(file, level, strict=False) == problems).all()
    assert waypost.bench(level, file, "astar", strict=False)[0]["unsolvable"] > 0


def test_so_many_problems_and_no_more(caves: waypost.Map) -> None:
    for count in (2**63, 10_000_001):
        with refused(ValueError, f"{count} problems are too many; give at most 10000000"):
            waypost.scenario(caves, count)


def test_rows_name_their_maps() -> None:
    made = [waypost.Map.generate("rooms", 60, 50, seed=seed, terrain=terrain) for seed in (1, 2) for terrain in (False, True)]
    made += [made[0].scaled(2), waypost.Map.generate("caves", 60, 50, seed=1), waypost.Map.generate("rooms", 61, 50, seed=1)]
    names = [waypost.bench(level, waypost.scenario(level, 2), "astar")[0]["map"] for level in made]
    assert names[0] == "rooms-60x50-seed1" and len(set(names)) == len(made), names


def test_files_have_a_place_before_the_work(tmp_path: Path, caves: waypost.Map) -> None:
    told: list[object] = []
    with pytest.raises(IsADirectoryError, match=str(tmp_path)):
        waypost.build(caves, "cpd", tmp_path, progress=lambda *stage: told.append(stage))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        waypost.build(caves, "cpd", tmp_path / "nowhere" / "file", progress=lambda *stage: told.append(stage))
    with pytest.raises(IsADirectoryError):
        waypost.scenario(caves, 10, out=tmp_path, progress=lambda *stage: told.append(stage))
    assert not told


def test_labels_keep_to_their_bytes() -> None:
    level = waypost.Map.generate("rooms", 120, 100, seed=1)
    for given in (301_654, 279_885, 100_000):
        assert len(waypost.build(level, "labels", fit_bytes=given)) <= given
    whole = len(waypost.build(level, "labels", max_bytes=999_999))
    assert len(waypost.build(level, "labels", max_bytes=whole)) == whole
    with refused(ValueError, str(whole - 1)):
        waypost.build(level, "labels", max_bytes=whole - 1)
    with refused(ValueError, "at most 1 bytes"):
        waypost.build(waypost.Map.from_array(np.ones((30, 40), dtype=bool)), "labels", max_bytes=1)


def test_index_files(tmp_path: Path, caves: waypost.Map) -> None:
    start, goal = ends_of(caves)
    file = tmp_path / "caves.cpd"
    assert waypost.build(caves, "cpd", file, progress=False) is None
    known = waypost.verify(file, caves)
    assert known["index"] == "cpd" and known["width"] == 96 and known["records"] > 0
    assert waypost.solve(caves, start, goal, "cpd", indexes=[file])["status"] == "arrived"
    assert waypost.build(caves, "cpd") == file.read_bytes()
    other = waypost.Map.generate("caves", 96, 64, seed=6)
    with refused(ValueError, "another map"):
        waypost.verify(file, other)
    with refused(ValueError, "caves.cpd", "another map"):
        waypost.solve(other, *ends_of(other), "cpd", indexes=[file])
    (tmp_path / "bad").write_bytes(file.read_bytes()[:-9])
    for wrong in (b"", b"nothing", tmp_path / "bad"):
        with pytest.raises(ValueError):
            waypost.verify(wrong)
    with pytest.raises(FileNotFoundError):
        waypost.verify(tmp_path / "none")
    with refused(ValueError, "no index is called `labls`", "labels"):
        waypost.build(caves, "labls")
    with refused(ValueError, "records", "many"):
        waypost.build(caves, "subgoals", records="many")
    with refused(ValueError, "colour"):
        waypost.build(caves, "cpd", colour="red")
    with refused(ValueError, "shard is"):
        waypost.build(caves, "cpd", shard=(3, 2))
    with refused(ValueError, "in one go"):
        waypost.build(caves, "labels", shard=(1, 2))


def test_shards(caves: waypost.Map) -> None:
    whole = waypost.build(caves, "subgoals", records=60)
    parts = [waypost.build(caves, "subgoals", records=60, shard=(i, 3)) for i in (1, 2, 3)]
    assert waypost.merge(reversed(parts)) == whole
    with refused(ValueError, "missing"):
        waypost.merge(parts[:2])
    with refused(ValueError, "shard 1/3 is given twice"):
        waypost.merge([*parts, parts[0]])
    with refused(ValueError, "shard 2/3 is missing"):
        waypost.merge([parts[0], parts[2]])
    with refused(ValueError, "no shards"):
        waypost.merge([])
    with refused(ValueError, "give the shards of one build"):
        waypost.merge([parts[0], waypost.build(caves, "labels")])


def test_lab(tmp_path: Path) -> None:
    names = [row["name"] for row in waypost.experiments()]
    assert "pra-2005" in names
    rows = waypost.lab("pra-2005", quick=True, count=4, out=tmp_path / "report")
    assert rows and {"map", "algorithm", "spec", "suboptimality_pct", "query_us", "cells"} <= rows[0].keys()
    assert (tmp_path / "report" / "report.html").exists()
    again = waypost.lab("pra-2005", quick=True, count=4, out=tmp_path / "report")
    assert again == rows, "what is recorded is not run again"
    problems = waypost.lab("pra-2005", quick=True, count=4, rows="problems", out=tmp_path / "report")
    assert len(pd.DataFrame(problems)) > len(rows)
    assert {"text", "verdict"} <= waypost.lab("pra-2005", quick=True, count=4, rows="claims", out=tmp_path / "report")[0].keys()
    with refused(ValueError, "no experiment is called"):
        waypost.lab("pra-2004")
    with refused(ValueError, "rows is"):
        waypost.lab("pra-2005", rows="columns")  # type: ignore[arg-type]


def test_what_an_agent_has_walked_stays() -> None:
    nav = waypost.Navigator(waypost.Map.from_array(np.ones((5, 9), dtype=bool)))
    agent = nav.agent("lrta")
    agent.start((0, 2), (8, 2))
    for _ in range(3):
        agent.step()
    before = agent.cost
    nav.patch(block=[(0, 2), (1, 2)])
    assert agent.cost == before == 3.0
