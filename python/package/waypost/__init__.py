"""Pathfinding for game maps: exact paths in microseconds, crowds under a fixed budget a tick.

Arrays are numpy's ``[row, column]``; points are ``(x, y)``, that is ``(column, row)``, from (0, 0) at the top left.

>>> import numpy, waypost
>>> mask = numpy.ones((30, 40), dtype=bool)       # True can be walked on
>>> mask[:25, 20] = False                         # a wall in column 20
>>> nav = waypost.Navigator(waypost.Map.from_array(mask))
>>> path = nav.path((3, 4), (35, 4))
>>> path
Path((3, 4) to (35, 4), 44 steps, cost=56.426)

``waypost.distributed`` builds indexes and runs benches on a Dask cluster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._native import (
    Agent,
    Crowd,
    Event,
    Map,
    Navigator,
    Path,
    Requests,
    Smoothed,
    Snapshot,
    Tick,
    __version__,
    algorithms,
    bench,
    build,
    experiments,
    index_kinds,
    lab,
    merge,
    read_scenario,
    scenario,
    solve,
    verify,
)

if TYPE_CHECKING:
    from . import distributed

__all__ = [
    "Agent",
    "Crowd",
    "Event",
    "Map",
    "Navigator",
    "Path",
    "Requests",
    "Smoothed",
    "Snapshot",
    "Tick",
    "__version__",
    "algorithms",
    "bench",
    "build",
    "distributed",
    "experiments",
    "index_kinds",
    "lab",
    "merge",
    "read_scenario",
    "scenario",
    "solve",
    "verify",
]

if not TYPE_CHECKING:  # a type checker would take every name for one of ours

    def __getattr__(name):
        """``waypost.distributed`` needs no import of its own, and costs nothing where nobody asks for it."""
        if name == "distributed":
            import importlib

            return importlib.import_module(".distributed", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__():
        return sorted({*globals(), *__all__})
