"""What people get wrong, and what they are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import waypost
from conftest import refused


def wide() -> waypost.Navigator:
    """20 rows, 50 columns."""
    mask = np.ones((20, 50), dtype=bool)
    mask[3, 7] = False
    return waypost.Navigator(waypost.Map.from_array(mask))


def test_swapped_points_are_explained() -> None:
    nav = wide()
    with refused(ValueError, r"start \(x=10, y=40\) is outside the map of 50 x 20", r"\(40, 10\) would be inside", r"\(x, y\)"):
        nav.path((10, 40), (0, 0))
    with refused(ValueError, r"goals\[1\] \(x=10, y=40\)", "would be inside"):
        nav.paths([(0, 0), (1, 1)], [(2, 2), (10, 40)])
    with refused(ValueError, r"goal \(x=7, y=3\) is a wall", r"\(3, 7\) is free"):
        nav.path((0, 0), (7, 3))


def test_swapped_arrays_are_explained() -> None:
    mask = np.ones((20, 50), dtype=bool)
    with refused(ValueError, r"terrain has the shape \(50, 20\), the mask \(20, 50\)", "terrain.T"):
        waypost.Map.from_array(mask, np.ones((50, 20)))
    with refused(ValueError, "doors has the shape", "doors.T"):
        waypost.Map.from_array(mask, doors=np.zeros((50, 20), dtype=bool))
    with refused(ValueError, r"starts has the shape \(2, 5\)", r"starts.T"):
        wide().paths(np.zeros((2, 5), dtype=int), np.zeros((5, 2), dtype=int))


@pytest.mark.parametrize("at", [(-1, 0), (0, -1), (50, 0), (0, 20), (2**31, 0), (2**63, 1), (-(2**70), 0), (2**32, 2**32), (2**64 - 1, 0)])
def test_points_outside_are_named(at: Any) -> None:
    nav = wide()
    for ask in (nav.path, nav.distance):
        with refused(ValueError, "start", "outside the map"):
            ask(at, (0, 0))
        with refused(ValueError, "goal", "outside the map"):
            ask((0, 0), at)
    for look in (nav.is_free, nav.nearest_free, nav.map.is_free):
        with refused(ValueError, "point", "outside the map"):
            look(at)
    with refused(ValueError, "outside the map"):
        nav.range(at, 3.0)
    crowd = nav.crowd()
    named = rf"\(x={at[0]}, y={at[1]}\) is outside the map"
    with refused(ValueError, f"start {named}"):
        nav.path(at, (0, 0))
    for call in (nav.patch, nav.set_doors):
        with refused(ValueError, rf"open\[1\] {named}"):
            call(open=[(0, 0), at])
    with refused(ValueError, rf"starts\[0\] {named}"):
        nav.paths([at], [(0, 0)])
    assert np.isinf(nav.paths([at], [(0, 0)], strict=False)[2]).all()
    with refused(ValueError, rf"points\[0\] {named}"):
        crowd.spawn([at])
    assert len(crowd) == 0


@pytest.mark.parametrize("dtype", [np.uint64, ">u8", object])
def test_huge_numbers_do_not_wrap(dtype: Any) -> None:
    nav = wide()
    huge = np.array([[0, 1], [2**64 - 3, 2**63]], dtype=dtype)
    with refused(ValueError, r"starts\[1\] \(x=18446744073709551613, y=9223372036854775808\) is outside the map", "65535"):
        nav.paths(huge, [(0, 0), (0, 0)])
    assert np.isinf(nav.paths(huge, [(0, 0), (0, 0)], strict=False)[2]).tolist() == [False, True]
    with refused(ValueError, r"block\[0\] \(x=-1, y=9223372036854775808\)"):
        nav.patch(block=[(-1, 2**63)])
    with refused(TypeError, "block has elements of type float64"):
        nav.patch(block=[(1.0, 2**63)])  # type: ignore[arg-type]
    crowd = nav.crowd()
    ids = crowd.spawn([(0, 0), (1, 1)])
    for bad in ([2**63 + 1], [2**63 + 1, -1]):
        for wrong in (bad, np.array(bad, dtype=dtype)) if min(bad) > 0 else (bad,):
            with refused(ValueError, "no unit has the id 9223372036854775809"):
                crowd.send(wrong, (3, 3))
    with refused(ValueError, "no unit has the id 1180591620717411303424"):
        crowd.stop(2**70)
    with refused(ValueError, "speed is 9223372036854775808; a move takes 1 to 16 ticks"):
        crowd.set_speed(ids, [1, 2**63])


def test_sizes_of_units_are_named() -> None:
    level = waypost.Map.from_array(np.ones((20, 20), dtype=bool))
    for bad in (-2, 2**40):
        with refused(ValueError, rf'`units\["tank"\]\["size"\]` is {bad}; give a whole number'):
            waypost.Navigator(level, units={"tank": {"size": bad}})
    with refused(TypeError, r'`units\["tank"\]\["size"\]` is 2.5; give a whole number'):
        waypost.Navigator(level, units={"tank": {"size": 2.5}})  # type: ignore[typeddict-item]


@pytest.mark.parametrize("bad", [None, 3, "ab", "x", (1,), (1, 2, 3), (1.5, 2), ("a", "b"), (None, 1), object(), {}, np.zeros((2, 2)), b"ab!", float("nan")])
def test_things_that_are_no_point(bad: Any) -> None:
    nav = wide()
    with refused(TypeError, "start is", r"\(x, y\)"):
        nav.path(bad, (0, 0))


@pytest.mark.parametrize(
    "bad",
    [
        np.zeros((4, 2)), np.zeros((4, 2), dtype=complex), np.array([["a", "b"]]), np.zeros((4, 3), dtype=int), np.zeros(4, dtype=int),
        np.zeros((2, 2, 2), dtype=int), np.array(5), np.zeros((4, 2), dtype=bool), np.array([[object(), 1]]), [[1, 2], [3]], "points",
        np.array(["2020-01-01"], dtype="M8[D]"), {"a": 1},
    ],
)
def test_arrays_that_are_no_points(bad: Any) -> None:
    nav = wide()
    with pytest.raises((ValueError, TypeError), match="starts"):
        nav.paths(bad, bad)
    with pytest.raises((ValueError, TypeError), match="block"):
        nav.patch(block=bad)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (np.zeros((3, 3), dtype=np.uint8), "mask != 0"),
        (np.full((3, 3), np.inf), "terrain="),
        (np.zeros((3, 3, 3), dtype=bool), "dimensions"),
        (np.zeros(9, dtype=bool), "dimensions"),
        (np.zeros((0, 0), dtype=bool), "0 x 0"),
        (np.zeros((0, 5), dtype=bool), "5 x 0"),
        ("mask", "mask"),
        (None, "mask"),
        ([[True], [True, False]], "mask"),
    ],
)
def test_arrays_that_are_no_mask(bad: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        waypost.Map.from_array(bad)


def test_terrain_that_is_none() -> None:
    mask = np.ones((3, 3), dtype=bool)
    for factor in (0.0, 0.05, -1.0, 101.0, np.inf, np.nan):
        terrain = np.ones((3, 3))
        terrain[1, 2] = factor
        with refused(ValueError, r"terrain\[1, 2\]", "0.1 to 100"):
            waypost.Map.from_array(mask, terrain)
    with refused(ValueError, "say what they cost"):
        waypost.Map.from_array(mask, np.ones((3, 3), dtype=int))
    with refused(ValueError, "nothing to name"):
        waypost.Map.from_array(mask, np.ones((3, 3)), factors={"S": 2.0})
    with refused(ValueError, "factors=", "there is none"):
        waypost.Map.from_array(mask, factors={"S": 2.0})
    with refused(ValueError, r"factors\['S'\] is 1000"):
        waypost.Map.from_array(mask, np.full((3, 3), "S"), factors={"S": 1000})
    with refused(ValueError, "no class `Z`"):
        waypost.Map.from_array(mask, np.full((3, 3), "S"), factors={"Z": 2.0})
    with refused(ValueError, "no class `7`"):
        waypost.Map.from_array(mask, np.full((3, 3), 1), factors={7: 2.0})
    with refused(TypeError, "terrain has elements of type complex128"):
        waypost.Map.from_array(mask, np.ones((3, 3), dtype=complex))
    with refused(ValueError, "255 classes"):
        waypost.Map.from_array(np.ones((30, 30), dtype=bool), np.linspace(1, 99, 900).reshape(30, 30))


def test_a_map_beyond_all_bounds() -> None:
    with refused(ValueError, "cells"):
        waypost.Map.generate("caves", 2**31, 2**31)
    with refused(ValueError, "`width` is 1099511627776; give a whole number from 0 to 4294967295"):
        waypost.Map.generate("caves", 2**40, 10)
    with pytest.raises((ValueError, MemoryError)):
        waypost.Map.from_array(np.broadcast_to(np.array([[True]]), (70_000, 1)).repeat(1, axis=0)).scaled(10_000)


def test_numbers_that_cannot_be_are_named(caves: waypost.Map) -> None:
    nav = wide()
    calls: dict[str, Callable[[Any], object]] = {
        "height": lambda bad: waypost.Map.generate("caves", 10, bad),
        "seed": lambda bad: waypost.Map.generate("caves", 10, 10, seed=bad),
        "size": lambda bad: nav.unit_type("tank", size=bad),
        "threads": lambda bad: waypost.Navigator(caves, threads=bad),
        "max_bytes": lambda bad: waypost.Navigator(caves, max_bytes=bad),
        "operations": lambda bad: nav.advance(bad),
        "short": lambda bad: nav.requests(bad),
        "expansions": lambda bad: nav.requests().tick(bad),
        "ticket": lambda bad: nav.requests().state(bad),
        "plan_operations": lambda bad: nav.crowd(plan_operations=bad),
        "factor": lambda bad: caves.scaled(bad),
        "limit": lambda bad: nav.agent("lrta").walk(bad),
    }
    for name, call in calls.items():
        with refused(ValueError, f"`{name}` is -1; give a whole number"):
            call(-1)
        with refused(ValueError, f"`{name}` is {2**70}; give a whole number"):
            call(2**70)
        with refused(ValueError, f"`{name}` is far too large"):
            call(10**5000)
        with refused(TypeError, name):
            call("many")
    with refused(ValueError, "`cost` is far too large; give a number that a float can hold"):
        nav.range((0, 0), 10**5000)
    with refused(ValueError, "`max_seconds` is far too large"):
        waypost.Navigator(caves, max_seconds=10**5000)
    with refused(ValueError, r"`shard` is \(-1, 2\)"):
        waypost.build(caves, "cpd", shard=(-1, 2))
    with refused(ValueError, f"`id` is {2**70}"):
        nav.crowd().position(2**70)


def test_goals_must_be_as_many_as_starts() -> None:
    with refused(ValueError, "2 starts and 1 goals"):
        wide().paths([(0, 0), (1, 1)], [(2, 2)])


def test_progress_that_is_none(caves: waypost.Map) -> None:
    with refused(TypeError, "progress is 3"):
        waypost.Navigator(caves, progress=3)  # type: ignore[arg-type]
