"""Maps, worlds and an oracle that shares no code with the engine."""

from __future__ import annotations

import heapq
import math
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import waypost

Mask = npt.NDArray[np.bool_]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fuzz-calls", type=int, default=100_000, help="how many fuzzed calls to make")
    parser.addoption("--fuzz-seed", type=int, default=1)


def random_mask(seed: int, height: int = 24, width: int = 31, walls: float = 0.3) -> Mask:
    return np.random.default_rng(seed).random((height, width)) >= walls


def neighbours(mask: Mask, x: int, y: int) -> Iterator[tuple[int, int, float]]:
    """Eight ways; a diagonal needs both cells beside it."""

    def free(x: int, y: int) -> bool:
        return 0 <= y < mask.shape[0] and 0 <= x < mask.shape[1] and bool(mask[y, x])

    for dx in (-1, 0, 1):
        for dy in (-1, 0, 1):
            if (dx, dy) == (0, 0) or not free(x + dx, y + dy):
                continue
            if dx and dy and not (free(x + dx, y) and free(x, y + dy)):
                continue
            yield x + dx, y + dy, math.hypot(dx, dy)


def distances(mask: Mask, start: tuple[int, int], terrain: npt.NDArray[np.float64] | None = None) -> dict[tuple[int, int], float]:
    """The cost of a cheapest path to every cell that can be reached."""
    best = {start: 0.0}
    heap = [(0.0, start)]
    while heap:
        cost, (x, y) = heapq.heappop(heap)
        if cost > best[x, y]:
            continue
        for nx, ny, length in neighbours(mask, x, y):
            factor = 1.0 if terrain is None else float(terrain[y, x] + terrain[ny, nx]) / 2
            if cost + length * factor < best.get((nx, ny), math.inf) - 1e-9:
                best[nx, ny] = cost + length * factor
                heapq.heappush(heap, (best[nx, ny], (nx, ny)))
    return best


def walked(mask: Mask, points: npt.NDArray[np.int32]) -> float:
    """The length of a path, after every step was found legal."""
    total = 0.0
    for (ax, ay), (bx, by) in zip(points[:-1].tolist(), points[1:].tolist()):
        steps = {(x, y): length for x, y, length in neighbours(mask, ax, ay)}
        assert (bx, by) in steps, f"({ax}, {ay}) to ({bx}, {by}) is no legal step"
        total += steps[bx, by]
    return total


@pytest.fixture
def open_field() -> waypost.Navigator:
    return waypost.Navigator(waypost.Map.from_array(np.ones((30, 40), dtype=bool)))


@pytest.fixture(scope="session")
def caves() -> waypost.Map:
    return waypost.Map.generate("caves", 96, 64, seed=5)


@pytest.fixture(scope="session")
def real_maps() -> str | None:
    """A folder of MovingAI maps, where there is one."""
    folder = os.environ.get("WAYPOST_MAPS", "")
    return folder if os.path.isdir(folder) else None


def refused(error: type[Exception], *words: str) -> Any:
    """An exception whose text has these words."""
    return pytest.raises(error, match="(?s)" + ".*".join(words))
