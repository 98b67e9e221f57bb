"""What a second worker is worth: a build by shards on one worker and on two, in turns, in one run.

    python python/benches/cluster.py [--kind cpd] [--side 200] [--rounds 3]

Workers are processes of this machine with one thread each; the machine should have two cores free.
"""

from __future__ import annotations

import argparse
import statistics
from typing import Any

import waypost
import waypost.distributed
from distributed import Client, LocalCluster


def measured(client: Any, level: waypost.Map, kind: str, parameters: dict[str, Any], expected: bytes) -> tuple[float, float]:
    """Seconds by the clock and of processors."""
    built = waypost.distributed.build(client, level, kind, shards=16, progress=False, **parameters)
    assert built.data == [expected], "other bytes than in one go"
    return built.seconds, sum(worker["cpu_seconds"] for worker in built.workers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kind", default="cpd")
    parser.add_argument("--side", type=int, default=200)
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    level = waypost.Map.generate("rooms", arguments.side, arguments.side, seed=1)
    parameters: dict[str, Any] = {"records": arguments.records} if arguments.kind == "subgoals" else {}
    expected = waypost.build(level, arguments.kind, progress=False, **parameters)
    clusters = [
        LocalCluster(n_workers=count, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None)
        for count in (1, 2)
    ]
    one, two = (Client(cluster) for cluster in clusters)
    times = []
    for round_number in range(arguments.rounds + 1):
        pair = [measured(client, level, arguments.kind, parameters, expected) for client in (one, two)]
        print(f"one worker {pair[0][0]:.2f} s ({pair[0][1]:.2f} s of processors), two {pair[1][0]:.2f} s ({pair[1][1]:.2f} s)")
        # The first round pays for what workers import.
        if round_number:
            times.append((pair[1][0] / pair[0][0], pair[1][1] / pair[0][1]))
    wall, cpu = (statistics.median(ratio) for ratio in zip(*times))
    print(f"{arguments.kind}, {len(expected)} bytes: two workers take {wall:.2f} of one worker's time by the clock, {cpu:.2f} of its processor time")
    for client, cluster in zip((one, two), clusters):
        client.close()
        cluster.close()


if __name__ == "__main__":
    main()
