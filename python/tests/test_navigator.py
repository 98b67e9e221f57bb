"""Paths, batches, ranges, changes, unit types, files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import waypost
from conftest import distances, random_mask, refused, walked


@pytest.mark.parametrize("seed", range(4))
def test_paths_are_shortest_and_legal(seed: int) -> None:
    mask = random_mask(seed)
    nav = waypost.Navigator(waypost.Map.from_array(mask))
    free = [(int(x), int(y)) for y, x in np.argwhere(mask)]
    rng = np.random.default_rng(seed)
    starts, goals = rng.choice(free, 150), rng.choice(free, 150)
    points, offsets, costs = nav.paths(starts, goals)
    assert points.dtype == np.int32 and offsets.dtype == np.int64 and costs.dtype == np.float64
    for i, (start, goal) in enumerate(zip(starts.tolist(), goals.tolist())):
        truth = distances(mask, tuple(start)).get(tuple(goal))
        mine = points[offsets[i] : offsets[i + 1]]
        path = nav.path(start, goal)
        if truth is None:
            assert path is None and len(mine) == 0 and math.isinf(costs[i])
            assert nav.distance(start, goal) is None
            continue
        assert path is not None
        assert walked(mask, mine) == pytest.approx(truth) == costs[i] == pytest.approx(path.cost)
        assert nav.distance(start, goal) == pytest.approx(truth)
        assert (path.points == mine).all() and len(path) == len(mine)
        assert mine[0].tolist() == start and mine[-1].tolist() == goal
        assert walked(mask, path.few_turns()) == pytest.approx(truth)
        smoothed = path.smooth()
        assert smoothed.length <= path.cost + 1e-9 and smoothed.points[0].tolist() == start
        assert path.corners[0].tolist() == start and path.corners[-1].tolist() == goal


def test_points_of_any_sort(open_field: waypost.Navigator) -> None:
    ends: list[Any] = [((1, 2), (5, 2)), ([1, 2], [5, 2]), (np.array([1, 2]), np.array([5, 2], dtype=np.uint8)), ((np.int16(1), 2), (5, np.uint64(2)))]
    for start, goal in ends:
        path = open_field.path(start, goal)
        assert path is not None and path.cost == 4.0
    starts = [[1, 2], (3, 4)]
    for given in (starts, tuple(starts), np.array(starts, dtype=np.int8), np.array(starts, dtype=np.uint64), np.array(starts).T.copy().T):
        assert open_field.paths(given, given)[2].tolist() == [0.0, 0.0]
    empty = open_field.paths([], [])
    assert empty[0].shape == (0, 2) and empty[1].tolist() == [0] and empty[2].shape == (0,)


def test_a_path_outlives_its_world(open_field: waypost.Navigator) -> None:
    path = open_field.path((0, 0), (9, 9))
    assert path is not None
    points = path.points
    del path
    assert points.flags.owndata or points.base is not None
    assert points[-1].tolist() == [9, 9] and points.flags.writeable


def test_a_changed_world_is_not_straightened(open_field: waypost.Navigator) -> None:
    path = open_field.path((0, 0), (9, 9))
    assert path is not None and path.smooth().points.tolist() == [[0, 0], [9, 9]]
    open_field.patch(block=[(5, 5)])
    with refused(ValueError, "has changed"):
        path.smooth()


def test_range(open_field: waypost.Navigator) -> None:
    mask = random_mask(8)
    nav = waypost.Navigator(waypost.Map.from_array(mask))
    start = tuple(int(v) for v in np.argwhere(mask)[40][::-1])
    truth = distances(mask, (start[0], start[1]))
    points, costs = nav.range(start, 6.5)
    found = {(x, y): cost for (x, y), cost in zip(points.tolist(), costs.tolist())}
    assert found.keys() == {at for at, cost in truth.items() if cost <= 6.5 + 1e-9}
    assert all(cost == pytest.approx(truth[at]) for at, cost in found.items())
    assert len(open_field.range((0, 0), math.inf)[0]) == 1200
    for bad in (-1.0, math.nan):
        with refused(ValueError, "cost is"):
            open_field.range((0, 0), bad)


def test_patches_are_seen_at_once(open_field: waypost.Navigator) -> None:
    wall = np.array([(20, y) for y in range(30)])
    twin = open_field.fork()
    assert open_field.patch(block=wall) == 30
    assert open_field.patch(block=wall) == 0
    assert open_field.path((0, 0), (39, 0)) is None
    assert open_field.nearest_reachable((0, 0), (39, 7)) == (19, 7)
    assert open_field.nearest_free((20, 3)) in {(19, 3), (21, 3), (19, 2), (21, 2), (19, 4), (21, 4)}
    assert not open_field.is_free((20, 3)) and twin.is_free((20, 3))
    assert twin.distance((0, 0), (39, 0)) == 39.0
    assert open_field.patch(open=[(20, 4)]) == 1
    assert not open_field.map.to_array()[3, 20] and open_field.map.to_array()[4, 20]
    assert open_field.patch(block=[(20, 4)], open=[(20, 4)]) == 1, "a cell in both becomes a wall"
    while any(row["state"] == "repairing" for row in open_field.states()):
        open_field.advance()
    open_field.rebuild()
    assert open_field.patch(open=wall[:5]) == 5
    assert open_field.distance((0, 0), (39, 0)) == 39.0
    assert {row["unit"] for row in open_field.states()} == {"unit"}


def test_many_changes_keep_paths_shortest() -> None:
    mask = random_mask(11, walls=0.25)
    nav = waypost.Navigator(waypost.Map.from_array(mask))
    rng = np.random.default_rng(11)
    for _ in range(12):
        block = [(int(x), int(y)) for x, y in zip(rng.integers(0, 31, 4), rng.integers(0, 24, 4))]
        free = [(int(x), int(y)) for x, y in zip(rng.integers(0, 31, 4), rng.integers(0, 24, 4))]
        nav.patch(block=block, open=free)
        for x, y in free:
            mask[y, x] = True
        for x, y in block:
            mask[y, x] = False
        assert (nav.map.to_array() == mask).all()
        cells = [(int(x), int(y)) for y, x in np.argwhere(mask)]
        start, goal = (cells[i] for i in rng.integers(0, len(cells), 2))
        truth = distances(mask, start).get(goal)
        assert nav.distance(start, goal) == (truth if truth is None else pytest.approx(truth))


def test_doors() -> None:
    mask = np.ones((9, 21), dtype=bool)
    mask[:, 10] = False
    doors = np.zeros_like(mask)
    doors[2, 10] = doors[6, 10] = True
    mask[6, 10] = True
    nav = waypost.Navigator(waypost.Map.from_array(mask, doors=doors))
    assert sorted(nav.map.doors.tolist()) == [[10, 2], [10, 6]]
    far = nav.distance((0, 2), (20, 2))
    assert nav.set_doors(open=[(10, 2)], close=[(10, 6)]) == 2
    near = nav.distance((0, 2), (20, 2))
    assert far is not None and near is not None and near < far
    assert all(row["state"] == "current" for row in nav.states())
    with refused(ValueError, "5,5 is no door"):
        nav.set_doors(open=[(5, 5)])


def test_unit_types(tmp_path: Path) -> None:
    mask = np.ones((20, 20), dtype=bool)
    mask[:, 9] = False
    mask[4, 9] = True
    mask[12:15, 9] = True
    level = waypost.Map.from_array(mask)
    nav = waypost.Navigator(level, units={"tank": {"size": 3}})
    assert nav.unit_types == ["unit", "tank"]
    assert nav.unit_type("cart", size=2) == "cart"
    one, cart, tank = (nav.distance((2, 4), (15, 4), unit=unit) for unit in (None, "cart", "tank"))
    assert one is not None and cart is not None and tank is not None and one < cart < tank
    nav.patch(block=[(9, 14)])
    assert nav.path((2, 4), (15, 4), unit="tank") is None and nav.path((2, 4), (15, 4), unit="cart") is not None
    with refused(ValueError, "no unit type is called `boat`", "unit, tank, cart"):
        nav.path((2, 4), (15, 4), unit="boat")
    with refused(ValueError, "huge", "99 cells"):
        nav.unit_type("huge", size=99)
    with refused(ValueError, "goal", "wall for the unit type `tank`"):
        nav.path((2, 4), (7, 0), unit="tank")
    with refused(ValueError, "has the key \"speed\""):
        waypost.Navigator(level, units={"tank": {"speed": 3}})  # type: ignore[typeddict-unknown-key]


def test_unit_types_and_ground() -> None:
    """A strait of water between two shores, and a bridge at one end of it."""
    mask = np.ones((9, 9), dtype=bool)
    ground = np.full((9, 9), "land", dtype="<U5")
    ground[:8, 4] = "water"
    level = waypost.Map.from_array(mask, ground, factors={"land": 1.0, "water": 4.0})
    nav = waypost.Navigator(level, units={"boat": {"terrain": {"water": 1.0}}})
    assert nav.unit_type("cart", terrain={"water": None}) == "cart"
    ends = (3, 0), (5, 0)
    assert [nav.distance(*ends, unit=unit) for unit in (None, "boat")] == [5.0, 2.0]
    round_about = nav.path(*ends, unit="cart")
    assert round_about is not None and [4, 8] in round_about.points.tolist() and round_about.cost > 16
    with refused(ValueError, "wall for the unit type `cart`"):
        nav.path((3, 0), (4, 0), unit="cart")
    crowd = nav.crowd()
    boat, cart = (crowd.spawn([(3, 0)], unit=unit)[0] for unit in ("boat", "cart"))
    crowd.send([boat, cart], [(5, 0), (5, 0)])
    for _ in range(2):
        crowd.tick()
    assert crowd.position(int(boat)) == (5, 0) and crowd.position(int(cart))[1] > 0
    again = waypost.Navigator.from_bytes(level, nav.to_bytes())
    assert [again.distance(*ends, unit=unit) for unit in ("boat", "cart")] == [2.0, round_about.cost]
    with refused(ValueError, "lava", "land, water"):
        nav.unit_type("imp", terrain={"lava": 1.0})
    with refused(ValueError, "1000"):
        nav.unit_type("imp", terrain={"water": 1000.0})


def test_save_and_load(tmp_path: Path, caves: waypost.Map) -> None:
    nav = waypost.Navigator(caves, units={"large": {"size": 2}})
    nav.save(tmp_path / "caves.nav")
    again = waypost.Navigator.load(caves, tmp_path / "caves.nav")
    assert again.unit_types == nav.unit_types and again.index["kind"] == nav.index["kind"]
    cells = [(int(x), int(y)) for y, x in np.argwhere(caves.to_array())]
    assert again.distance(cells[0], cells[-1]) == nav.distance(cells[0], cells[-1])
    assert waypost.Navigator.from_bytes(caves, nav.to_bytes()).to_bytes() == nav.to_bytes()


def test_files_that_do_not_fit(tmp_path: Path, caves: waypost.Map) -> None:
    data = waypost.Navigator(caves).to_bytes()
    file = tmp_path / "x.nav"
    other = waypost.Map.generate("caves", 96, 64, seed=6)
    smaller = waypost.Map.generate("caves", 64, 64, seed=5)
    for level in (other, smaller):
        with refused(ValueError, "built for another map"):
            waypost.Navigator.from_bytes(level, data)
    for wrong in (b"", b"no index", data[:1000], data[:-1] + bytes([data[-1] ^ 1]), b"\0" * 10_000):
        file.write_bytes(wrong)
        with refused(ValueError, "x.nav"):
            waypost.Navigator.load(caves, file)
    with pytest.raises(FileNotFoundError):
        waypost.Navigator.load(caves, tmp_path / "none.nav")
    with pytest.raises(FileNotFoundError):
        waypost.Navigator(caves).save(tmp_path / "no" / "folder.nav")
    assert not list(tmp_path.glob("*.tmp"))


def test_requests(open_field: waypost.Navigator) -> None:
    requests = open_field.requests()
    ticket = requests.ask((0, 0), (39, 29))
    other = requests.ask((0, 0), (3, 0))
    assert requests.pending == 2 and requests.state(ticket) == "pending"
    while requests.pending:
        assert requests.tick(50) <= 50
    points = requests.close(ticket)
    assert points is not None and points[-1].tolist() == [39, 29]
    assert requests.state(other) == "found"
    with refused(ValueError, "no request has the ticket"):
        requests.state(ticket)
    open_field.patch(block=[(20, y) for y in range(30)])
    lost = requests.ask((0, 0), (39, 29))
    requests.tick(10_000)
    assert requests.state(lost) == "no path" and requests.close(lost) is None


def test_options(caves: waypost.Map) -> None:
    nav = waypost.Navigator(caves, max_seconds=1e-9, threads=2)
    assert nav.index["kind"] == "sectors"
    assert "labels" in repr(waypost.Navigator(caves))
    with refused(ValueError, "threads is 0"):
        waypost.Navigator(caves, threads=0)
    with refused(ValueError, "max_seconds is NaN"):
        waypost.Navigator(caves, max_seconds=math.nan)
    with refused(ValueError, "made for units of 2 cells"):
        waypost.Navigator(waypost.Map.from_array(caves.to_array(), size=2))
