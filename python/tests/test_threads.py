"""The interpreter is released, other threads may do what they like, Ctrl-C works, forks work."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waypost


def counted_meanwhile(work: Callable[[], object]) -> tuple[int, float]:
    """How often another thread got a turn while work ran, and the seconds that it took."""
    turns, is_over = 0, threading.Event()

    def other() -> None:
        nonlocal turns
        while not is_over.is_set():
            turns += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=other)
    thread.start()
    time.sleep(0.01)
    before, begun = turns, time.perf_counter()
    work()
    seconds = time.perf_counter() - begun
    gained = turns - before
    is_over.set()
    thread.join()
    return gained, seconds


def test_other_threads_run_meanwhile() -> None:
    level = waypost.Map.generate("rooms", 500, 500, seed=3)
    nav = waypost.Navigator(level)
    cells = np.argwhere(level.to_array())[:, ::-1]
    rng = np.random.default_rng(1)
    starts, goals = cells[rng.integers(0, len(cells), (2, 30_000))]
    crowd = nav.crowd()
    crowd.send(crowd.spawn(starts), goals)
    middle = cells[len(cells) // 2]
    problems = waypost.scenario(level, 60, seed=1)

    def ticks() -> None:
        for _ in range(40):
            crowd.tick()

    data = nav.to_bytes()
    works: dict[str, Callable[[], object]] = {
        "build": lambda: waypost.Navigator(level),
        "open": lambda: [waypost.Navigator.from_bytes(level, data) for _ in range(8)],
        "paths": lambda: nav.paths(starts, goals),
        "path": lambda: [nav.path(starts[i], goals[i]) for i in range(2_000)],
        "range": lambda: [nav.range(middle, 1e9) for _ in range(4)],
        "tick": ticks,
        "bench": lambda: waypost.bench(level, problems, "astar"),
        "lab": lambda: waypost.lab("pra-2005", quick=True, count=5),
    }
    # An interpreter that is held gives a thread its turn every 5 ms at most; none of these calls would give one.
    sys.setswitchinterval(10.0)
    try:
        for name, work in works.items():
            gained, seconds = counted_meanwhile(work)
            assert gained >= 3, f"{name}: {gained} turns in {seconds} s"
    finally:
        sys.setswitchinterval(0.005)


def test_an_array_that_changes_under_a_call() -> None:
    """Whatever another thread writes, a call sees one array: every path begins and ends where some version of it said."""
    nav = waypost.Navigator(waypost.Map.from_array(np.ones((64, 64), dtype=bool)))
    starts, goals = np.zeros((4_000, 2), dtype=np.int64), np.full((4_000, 2), 63)
    mask = np.ones((64, 64), dtype=bool)
    is_over = threading.Event()

    def scribble() -> None:
        rng = np.random.default_rng(7)
        while not is_over.is_set():
            starts[:] = rng.integers(0, 64, starts.shape)
            goals[:] = rng.integers(-(2**62), 2**62, goals.shape)
            goals[:] = rng.integers(0, 64, goals.shape)
            mask[:] = rng.random(mask.shape) < 0.5

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        for _ in range(60):
            points, offsets, costs = nav.paths(starts, goals, strict=False)
            assert offsets[-1] == len(points) and len(costs) == 4_000
            assert points.size == 0 or (points.min() >= 0 and points.max() < 64)
            finite = np.isfinite(costs)
            assert (np.diff(offsets)[~finite] == 0).all() and (np.diff(offsets)[finite] >= 1).all()
            waypost.Map.from_array(mask)
    finally:
        is_over.set()
        thread.join()


def test_one_world_for_many_threads() -> None:
    nav = waypost.Navigator(waypost.Map.from_array(np.ones((80, 80), dtype=bool)))
    wall = [(40, y) for y in range(79)]
    answers: set[float | None] = set()

    def ask() -> None:
        for _ in range(300):
            answers.add(nav.distance((0, 0), (79, 0)))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        nav.patch(block=wall)
        nav.patch(open=wall)
    for thread in threads:
        thread.join()
    # Over open ground, or round the wall's foot; nothing between.
    assert None not in answers and len(answers) <= 2 and min(answer or 0.0 for answer in answers) == 79.0


def test_a_crowd_is_for_one_thread_at_a_time() -> None:
    nav = waypost.Navigator(waypost.Map.from_array(np.ones((200, 200), dtype=bool)))
    crowd = nav.crowd()
    cells = np.argwhere(nav.map.to_array())[:, ::-1]
    crowd.send(crowd.spawn(cells[:30_000]), cells[::-1][:30_000])
    refusals: list[str] = []

    def tick() -> None:
        for _ in range(30):
            try:
                crowd.tick()
            except RuntimeError as error:
                refusals.append(str(error))

    threads = [threading.Thread(target=tick) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refusals and all("another thread is using this crowd" in text for text in refusals)
    crowd.tick()


SLOW_BUILD = """
import numpy, signal, waypost
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background
level = waypost.Map.generate("rooms", 300, 300, seed=1)
mask = numpy.ones((400, 400), bool)
mask[20:380, 380] = mask[20, 20:381] = mask[379, 20:381] = False
pocket = waypost.Map.from_array(mask)  # methods that learn take millions of moves out of it
print("ready", flush=True)
try:
    {build}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    waypost.Navigator(waypost.Map.generate("rooms", 40, 40)).path
    print("alive", flush=True)
