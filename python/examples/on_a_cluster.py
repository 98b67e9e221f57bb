"""A path database and a suite of benches on a Dask cluster.

    python python/examples/on_a_cluster.py                          # two processes of this machine
    python python/examples/on_a_cluster.py tcp://scheduler:8786     # a cluster that is there

SSH, Kubernetes and batch systems have clusters of their own (``dask.distributed.SSHCluster``, ``dask_kubernetes``, ``dask_jobqueue``); what
follows is the same with each, because it talks to the client alone. Workers need this package installed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import waypost
import waypost.distributed
from distributed import Client, LocalCluster


def connect(address: str | None) -> Any:
    if address is not None:
        return Client(address)
    return Client(LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None))


def show(built: waypost.distributed.Built) -> None:
    print(f"{built.tasks} tasks in {built.seconds:.1f} s, {built.repeated} of them again")
    for worker in built.workers:
        print(f"  {worker['worker']:<28} {worker['tasks']:>3} tasks {worker['cpu_seconds']:>7.1f} s {worker['bytes']:>10} bytes")


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="waypost-"))
    with connect(sys.argv[1] if len(sys.argv) > 1 else None) as client:
        level = waypost.Map.generate("rooms", 180, 130, seed=3)
        # In parts, merged into the very file that one machine would write.
        show(waypost.distributed.build(client, level, "cpd", out=folder / "level.cpd"))
        print(waypost.verify(folder / "level.cpd", level)["records"], "records")

        # Kinds that are built in one go are spread by map.
        levels = [waypost.Map.generate("caves", 150, 150, seed=seed) for seed in range(6)]
        files = [folder / f"{seed}.labels" for seed in range(6)]
        show(waypost.distributed.build(client, levels, "labels", out=files))

        scenarios = [waypost.scenario(one, 50, seed=1) for one in levels]
        for row in waypost.distributed.bench(client, levels, scenarios, ["waypost", "astar", "lrta"])[:3]:
            print(f"{row['algo']:<10} {row['query_us']['mean']:>10.1f} µs, {row['suboptimality_pct']['mean']:.2f}% longer, on {row['worker']}")


if __name__ == "__main__":
    main()
