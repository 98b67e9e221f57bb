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

from ._native import (
    Agent,
    Crowd,
    Event,
    Map,
    Navigator,
    Path,
    Requests,
    Smoothed,
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

__all__ = [
    "Agent",
    "Crowd",
    "Event",
    "Map",
    "Navigator",
    "Path",
    "Requests",
    "Smoothed",
    "Tick",
    "__version__",
    "algorithms",
    "bench",
    "build",
    "experiments",
    "index_kinds",
    "lab",
    "merge",
    "read_scenario",
    "scenario",
    "solve",
    "verify",
]
