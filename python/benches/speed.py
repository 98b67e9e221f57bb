"""How fast the package is beside the engine itself and beside what people use instead, all in one run.

    python python/benches/speed.py MAP [SCENARIO] [--json FILE]

The peers are taken where they are installed: ``pip install pyastar2d scikit-image scipy``.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import waypost
from waypost import _native

QUERIES = 10_000
UNITS = 10_000
TICKS = 60
#: Queries that the slow ones answer, evenly from all.
SAMPLE = 400


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def both_seconds(work: Callable[[], object]) -> tuple[float, float]:
    """By the clock, and of all processors together: the second does not run on while other programs have them."""
    begun = time.process_time()
    return seconds(work), time.process_time() - begun


def queries(level: waypost.Map, scenario: str | None) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Starts and goals: the scenario's problems again and again, or problems from a seed."""
    problems = waypost.read_scenario(scenario, level) if scenario else waypost.scenario(level, QUERIES, seed=1)
    free = level.to_array()
    good = free[problems[:, 1], problems[:, 0]] & free[problems[:, 3], problems[:, 2]]
    problems = np.resize(problems[good], (QUERIES, 4))
    return problems[:, :2].copy(), problems[:, 2:].copy()


def batches(nav: waypost.Navigator, starts: Any, goals: Any) -> dict[str, float]:
    """Seconds of all queries as one batch: from Python and from Rust in turns, the median of each."""
    python, processor, rust = [], [], []
    for _ in range(9):
        clock, used = both_seconds(lambda: nav.paths(starts, goals))
        python.append(clock)
        processor.append(used)
        rust.append(_native.rust_paths_seconds(nav, starts, goals))
    ratio = statistics.median(p / r for p, r in zip(python, rust))
    return {
        "python_s": statistics.median(python),
        "processor_s": statistics.median(processor),
        "rust_s": statistics.median(rust),
        "ratio": ratio,
    }


def ticks(nav: waypost.Navigator, starts: Any, goals: Any) -> dict[str, float]:
    """Microseconds of a tick. Crowds do the same tick by tick, so the least over several is free of what other programs did."""
    best = np.full((2, TICKS), np.inf)
    out = np.empty((UNITS, 2), dtype=np.int32)
    for round_number in range(24):
        crowds = []
        for _ in range(2):
            crowd = nav.crowd()
            crowd.send(crowd.spawn(starts), goals)
            crowds.append(crowd)
        # The second of a pair finds what both need in the caches, so they take turns at that too.
        turns = [lambda: seconds(crowds[0].tick), lambda: _native.rust_tick_seconds(crowds[1])]
        order = (0, 1) if round_number % 2 else (1, 0)
        for i in range(TICKS):
            for who in order:
                best[who, i] = min(best[who, i], turns[who]())
        assert (crowds[0].positions(out=out) == crowds[1].positions()).all()
    python, rust = best.mean(axis=1) * 1e6
    return {"python_us": float(python), "rust_us": float(rust), "added_us": float(python - rust)}


def pyastar2d_route(mask: npt.NDArray[np.bool_]) -> Callable[[Any, Any], object] | None:
    try:
        import pyastar2d
    except ImportError:
        return None
    weights = np.where(mask, 1.0, np.inf).astype(np.float32)
    return lambda start, goal: pyastar2d.astar_path(weights, (start[1], start[0]), (goal[1], goal[0]), allow_diagonal=True)


def skimage_route(mask: npt.NDArray[np.bool_]) -> Callable[[Any, Any], object] | None:
    try:
        from skimage.graph import route_through_array
    except ImportError:
        return None
    costs = np.where(mask, 1.0, -1.0)
    return lambda start, goal: route_through_array(
        costs, (start[1], start[0]), (goal[1], goal[0]), fully_connected=True, geometric=True
    )


