"""Crowds: arrays of positions in the caller's memory, events, speeds, unit types."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waypost
from conftest import random_mask, refused, walked


def test_a_crowd_gets_there(caves: waypost.Map) -> None:
    mask = caves.to_array()
    nav = waypost.Navigator(caves)
    cells = np.argwhere(mask)[:, ::-1]
    rng = np.random.default_rng(2)
    starts, goals = cells[rng.integers(0, len(cells), 300)], cells[rng.integers(0, len(cells), 300)]
    crowd = nav.crowd()
    ids = crowd.spawn(starts)
    assert ids.dtype == np.int64 and ids.tolist() == list(range(300)) == crowd.ids().tolist()
    crowd.send(ids, goals)
    out = np.empty((300, 2), dtype=np.int32)
    before, arrived, moves = crowd.positions().copy(), set(), 0
    assert (before == starts).all()
    for _ in range(2_000):
        tick = crowd.tick()
        assert crowd.positions(out=out) is out
        changed = (out != before).any(axis=1)
        assert changed.sum() == tick.moves
        for a, b in zip(before[changed], out[changed]):
            walked(mask, np.array([a, b], dtype=np.int32))
        for event in tick.events:
            assert event.kind == "arrived" and event.unit is not None
            assert out[event.unit].tolist() == goals[event.unit].tolist()
            arrived.add(event.unit)
        moves += tick.moves
        before[:] = out
        if crowd.all_arrived:
            break
    assert crowd.all_arrived and arrived == set(range(300)) and moves > 0
    assert (crowd.positions() == goals).all()


def test_the_same_calls_give_the_same_crowd(caves: waypost.Map) -> None:
    cells = np.argwhere(caves.to_array())[:, ::-1]

    def run() -> list[bytes]:
        crowd = waypost.Navigator(caves).crowd(exclusive=True)
        crowd.send(crowd.spawn(cells[:200]), cells[-200:])
        ticks = []
        for _ in range(80):
            crowd.tick()
            ticks.append(crowd.positions().tobytes())
        return ticks

    assert run() == run()


def test_exclusive(open_field: waypost.Navigator) -> None:
    crowd = open_field.crowd(exclusive=True)
    with refused(ValueError, r"points\[1\]", "another walker stands"):
        crowd.spawn([(0, 0), (0, 0)])
    assert len(crowd) == 0, "all or none"
    ids = crowd.spawn([(x, y) for x in range(8) for y in range(8)])
    crowd.send(ids, (35, 20))
    for _ in range(60):
        crowd.tick()
        assert len({tuple(p) for p in crowd.positions().tolist()}) == 64
    open_field.unit_type("tank", size=2)
    with refused(ValueError, "in an exclusive crowd all units are of one type"):
        crowd.spawn([(20, 20)], unit="tank")


def test_speeds_and_types(open_field: waypost.Navigator) -> None:
    open_field.unit_type("tank", size=2)
    crowd = open_field.crowd()
    fast = crowd.spawn([(0, 0)])
    slow = crowd.spawn([(0, 3), (0, 6)], speed=[2, 4])
    tank = crowd.spawn((0, 10), unit="tank", speed=2)
    assert np.concatenate([fast, slow, tank]).tolist() == [0, 1, 2, 3]
    crowd.send([0, 1, 2, 3], [(30, 0), (30, 3), (30, 6), (30, 10)])
    for _ in range(12):
        crowd.tick()
    steps = crowd.positions()[:, 0].tolist()
    assert steps[0] == 12 and steps[1] in (5, 6, 7) and steps[2] in (2, 3, 4) and steps[3] in (5, 6, 7)
    with refused(ValueError, "is a wall for the unit type `tank`"):
        crowd.spawn((39, 5), unit="tank")
    for speed in (0, 17, -1, 2**40):
        with refused(ValueError, "speed is"):
            crowd.spawn((1, 1), speed=speed)
    with refused(ValueError, "3 speeds for 1 units"):
        crowd.spawn((1, 1), speed=[1, 2, 3])
    crowd.set_speed(0, 3)
    crowd.hold([1])
    at = crowd.position(1)
    crowd.tick()
    assert crowd.position(1) == at and crowd.status(1) == "holding"
    crowd.hold([1], False)
    crowd.stop(tank)
    assert crowd.status(3) == "idle"


def test_ids_are_never_given_again(open_field: waypost.Navigator) -> None:
    crowd = open_field.crowd()
    ids = crowd.spawn([(x, 0) for x in range(6)])
    crowd.despawn(ids[1:3])
    assert crowd.ids().tolist() == [0, 3, 4, 5] and len(crowd) == 4
    assert crowd.positions()[:, 0].tolist() == [0, 3, 4, 5]
    new = crowd.spawn([(20, 5), (21, 5)])
    assert new.tolist() == [6, 7]
    assert crowd.positions().tolist() == [[0, 0], [3, 0], [4, 0], [5, 0], [20, 5], [21, 5]]
    with refused(ValueError, "no unit has the id 1"):
        crowd.send(ids, (3, 3))
    with refused(ValueError, "no unit has the id -1"):
        crowd.position(-1)
    crowd.despawn([7, 7])
    assert len(crowd) == 5


def test_events_of_a_changing_world(open_field: waypost.Navigator) -> None:
    crowd = open_field.crowd()
    crowd.spawn([(5, 5), (0, 0)])
    crowd.send([0, 1], [(5, 25), (39, 0)])
    assert crowd.patch(block=[(20, y) for y in range(30)]) == 30
    kinds = {}
    for _ in range(60):
        for event in crowd.tick().events:
            kinds[event.unit] = event
    assert kinds[0].kind == "arrived"
    assert kinds[1].kind == "unreachable" and kinds[1].nearest == (19, 0)
    assert crowd.status(1) == "unreachable" and "nearest=(19, 0)" in repr(kinds[1])
    x, y = crowd.position(1)
    crowd.patch(block=[(x, y)])
    assert [event.kind for event in crowd.tick().events] == ["blocked"] and crowd.status(1) == "blocked"
    crowd.patch(open=[(x, y)])
    assert "freed" in [event.kind for event in crowd.tick().events]


def test_goals_that_are_more_than_a_cell(open_field: waypost.Navigator) -> None:
    crowd = open_field.crowd()
    ids = crowd.spawn([(0, 0), (0, 10), (0, 20)])
    crowd.send(ids[:1], (20, 0), within=3)
    crowd.send(ids[1:2], (15, 8), area=(5, 5))
    crowd.follow(ids[2:], 0)
    for _ in range(80):
        crowd.tick()
    at = crowd.positions()
    assert at[0].tolist() == [17, 0] and at[1].tolist() == [15, 10] and abs(at[2] - at[0]).max() <= 1
    ahead = crowd.path_ahead(0)
    assert ahead[0].tolist() == at[0].tolist() and ahead.dtype == np.int32
    open_field.unit_type("tank", size=2)
    tank = crowd.spawn((5, 5), unit="tank")
    crowd.follow(tank, 0)
    for _ in range(40):
        crowd.tick()
    assert abs(np.subtract(crowd.position(int(tank[0])), at[0])).max() <= 1


def test_out_is_checked(open_field: waypost.Navigator) -> None:
    crowd = open_field.crowd()
    crowd.spawn([(x, 1) for x in range(10)])
    room = np.full((20, 2), -1, dtype=np.int32)
    assert (crowd.positions(out=room)[10:] == -1).all() and room[9].tolist() == [9, 1]
    readonly = np.zeros((10, 2), dtype=np.int32)
    readonly.flags.writeable = False
    packed = np.zeros(10, dtype=[("pad", "i1"), ("at", "i4", 2)])["at"]
    bad: list[Any] = [
        np.zeros((9, 2), dtype=np.int32),
        np.zeros((10, 3), dtype=np.int32),
        np.zeros((2, 10), dtype=np.int32).T,
        np.zeros((20, 2), dtype=np.int32)[::2],
        np.zeros((10, 2), dtype=np.int64),
        np.zeros((10, 2), dtype=np.float32),
        np.zeros((10, 2), dtype=">i4"),
        np.zeros(20, dtype=np.int32),
        readonly,
        packed,
        [[0, 0]] * 10,
        "text",
    ]
    for out in bad:
        with pytest.raises((ValueError, TypeError), match="int32 array"):
            crowd.positions(out=out)


def test_methods(open_field: waypost.Navigator) -> None:
    for method in ("lrta", "astar", "sectors"):
        crowd = open_field.crowd(method=method)
        crowd.send(crowd.spawn((0, 0)), (12, 3))
        for _ in range(40):
            crowd.tick()
        assert crowd.position(0) == (12, 3), method
    with refused(ValueError, "unknown algorithm `teleport`|teleport"):
        open_field.crowd(method="teleport")
    assert repr(open_field.crowd()) == "Crowd(units=0)" and open_field.crowd().navigator is open_field


def test_walls_and_goals_outside() -> None:
    mask = random_mask(5)
    nav = waypost.Navigator(waypost.Map.from_array(mask))
    crowd = nav.crowd()
    y, x = (int(v) for v in np.argwhere(~mask)[0])
    with refused(ValueError, rf"points\[0\] \(x={x}, y={y}\) is a wall"):
        crowd.spawn((x, y))
    fy, fx = (int(v) for v in np.argwhere(mask)[0])
    ids = crowd.spawn((fx, fy))
    with refused(ValueError, r"goals\[0\]", "outside the map of 31 x 24"):
        crowd.send(ids, (31, 0))
    with refused(ValueError, "2 goals for 1 units"):
        crowd.send(ids, [(fx, fy), (fx, fy)])


def busy_crowd(nav: waypost.Navigator) -> waypost.Crowd:
    """A crowd some way into its life: units of two types came and went, ids no longer count them."""
    cells = np.argwhere(nav.map.to_array())[:, ::-1]
    crowd = nav.crowd(plan_operations=2_000)
    ids = crowd.spawn(cells[:60])
    large = crowd.spawn([(10, 10), (14, 10)], unit="large", speed=2)
    crowd.send(ids, cells[-60:])
    crowd.send(large, (40, 40))
    crowd.despawn(ids[10:20])
    more = crowd.spawn(cells[200:215])
    crowd.follow(more, int(large[0]))
    for _ in range(7):
        crowd.tick()
    return crowd


def played(crowd: waypost.Crowd, ticks: int = 25) -> list[object]:
    told: list[object] = []
    for _ in range(ticks):
        tick = crowd.tick()
        told.append((tick.moves, crowd.positions().tolist(), [(event.kind, event.unit) for event in tick.events]))
    return told


def snapshot_world() -> waypost.Navigator:
    return waypost.Navigator(waypost.Map.from_array(np.ones((60, 60), dtype=bool)), units={"large": {"size": 2}})


def test_snapshots_roll_back() -> None:
    nav = snapshot_world()
    crowd = busy_crowd(nav)
    then, ids = crowd.snapshot(), crowd.ids().tolist()
    assert repr(then) == f"Snapshot(units={len(ids)})" and ids != list(range(len(ids)))
    nav.patch(block=[(30, y) for y in range(20)])
    first = played(crowd)
    crowd.despawn(ids[:3])
    extra = crowd.spawn((1, 1))
    crowd.restore(then)
    assert crowd.ids().tolist() == ids and nav.is_free((30, 5))
    with refused(ValueError, f"no unit has the id {extra[0]}"):
        crowd.position(int(extra[0]))
    nav.patch(block=[(30, y) for y in range(20)])
    assert played(crowd) == first
    crowd.restore(then)
    assert crowd.spawn((1, 1)).tolist() == extra.tolist(), "ids that were given since are given again"


ELSEWHERE = """
import sys, pickle, waypost
sys.path.insert(0, {tests!r})
from test_crowd import played, snapshot_world
crowd = snapshot_world().crowd(plan_operations=2_000)
crowd.restore(waypost.Snapshot.from_bytes(open({file!r}, "rb").read()))
pickle.dump((crowd.ids().tolist(), played(crowd), crowd.spawn((1, 1)).tolist()), open({out!r}, "wb"))
"""


def test_snapshots_go_on_in_another_process(tmp_path: Path) -> None:
    crowd = busy_crowd(snapshot_world())
    (tmp_path / "game").write_bytes(crowd.snapshot().to_bytes())
    script = ELSEWHERE.format(tests=str(Path(__file__).parent), file=str(tmp_path / "game"), out=str(tmp_path / "out"))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    ids = crowd.ids().tolist()
    assert pickle.loads((tmp_path / "out").read_bytes()) == (ids, played(crowd), crowd.spawn((1, 1)).tolist())


def test_snapshots_that_are_none() -> None:
    nav = snapshot_world()
    crowd = busy_crowd(nav)
    data = crowd.snapshot().to_bytes()
    assert pickle.loads(pickle.dumps(crowd.snapshot())).to_bytes() == data
    for at in range(0, len(data), max(1, len(data) // 200)):
        damaged = bytearray(data)
        damaged[at] ^= 16
        with refused(ValueError, "no snapshot"):
            waypost.Snapshot.from_bytes(bytes(damaged))
    for bad in (b"", data[:-1], data[:20], data + b"0"):
        with refused(ValueError, "no snapshot"):
            waypost.Snapshot.from_bytes(bad)
    other = waypost.Navigator(waypost.Map.from_array(np.ones((50, 60), dtype=bool)), units={"large": {"size": 2}}).crowd()
    ids = other.spawn([(0, 0), (3, 3)])
    with pytest.raises(ValueError):
        other.restore(waypost.Snapshot.from_bytes(data))
    assert other.ids().tolist() == ids.tolist() and other.positions().tolist() == [[0, 0], [3, 3]]


def test_units_that_wait_for_a_plan(open_field: waypost.Navigator) -> None:
    crowd = open_field.crowd()
    assert crowd.planning == 0
    crowd.send(crowd.spawn([(0, 0), (0, 1)]), (30, 20))
    assert crowd.planning == 2
    crowd.tick()
    assert crowd.planning == 0


def test_a_tick_does_not_grow_with_all_that_ever_were() -> None:
    """Nor with a spawn before it: the tick of a crowd with few units takes about what it takes."""
    nav = waypost.Navigator(waypost.Map.from_array(np.ones((100, 100), dtype=bool)))

    def least(crowd: waypost.Crowd) -> float:
        times = []
        for _ in range(30):
            crowd.despawn(crowd.spawn((5, 5)))
            begun = time.perf_counter()
            crowd.tick()
            times.append(time.perf_counter() - begun)
        return min(times)

    young, old = nav.crowd(), nav.crowd()
    for _ in range(200):
        old.despawn(old.spawn(np.zeros((5_000, 2), dtype=int)))
    keep = old.spawn((3, 3))
    assert keep.tolist() == [1_000_000] and old.ids().tolist() == [1_000_000] and old.position(1_000_000) == (3, 3)
    young.spawn((3, 3))
    assert least(old) < 20 * least(young) + 0.0002


def test_who_of_a_group_cannot_is_named() -> None:
    mask = np.ones((3, 9), dtype=bool)
    mask[:, 4] = False
    crowd = waypost.Navigator(waypost.Map.from_array(mask)).crowd()
    here, there, other = crowd.spawn([(0, 0), (8, 0), (6, 2)])
    assert crowd.send_group([here, there, other], (2, 2)).tolist() == [there, other]
    assert crowd.send_group([here], (2, 2)).tolist() == []


def test_a_group_stays_together(open_field: waypost.Navigator) -> None:
    crowd = open_field.crowd(exclusive=True)
    ids = crowd.spawn([(0, 0), (2, 0), (0, 2), (2, 2)])
    assert crowd.send_group(ids, (20, 20), formation="kept").tolist() == []
    while not crowd.all_arrived:
        crowd.tick()
    there = crowd.positions()
    assert (there - there[0]).tolist() == [[0, 0], [2, 0], [0, 2], [2, 2]]
    with refused(ValueError, "formation is", "close"):
        crowd.send_group(ids, (20, 20), formation="wedge")  # type: ignore[arg-type]
    with refused(ValueError, "goal"):
        crowd.send_group(ids, (99, 20))
    with refused(ValueError, "no unit has the id 7"):
        crowd.send_group([0, 7], (20, 20))


def test_a_speed_for_each_and_one_shape_of_goal(open_field: waypost.Navigator) -> None:
    crowd = open_field.crowd()
    ids = crowd.spawn([(0, 0), (0, 5), (0, 10)])
    crowd.set_speed(ids, [1, 2, 3])
    crowd.send(ids, [(30, 0), (30, 5), (30, 10)])
    for _ in range(6):
        crowd.tick()
    assert crowd.positions()[:, 0].tolist() == [6, 3, 2]
    crowd.set_speed(ids, 1)
    with refused(ValueError, "2 speeds for 3 units"):
        crowd.set_speed(ids, [1, 2])
    with refused(ValueError, "within is 1", r"area \(2, 2\)", "one of the two"):
        crowd.send(ids, (3, 3), within=1, area=(2, 2))