"""


@pytest.mark.parametrize(
    "build",
    [
        'waypost.build(level, "subgoals", records=16_000_000)',
        'waypost.build(waypost.Map.generate("rooms", 500, 500, seed=1), "cpd")',
        'waypost.Navigator(waypost.Map.generate("rooms", 1500, 1500, seed=1), max_seconds=1e9, max_bytes=10**12)',
        'waypost.build(waypost.Map.generate("caves", 4000, 4000, seed=1), "regions")',
        'waypost.build(waypost.Map.generate("caves", 1500, 1500, seed=1), "cpd")',
        'waypost.Navigator(level).crowd(method="cpd")',
        'waypost.Navigator(level).agent("cpd")',
        'waypost.solve(pocket, (200, 200), (399, 200), "lss-lrta:lookahead=1")',
        'waypost.bench(pocket, numpy.array([[200, 200, 399, 200]] * 3), ["lss-lrta:lookahead=1"])',
    ],
)
def test_ctrl_c_stops_a_build(build: str) -> None:
    script = SLOW_BUILD.format(build=build)
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(1.5)
        assert process.poll() is None, "the build was over before it could be stopped"
        process.send_signal(signal.SIGINT)
        # Here in a tenth of a second; machines that do other things too have more of them.
        begun = time.monotonic()
        assert process.stdout.readline() == "interrupted\n" and time.monotonic() - begun < 5
        assert process.stdout.read() == "alive\n" and process.wait(120) == 0
    finally:
        process.kill()  # a build that goes on would go on for hours
        process.communicate()


def test_progress_is_told_and_can_stop(caves: waypost.Map) -> None:
    told: list[tuple[str, int, int]] = []
    level = waypost.Map.generate("rooms", 300, 300, seed=1)
    waypost.build(level, "subgoals", records=2_000, progress=lambda *stage: told.append(stage))
    assert told and all(0 <= done <= total for _, done, total in told)

    def stop(stage: str, done: int, total: int) -> None:
        raise Enough(stage)

    with pytest.raises(Enough):
        waypost.build(level, "subgoals", records=16_000_000, progress=stop)


class Enough(Exception):
    pass


def test_a_rebuild_that_is_stopped_is_done_by_the_next() -> None:
    level = waypost.Map.generate("caves", 700, 700, seed=1)
    nav = waypost.Navigator(level)
    nav.patch(block=np.argwhere(level.to_array())[::97, ::-1])
    assert [row["state"] for row in nav.states()] == ["stale"]

    def stop(stage: str, done: int, total: int) -> None:
        raise Enough

    begun = time.perf_counter()
    with pytest.raises(Enough):
        nav.rebuild(progress=stop)
    stopped = time.perf_counter() - begun
    assert nav.states()[0]["state"] != "current"
    told: list[str] = []
    begun = time.perf_counter()
    assert nav.rebuild(progress=lambda stage, done, total: told.append(stage)) == 1
    assert nav.states()[0]["state"] == "current" and told
    assert stopped < (time.perf_counter() - begun) / 2
    assert nav.rebuild() == 0


def test_what_stops_one_call_stops_no_other() -> None:
    nav = waypost.Navigator(waypost.Map.generate("caves", 500, 500, seed=1))
    failed: list[BaseException] = []
    is_begun = threading.Event()

    def build() -> None:
        try:
            nav.unit_type("a", size=2, progress=lambda *stage: is_begun.set())
        except BaseException as error:
            failed.append(error)

    def stop(stage: str, done: int, total: int) -> None:
        raise Enough

    thread = threading.Thread(target=build)
    thread.start()
    assert is_begun.wait(60)
    with pytest.raises(Enough):
        nav.unit_type("b", size=3, progress=stop)
    told: list[object] = []
    nav.rebuild(progress=lambda *stage: told.append(stage))
    assert not told, "nothing is stale, and what others do is not told here"
    thread.join()
    assert not failed and nav.unit_types[1:] == ["a"]
    # What is built in a copy of the world is watched too.
    with pytest.raises(Enough):
        nav.fork().unit_type("c", size=2, progress=stop)
    # And in one that was opened.
    opened = waypost.Navigator.from_bytes(nav.map, nav.to_bytes())
    with pytest.raises(Enough):
        opened.unit_type("d", size=2, progress=stop)
    stages: list[str] = []
    opened.unit_type("e", size=2, progress=lambda stage, done, total: stages.append(stage))
    assert stages and opened.unit_types == ["unit", "a", "e"]


def test_what_is_stopped_by_the_last_word_is_not_there(tmp_path: Path) -> None:
    """So small that all is done before anyone is told of it."""
    level = waypost.Map.generate("caves", 30, 30, seed=1)
    nav = waypost.Navigator(level)

    def stop(stage: str, done: int, total: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        nav.unit_type("a", size=2, progress=stop)
    assert nav.unit_types == ["unit"]
    for out, build in (
        (tmp_path / "labels", lambda out: waypost.build(level, "labels", out, progress=stop)),
        (tmp_path / "scen", lambda out: waypost.scenario(level, 5, out=out, progress=stop)),
    ):
        with pytest.raises(Enough):
            build(out)
        assert not out.exists()


class Log:
    """A stream as services have it."""

    def write(self, text: str) -> None:
        pass


@pytest.mark.parametrize("kind", ["none", "log", "closed"])
def test_programs_without_a_terminal(kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    closed = open(tmp_path / "closed", "w")
    closed.close()
    monkeypatch.setattr(sys, "stderr", {"none": None, "log": Log(), "closed": closed}[kind])
    level = waypost.Map.from_array(np.ones((5, 5), dtype=bool))
    assert waypost.Navigator(level).distance((0, 0), (0, 4)) == 4.0
    assert waypost.build(level, "jump") and waypost.solve(level, (0, 0), (4, 4))["status"] == "arrived"
    if kind != "log":
        assert waypost.build(level, "jump", progress=True)


MANY_PATHS = """
import signal, numpy, waypost
signal.signal(signal.SIGINT, signal.default_int_handler)
level = waypost.Map.generate("caves", 600, 600, seed=1)
cells = numpy.argwhere(level.to_array())[:, ::-1]
starts, goals = cells[numpy.random.default_rng(1).integers(0, len(cells), (2, 3_000_000))]
nav = waypost.Navigator(level)
print("ready", flush=True)
try:
    nav.paths(starts, goals)
