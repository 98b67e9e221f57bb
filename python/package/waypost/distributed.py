"""Builds of indexes and benches on a Dask cluster.

Everything goes through a ``distributed.Client``, so a ``LocalCluster``, machines by SSH and Kubernetes are the same here. A map goes to
the workers once; tasks are numbers beside it. What a worker gives back is checked before it is believed, and done again where it is
damaged, or where the worker was lost::

    import waypost
    from distributed import Client, LocalCluster

    client = Client(LocalCluster(n_workers=2, threads_per_worker=1))
    built = waypost.distributed.build(client, level, "cpd", out="level.cpd")
    print(built.workers)
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _native
from ._native import Map
from ._progress import Report, reporter

__all__ = ["Built", "bench", "build"]

_File = str | os.PathLike[str]
#: Shards for every thread of the cluster: the last ones to end are short, and a lost one costs little.
SHARDS_PER_THREAD = 4


@dataclass
class Built:
    """What a build gave.

    ``data`` has the bytes of each map's index, or None where it went into a file. ``workers`` has a dict for each worker: ``worker``,
    ``tasks``, ``seconds`` of work, ``cpu_seconds`` of its processor and ``bytes`` that it gave back; ``repeated`` counts tasks that had to
    be done again.
    """

    data: list[bytes | None]
    tasks: int
    seconds: float
    workers: list[dict[str, Any]] = field(default_factory=list)
    repeated: int = 0


@dataclass
class _Done:
    """What a task gives back."""

    result: Any
    worker: str
    seconds: float
    cpu_seconds: float
    size: int


def _address() -> str:
    from distributed import get_worker

    return str(get_worker().address)


#: In the process of a worker: what the shards of one map share, for the map that was asked for last.
_shared: list[tuple[Map, tuple[str, str], _native.Shards]] = []
_lock = threading.Lock()


def _shards(level: Map, kind: str, parameters: Mapping[str, object]) -> _native.Shards:
    """What builds shards of a map, the same one for all tasks of a build that a worker has. A map comes to it once, and so is the same."""
    request = (kind, repr(sorted(parameters.items())))
    with _lock:
        for known, asked, shards in _shared:
            if known is level and asked == request:
                return shards
        shards = _native.Shards(level, kind, **parameters)
        _shared[:] = [(level, request, shards)]
        return shards


def _forget() -> None:
    """A build is over."""
    with _lock:
        _shared.clear()


def _while_wanted() -> Report:
    """The progress of a task, which stops where nobody waits for the task any more."""
    from distributed import get_worker
    from distributed.worker import thread_state

    worker, key = get_worker(), thread_state.key

    def look(stage: str, done: int, total: int) -> None:
        task = worker.state.tasks.get(key)
        if task is None or task.state == "cancelled":
            raise RuntimeError("the task was cancelled")

    return look


def _build_part(
    level: Map, kind: str, part: tuple[int, int] | None, threads: int, parameters: Mapping[str, object]
) -> _Done:
    """A task: one shard, or a whole index."""
    data, seconds, cpu_seconds = _shards(level, kind, parameters).build(part, threads, _while_wanted())
    return _Done(data, _address(), seconds, cpu_seconds, len(data))


def _bench_part(level: Map, scen: Any, spec: str, options: Mapping[str, Any]) -> _Done:
    """A task: one method on one map."""
    begun = time.perf_counter()
    rows = _native.bench(level, scen, [spec], threads=1, progress=_while_wanted(), **options)
    for row in rows:
        row["worker"] = _address()
    return _Done(rows, _address(), time.perf_counter() - begun, 0.0, 0)


class _Crew:
    """Runs numbered tasks on a cluster until each has given something that can be used."""

    def __init__(self, client: Any, maps: Sequence[Map], retries: int, progress: bool | Report | None) -> None:
        self.client = client
        self.maps = list(maps)
        self.retries = retries
        self.report = reporter(progress)
        self.costs: dict[str, dict[str, Any]] = {}
        self.repeated = 0
        self.name = uuid.uuid4().hex
        self._sent: list[Any] = []

    def _send_maps(self) -> None:
        """The maps go to every worker once; again only where all that had them are gone."""
        self._sent = self.client.scatter(self.maps, broadcast=True, hash=False, timeout=120)

    def _submit(self, task: Callable[..., _Done], number: int, arguments: tuple[int, tuple[Any, ...]], attempt: int) -> Any:
        which, rest = arguments
        return self.client.submit(
            task,
            self._sent[which],
            *rest,
            pure=False,
            key=f"waypost-{task.__name__.strip('_')}-{self.name}-{number}-{attempt}",
        )

    def run(
        self,
        task: Callable[..., _Done],
        arguments: Sequence[tuple[int, tuple[Any, ...]]],
        check: Callable[[int, Any], None],
        stage: str,
    ) -> list[Any]:
        """What every task gives, in their order. ``arguments`` are the number of a map and what else a task takes."""
        from distributed import as_completed

        results: list[Any] = [None] * len(arguments)
        attempts = [0] * len(arguments)
        self._send_maps()
        waiting = {self._submit(task, i, arguments[i], 0): i for i in range(len(arguments))}
        try:
            finished = as_completed(list(waiting))
            for future in finished:
                number = waiting.pop(future)
                failure = self._take(future, number, results, check)
                future.release()
                if failure is None:
                    if self.report is not None:
                        self.report(stage, len(arguments) - len(waiting), len(arguments))
                    continue
                attempts[number] += 1
                if attempts[number] > self.retries:
                    raise RuntimeError(
                        f"task {number + 1} of {len(arguments)} failed {attempts[number]} times; the last time: {failure!r}"
                    ) from failure
                self.repeated += 1
                if any(sent.status != "finished" for sent in self._sent):
                    self._send_maps()
                again = self._submit(task, number, arguments[number], attempts[number])
                waiting[again] = number
                finished.add(again)
        except BaseException:
            self.client.cancel(list(waiting), force=True)
            raise
        finally:
            self._sent = []
            close = getattr(self.report, "close", None)
            if close is not None:
                close()
        return results

    def _take(
        self, future: Any, number: int, results: list[Any], check: Callable[[int, Any], None]
    ) -> BaseException | None:
        """Takes a result; what was wrong where it cannot be used. Mistakes of the caller are raised at once."""
        if future.status != "finished":
            failure = future.exception() if future.status == "error" else None
            if isinstance(failure, (ValueError, TypeError)):
                raise failure
            return failure or RuntimeError("the worker was lost")
        try:
            done: _Done = future.result()
        except (Exception, asyncio.CancelledError) as lost:
            # The worker went after it was done and before the result was fetched.
            return lost
        try:
            check(number, done.result)
        except ValueError as refused:
            return refused
        cost = self.costs.setdefault(
            done.worker,
            {"worker": done.worker, "tasks": 0, "seconds": 0.0, "cpu_seconds": 0.0, "bytes": 0},
        )
        cost["tasks"] += 1
        cost["seconds"] += done.seconds
        cost["cpu_seconds"] += done.cpu_seconds
        cost["bytes"] += done.size
        results[number] = done.result
        return None


def _as_maps(maps: Map | _File | Sequence[Map | _File]) -> list[Map]:
    given = [maps] if isinstance(maps, (Map, str, os.PathLike)) else list(maps)
    if not given:
        raise ValueError("the list of maps is empty; give a map, or several")
    return [one if isinstance(one, Map) else Map.load(one) for one in given]


def _outputs(out: _File | Sequence[_File] | None, count: int) -> list[_File | None]:
    if out is None:
        return [None] * count
    files: list[_File | None] = [out] if isinstance(out, (str, os.PathLike)) else list(out)
    if len(files) != count:
        raise ValueError(f"{len(files)} names in out for {count} maps; give one for each")
    for file in files:
        folder = os.path.dirname(os.path.abspath(os.fspath(file))) if file is not None else "."
        if not os.path.isdir(folder):  # said before the work, not after it
            raise FileNotFoundError(errno.ENOENT, "the folder of out is not there", folder)
        if file is not None and os.path.isdir(file):
            raise IsADirectoryError(errno.EISDIR, "out is a folder; give the name of a file in it", os.fspath(file))
    return files


def _write(file: _File, data: bytes) -> None:
    """Whole or not at all."""
    beside = f"{os.fspath(file)}.{os.getpid()}.tmp"
    try:
        with open(beside, "wb") as stream:
            stream.write(data)
        os.replace(beside, file)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def build(
    client: Any,
    map: Map | _File | Sequence[Map | _File],
    kind: str,
    out: _File | Sequence[_File] | None = None,
    *,
    shards: int | None = None,
    threads: int = 1,
    retries: int = 3,
    progress: bool | Report | None = None,
    **parameters: object,
) -> Built:
    """Builds the index of a map, or of several, on a cluster: byte for byte the file of a build on one machine.

    Kinds that can be built in parts (``subgoals``, ``cpd``) are: ``shards`` parts of each map, four for every thread of the cluster
    unless told. The others (``labels``, ``sectors``...) are spread by map. A task uses ``threads`` threads: with one, as many tasks as a
    worker has threads keep its machine busy. A task that fails, is lost with its worker or gives damaged
    bytes is done again, up to ``retries`` times. ``parameters`` are those of the index, as ``waypost.index_kinds()`` lists them.
    """
    begun = time.perf_counter()
    maps = _as_maps(map)
    files = _outputs(out, len(maps))
    known = {row["name"]: row for row in _native.index_kinds()}
    parts: list[tuple[int, int] | None] = [None]
    if known.get(kind, {}).get("shards", False):
        there = sum(client.nthreads().values())
        count = shards if shards is not None else SHARDS_PER_THREAD * max(1, there)
        if count < 1:
            raise ValueError(f"shards is {count}; give 1 or more")
        if count > 1:
            parts = [(i + 1, count) for i in range(count)]
    elif shards not in (None, 1):
        raise ValueError(f"`{kind}` is built in one go; leave shards out, or give several maps")
    tasks = [(which, (kind, part, threads, parameters)) for which in range(len(maps)) for part in parts]

    def check(number: int, data: Any) -> None:
        which, (_, part, _, _) = tasks[number]
        _native.check_shard(data, maps[which], kind, part or (1, 1))

    crew = _Crew(client, maps, retries, progress)
    try:
        results = crew.run(_build_part, tasks, check, f"build {kind}")
    finally:
        with contextlib.suppress(Exception):  # workers may be lost, and then so is what they had
            client.run(_forget, on_error="ignore")
    data: list[bytes | None] = []
    for which, file in enumerate(files):
        mine = results[which * len(parts) : (which + 1) * len(parts)]
        whole = mine[0] if len(mine) == 1 else _native.merge(mine)
        if file is not None:
            _write(file, whole)
        data.append(whole if file is None else None)
    workers = sorted(crew.costs.values(), key=lambda cost: str(cost["worker"]))
    return Built(data, len(tasks), time.perf_counter() - begun, workers, crew.repeated)


def bench(
    client: Any,
    maps: Map | _File | Sequence[Map | _File],
    scens: Any,
    specs: str | Sequence[str],
    *,
    retries: int = 3,
    progress: bool | Report | None = None,
    limit: int | None = None,
    max_moves: int = 10_000_000,
    strict: bool = True,
) -> list[dict[str, Any]]:
    """Runs methods over scenarios on a cluster: one row for every map and method, as ``waypost.bench`` gives them, with ``worker``.

    One map with its scenario, and specs as one text (``"waypost;astar"``), will do. Where maps have one name, ``map`` has their number in the
    list behind it (``"60 x 50 cells #2"``). With ``strict=False`` problems with an end in a wall or outside count as ``unsolvable``. Times are
    those of the worker that a row names: give workers one thread and a machine of their own where times matter.
    """
    levels = _as_maps(maps)
    if isinstance(maps, (Map, str, os.PathLike)):
        scens = [scens]
    if isinstance(specs, str):
        specs = specs.split(";")
    if not specs:
        raise ValueError("specs names no algorithm; see waypost.algorithms")
    if len(levels) != len(scens):
        raise ValueError(f"{len(levels)} maps and {len(scens)} scenarios; give one for each map")
    # Scenario files are read here: workers may be on machines without them.
    problems = [_native.read_scenario(scen, level, strict=strict) for scen, level in zip(scens, levels)]
    options = {"limit": limit, "max_moves": max_moves, "strict": strict}
    tasks = [
        (which, (problems[which], spec, options)) for which in range(len(levels)) for spec in specs
    ]
    crew = _Crew(client, levels, retries, progress)
    parts = crew.run(_bench_part, tasks, lambda _number, _rows: None, "bench")
    numbered = [(which, row) for (which, _), part in zip(tasks, parts) for row in part]
    owners: dict[str, set[int]] = {}
    for which, row in numbered:
        owners.setdefault(row["map"], set()).add(which)
    for which, row in numbered:
        if len(owners[row["map"]]) > 1:
            row["map"] = f"{row['map']} #{which + 1}"
    return [row for _, row in numbered]
