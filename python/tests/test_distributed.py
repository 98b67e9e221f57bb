"""Builds and benches on a cluster of this machine's own processes."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waypost
import waypost.distributed
from conftest import refused
from distributed import Client, LocalCluster

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None)
    with cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def level() -> waypost.Map:
    return waypost.Map.generate("rooms", 120, 90, seed=4)


@pytest.mark.parametrize(("kind", "parameters"), [("subgoals", {"records": 300, "seed": 5}), ("cpd", {})])
def test_shards_are_the_file_of_one_go(client: Any, level: waypost.Map, tmp_path: Path, kind: str, parameters: Any) -> None:
    told: list[tuple[str, int, int]] = []
    file = tmp_path / f"level.{kind}"
    built = waypost.distributed.build(client, level, kind, out=file, progress=lambda *stage: told.append(stage), **parameters)
    assert file.read_bytes() == waypost.build(level, kind, **parameters)
    assert built.tasks == 8 and built.data == [None] and built.repeated == 0
    assert told[-1][1:] == (8, 8) and len(told) == 8
    assert sum(cost["tasks"] for cost in built.workers) == 8 and len(built.workers) == 2
    assert all(cost["cpu_seconds"] > 0 and cost["seconds"] > 0 and cost["bytes"] > 0 for cost in built.workers)


@pytest.mark.parametrize("cores", [3, 1_600])
def test_a_task_has_the_threads_that_it_was_given(level: waypost.Map, monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    """However many the cluster has."""
    given: list[int] = []
    shards = waypost._native.Shards

    class Spy:
        def __init__(self, *arguments: Any, **parameters: Any) -> None:
            self.shards = shards(*arguments, **parameters)

        def build(self, part: Any, threads: int, progress: Any) -> Any:
            given.append(threads)
            return self.shards.build(part, threads, progress)

    monkeypatch.setattr(waypost._native, "Shards", Spy)
    with LocalCluster(n_workers=1, threads_per_worker=cores, processes=False, dashboard_address=None) as cluster, Client(cluster) as client:
        for threads in (1, 2):
            built = waypost.distributed.build(client, level, "subgoals", records=40, shards=4, threads=threads)
            assert built.data == [waypost.build(level, "subgoals", records=40)]
    assert given == 4 * [1] + 4 * [2]


def test_shards_share_what_they_can() -> None:
    """What a shard of a database of paths begins with is found once in a process."""
    level = waypost.Map.generate("rooms", 150, 150, seed=1)
    shards = waypost._native.Shards(level, "cpd")
    parts = [shards.build((i, 12), 1) for i in range(1, 13)]
    assert waypost.merge([data for data, _, _ in parts]) == waypost.build(level, "cpd")
    assert shards.build(None, 2)[0] == waypost.build(level, "cpd")
    alone = waypost._native.Shards(level, "cpd").build(None, 1)[2]
    assert sum(cpu for _, _, cpu in parts) < 1.5 * alone


def test_workers_that_come_later(level: waypost.Map) -> None:
    with LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster, Client(cluster) as client:
        timer = threading.Timer(0.5, cluster.scale, [1])
        timer.start()
        built = waypost.distributed.build(client, level, "subgoals", records=40)
        timer.join()
        assert built.tasks == 4 and built.data == [waypost.build(level, "subgoals", records=40)]


def test_processor_time_is_counted_once() -> None:
    """Tasks that run beside each other in one worker count their own threads alone."""
    level = waypost.Map.generate("rooms", 200, 150, seed=1)
    with LocalCluster(n_workers=1, threads_per_worker=4, processes=True, host="127.0.0.1", dashboard_address=None) as cluster, Client(cluster) as client:
        waypost.distributed.build(client, level, "subgoals", records=40, shards=4)
        before = sum(client.run(time.process_time).values())
        built = waypost.distributed.build(client, level, "subgoals", records=6_000, shards=8, threads=2)
        after = sum(client.run(time.process_time).values())
        told = sum(cost["cpu_seconds"] for cost in built.workers)
        assert 0.3 * (after - before) < told < 1.05 * (after - before)


@pytest.mark.parametrize("kind", ["labels", "sectors"])
def test_other_kinds_are_spread_by_map(client: Any, tmp_path: Path, kind: str) -> None:
    levels = [waypost.Map.generate("caves", 80, 60, seed=seed) for seed in range(5)]
    files = [tmp_path / f"{i}.{kind}" for i in range(5)]
    built = waypost.distributed.build(client, levels, kind, out=files)
    assert built.tasks == 5
    for level, file in zip(levels, files):
        assert file.read_bytes() == waypost.build(level, kind)
    with refused(ValueError, "in one go"):
        waypost.distributed.build(client, levels[0], kind, shards=3)
    with refused(ValueError, "1 names in out for 5 maps"):
        waypost.distributed.build(client, levels, kind, out="one")


def test_a_worker_killed_in_the_middle(level: waypost.Map) -> None:
    """With -9, while it works: its tasks are done by others, and the bytes are the same."""
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None)
    with cluster, Client(cluster) as client:
        killed: list[int] = []

        def kill(stage: str, done: int, total: int) -> None:
            if done >= 2 and not killed:
                processes = client.run(os.getpid)
                busy = next((address for address, tasks in client.processing().items() if tasks), next(iter(processes)))
                killed.append(processes[busy])
                os.kill(processes[busy], signal.SIGKILL)

        built = waypost.distributed.build(client, level, "subgoals", records=1_200, shards=12, progress=kill)
        assert killed
        assert built.data == [waypost.build(level, "subgoals", records=1_200)]


def test_all_workers_killed(level: waypost.Map) -> None:
    """Nobody has the map any more: it is sent again to those that come after them."""
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None)
    with cluster, Client(cluster) as client:
        killed: list[int] = []

        def kill(stage: str, done: int, total: int) -> None:
            if done >= 2 and not killed:
                for process in client.run(os.getpid).values():
                    killed.append(process)
                    os.kill(process, signal.SIGKILL)

        built = waypost.distributed.build(client, level, "subgoals", records=900, shards=9, progress=kill)
        assert len(killed) == 2
        assert built.data == [waypost.build(level, "subgoals", records=900)]


def damage_first(level: waypost.Map, kind: str, part: tuple[int, int] | None, threads: int, parameters: Any) -> Any:
    """A task that gives damaged bytes the first time that it is asked for a shard."""
    from waypost.distributed import _build_part

    done = _build_part(level, kind, part, threads, {k: v for k, v in parameters.items() if k != "folder"})
    mark = Path(parameters["folder"]) / f"{part}"
    if not mark.exists() and part in ((2, 6), (5, 6)):
        mark.touch()
        data = bytearray(done.result)
        data[len(data) // 2] ^= 1
        done.result = bytes(data)
    return done


def test_a_damaged_shard_is_refused_and_done_again(client: Any, level: waypost.Map, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client.upload_file(__file__)
    monkeypatch.setattr(waypost.distributed, "_build_part", damage_first)
    built = waypost.distributed.build(client, level, "subgoals", shards=6, records=120, folder=str(tmp_path))
    assert built.repeated == 2
    assert built.data == [waypost.build(level, "subgoals", records=120)]


def test_a_shard_that_stays_damaged(level: waypost.Map) -> None:
    part = waypost.build(level, "subgoals", records=40, shard=(1, 2))
    check = waypost._native.check_shard
    check(part, level, "subgoals", (1, 2))
    with refused(ValueError, "expected shard 2/2, got 1/2"):
        check(part, level, "subgoals", (2, 2))
    with refused(ValueError, "another map"):
        check(part, waypost.Map.generate("rooms", 120, 90, seed=5), "subgoals", (1, 2))
    with pytest.raises(ValueError):
        check(part, level, "cpd", (1, 2))
    with pytest.raises(ValueError):
        check(part[:-1], level, "subgoals", (1, 2))


def test_mistakes_are_told_at_once(client: Any, level: waypost.Map) -> None:
    with refused(ValueError, "no parameter|expected one of|records"):
        waypost.distributed.build(client, level, "subgoals", colour="red")
    with refused(ValueError, "no index is called"):
        waypost.distributed.build(client, level, "labls")
    with pytest.raises(FileNotFoundError, match="folder of out"):
        waypost.distributed.build(client, level, "subgoals", out="no/such/folder/level.subgoals")
    with refused(ValueError, "shards is 0"):
        waypost.distributed.build(client, level, "subgoals", shards=0)


def test_a_build_that_is_stopped(client: Any, level: waypost.Map) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        waypost.distributed.build(client, level, "subgoals", records=200, shards=20, progress=stop)
    deadline = time.monotonic() + 30
    while any(client.processing().values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(client.processing().values()), "what was not done is cancelled"


def test_workers_stop_too() -> None:
    """What a worker is at when a build is stopped is stopped there, so that the next task need not wait for it."""
    level = waypost.Map.generate("rooms", 300, 300, seed=1)
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None) as cluster, Client(cluster) as client:
        task = client.submit(waypost.distributed._build_part, client.scatter(level), "subgoals", (1, 2), 1, {"records": 16_000_000}, pure=False)
        deadline = time.monotonic() + 60
        while not any(client.processing().values()) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.0)
        task.cancel(force=True)
        assert client.submit(int, "3", pure=False).result(timeout=30) == 3


def test_benches(client: Any, level: waypost.Map, tmp_path: Path) -> None:
    other = waypost.Map.generate("caves", 64, 64, seed=1)
    other.save(tmp_path / "other.map")
    waypost.scenario(other, 12, seed=2, out=tmp_path / "other.scen")
    maps: list[Any] = [level, tmp_path / "other.map"]
    scens: list[Any] = [waypost.scenario(level, 15, seed=3), tmp_path / "other.scen"]
    specs = ["astar", "lrta", "waypost"]
    rows = waypost.distributed.bench(client, maps, scens, specs)
    assert [(row["problems"], row["algo"]) for row in rows] == [(count, spec) for count in (15, 12) for spec in specs]
    alone = [row for level, scen in zip(maps, scens) for row in waypost.bench(level, scen, specs)]
    counts = ("cost_total", "expansions_total", "moves_total", "ops_per_move_max", "solved")
    assert [[row[name] for name in counts] for row in rows] == [[row[name] for name in counts] for row in alone]
    assert {row["worker"] for row in rows} <= set(client.nthreads())
    single = waypost.distributed.bench(client, tmp_path / "other.map", tmp_path / "other.scen", "astar;lrta")
    assert [(row["problems"], row["algo"]) for row in single] == [(12, "astar"), (12, "lrta")]
    with refused(ValueError, "1 maps and 2 scenarios"):
        waypost.distributed.bench(client, maps[:1], scens, specs)


def test_what_cannot_be_done_is_said_before_the_work(client: Any, level: waypost.Map, tmp_path: Path) -> None:
    told: list[object] = []
    with refused(IsADirectoryError, "out is a folder", str(tmp_path)):
        waypost.distributed.build(client, level, "cpd", out=tmp_path, progress=lambda *stage: told.append(stage))
    with refused(ValueError, "list of maps is empty"):
        waypost.distributed.build(client, [], "cpd")
    with refused(ValueError, "list of maps is empty"):
        waypost.distributed.bench(client, [], [], ["astar"])
    problems = waypost.scenario(level, 5)
    with refused(ValueError, "names no algorithm"):
        waypost.distributed.bench(client, level, problems, [])
    with refused(ValueError, r"scen\[0\]: the", "is a wall"):
        walls = np.argwhere(~level.to_array())[:2, ::-1]
        waypost.distributed.bench(client, level, walls.reshape(1, 4), ["astar"])
    assert not told
    rows = waypost.distributed.bench(client, level, walls.reshape(1, 4), ["astar"], strict=False)
    assert rows[0]["unsolvable"] == 1


def test_maps_of_one_name_are_told_apart(client: Any) -> None:
    plain = [waypost.Map.from_array(np.ones((50, 60), dtype=bool)) for _ in range(2)]
    levels = [plain[0], waypost.Map.generate("rooms", 60, 50, seed=1), plain[1], waypost.Map.generate("rooms", 60, 50, seed=2)]
    rows = waypost.distributed.bench(client, levels, [waypost.scenario(one, 3) for one in levels], ["astar", "waypost"])
    names = ["60 x 50 cells #1", "rooms-60x50-seed1", "60 x 50 cells #3", "rooms-60x50-seed2"]
    assert [row["map"] for row in rows] == [name for name in names for _ in range(2)]