except KeyboardInterrupt:
    print("interrupted", nav.distance(starts[0], starts[0]), flush=True)
"""


def test_ctrl_c_stops_many_paths() -> None:
    process = subprocess.Popen([sys.executable, "-c", MANY_PATHS], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        assert process.poll() is None, "the paths were found before they could be stopped"
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        assert process.stdout.readline() == "interrupted 0.0\n" and time.monotonic() - begun < 10
    finally:
        process.kill()
        process.communicate()


def test_a_bar_by_tqdm(capsys: pytest.CaptureFixture[str]) -> None:
    level = waypost.Map.generate("rooms", 300, 300, seed=1)
    waypost.build(level, "subgoals", records=3_000, progress=True)
    assert "%" in capsys.readouterr().err
    waypost.build(level, "subgoals", records=300)
    assert capsys.readouterr().err == "", "no bar where no terminal looks on"


def in_child(nav: waypost.Navigator, pipe: Any) -> None:
    starts = np.zeros((500, 2), dtype=int)
    goals = np.full((500, 2), 63)
    pipe.send(float(nav.paths(starts, goals)[2].sum()))
    crowd = nav.crowd()
    crowd.send(crowd.spawn(starts), goals)
    pipe.send(crowd.tick().moves)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    nav = waypost.Navigator(waypost.Map.from_array(np.ones((64, 64), dtype=bool)))
    nav.paths(np.zeros((500, 2), dtype=int), np.full((500, 2), 63))
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("fork").Process(target=in_child, args=(nav, theirs))
    process.start()
    assert ours.poll(60), "the child hangs"
    assert ours.recv() == pytest.approx(500 * 63 * 2**0.5)
    assert ours.poll(60) and ours.recv() == 500
    process.join(60)
    assert process.exitcode == 0