def scipy_route(mask: npt.NDArray[np.bool_]) -> Callable[[Any, Any], object] | None:
    """Dijkstra's algorithm of scipy on the graph of all cells, and the way back along the predecessors."""
    try:
        from scipy.sparse import coo_matrix
        from scipy.sparse.csgraph import dijkstra
    except ImportError:
        return None
    number = np.where(mask, np.cumsum(mask).reshape(mask.shape) - 1, -1)
    rows, columns, lengths = [], [], []
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        height, width = mask.shape
        y0, y1, x0, x1 = 0, height - dy, max(0, -dx), width - max(0, dx)
        here, there = number[y0:y1, x0:x1], number[y0 + dy : y1 + dy, x0 + dx : x1 + dx]
        legal = (here >= 0) & (there >= 0)
        if dx and dy:
            legal &= (number[y0 + dy : y1 + dy, x0:x1] >= 0) & (number[y0:y1, x0 + dx : x1 + dx] >= 0)
        rows.append(here[legal])
        columns.append(there[legal])
        lengths.append(np.full(int(legal.sum()), np.hypot(dx, dy)))
    size = int(mask.sum())
    graph = coo_matrix((np.concatenate(lengths), (np.concatenate(rows), np.concatenate(columns))), (size, size)).tocsr()

    def route(start: Any, goal: Any) -> object:
        source, target = number[start[1], start[0]], number[goal[1], goal[0]]
        _, before = dijkstra(graph, directed=False, indices=source, return_predecessors=True)
        path = [target]
        while path[-1] != source:
            path.append(before[path[-1]])
        return path

    return route


def peers(level: waypost.Map, starts: Any, goals: Any, batch: dict[str, float]) -> list[dict[str, Any]]:
    """Microseconds a query of others over a sample, and how many times ours that is: by the clock and of processors."""
    pick = np.linspace(0, QUERIES - 1, SAMPLE).astype(int)
    mask = level.to_array()
    rows = []
    for name, make in (("pyastar2d", pyastar2d_route), ("scikit-image route_through_array", skimage_route), ("scipy csgraph.dijkstra", scipy_route)):
        route = make(mask)
        if route is None:
            print(f"{name} is not installed", file=sys.stderr)
            continue
        each = [both_seconds(lambda i=i: route(starts[i], goals[i])) for i in pick]  # type: ignore[misc]
        clock, used = (statistics.fmean(column) for column in zip(*each))
        row = {"name": name, "query_us": clock * 1e6, "processor_us": used * 1e6}
        row["times_ours"] = clock * QUERIES / batch["python_s"]
        row["processor_times_ours"] = used * QUERIES / batch["processor_s"]
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("map")
    parser.add_argument("scenario", nargs="?")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    level = waypost.Map.load(arguments.map)
    build_seconds = seconds(lambda: waypost.Navigator(level))
    nav = waypost.Navigator(level)
    starts, goals = queries(level, arguments.scenario)
    one = starts[:2_000], goals[:2_000]
    single = seconds(lambda: [nav.path(a, b) for a, b in zip(*one)]) / len(one[0]) * 1e6
    batch = batches(nav, starts, goals)
    batch_us = batch["python_s"] / QUERIES * 1e6
    tick = ticks(nav, starts, goals)
    others = peers(level, starts, goals, batch)
    print(f"{level!r}, {nav.index['kind']}, built in {build_seconds:.2f} s; {QUERIES} queries, {UNITS} units\n")
    processor_us = batch["processor_s"] / QUERIES * 1e6
    print(f"{'each':<40}{'µs':>10}{'times ours':>12}{'processor µs':>14}{'times ours':>12}")
    print(f"{'paths() of all queries':<40}{batch_us:>10.2f}{1.0:>12.1f}{processor_us:>14.2f}{1.0:>12.1f}")
    print(f"{'the same from Rust':<40}{batch['rust_s'] / QUERIES * 1e6:>10.2f}{1 / batch['ratio']:>12.2f}")
    print(f"{'path(), one after the other':<40}{single:>10.2f}{single / batch_us:>12.1f}")
    for row in others:
        print(f"{row['name']:<40}{row['query_us']:>10.0f}{row['times_ours']:>12.0f}{row['processor_us']:>14.0f}{row['processor_times_ours']:>12.0f}")
    print(f"\npaths(): {batch['ratio']:.2f} times the Rust time for the same queries")
    print(f"tick(): {tick['python_us']:.1f} µs, {tick['rust_us']:.1f} µs from Rust: {tick['added_us']:+.1f} µs")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"batch": batch, "tick": tick, "single_us": single, "build_seconds": build_seconds, "peers": others}, file, indent=1)


if __name__ == "__main__":
    main()
