"""Methods compared on one map, cell by cell like a notebook.

    python python/examples/compare_methods.py [MAP] [SCENARIO] [--out FOLDER]
"""

# %% A map and problems on it: files, or made from a seed.
from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # Leave this out in a notebook.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import waypost

parser = argparse.ArgumentParser(description="compares methods on one map")
parser.add_argument("map", nargs="?")
parser.add_argument("scenario", nargs="?")
parser.add_argument("--out", type=Path, default=Path("."))
arguments = parser.parse_args()

level = waypost.Map.load(arguments.map) if arguments.map else waypost.Map.generate("caves", 200, 140, seed=11)
problems = (
    waypost.read_scenario(arguments.scenario, level)
    if arguments.scenario
    else waypost.scenario(level, 100, seed=1, min_cost=60)
)
print(level)

# %% The same problems for every method: a list of dicts, which pandas takes as it is.
specs = ["waypost", "astar", "jps", "pra", "tba:slice=50", "lss-lrta", "lrta"]
rows = waypost.bench(level, problems, specs, limit=100)
table = pd.json_normalize(rows).set_index("algo")
shown = table[["query_us.mean", "move_ns.p999", "suboptimality_pct.mean", "ops_per_move_max", "index_bytes"]]
print(shown.round(2).to_string())

# %% One of them from start to goal by three methods.
longest = problems[np.argmax(np.abs(problems[:, :2] - problems[:, 2:]).sum(axis=1))]
start, goal = longest[:2], longest[2:]
walks = {spec: waypost.solve(level, start, goal, spec) for spec in ("waypost", "tba:slice=50", "lrta")}

# %% A picture: times against quality, and the three walks.
plt.style.use("tableau-colorblind10")
figure, (left, right) = plt.subplots(1, 2, figsize=(13, 5.2), width_ratios=(1, 1.25), layout="constrained")
for i, (name, row) in enumerate(table.iterrows()):
    left.scatter(row["query_us.mean"], max(row["suboptimality_pct.mean"], 0.01), s=60)
    left.annotate(
        str(name), (row["query_us.mean"], max(row["suboptimality_pct.mean"], 0.01)), xytext=(6, 5 - 16 * (i % 2)), textcoords="offset points"
    )
left.set(xscale="log", yscale="log", xlabel="µs for a whole path", ylabel="longer than the shortest, % (0.01: shortest)")
left.margins(0.25)
left.grid(alpha=0.3)
right.imshow(level.to_array(), cmap="gray", vmin=-0.6, vmax=1.0, interpolation="nearest")
# The longest first, so that the others lie on top of it.
for color, (name, walk) in zip(("tab:red", "tab:orange", "tab:blue"), reversed(walks.items())):
    x, y = walk["path"].T
    right.plot(x, y, color=color, linewidth=2 if name != "lrta" else 0.8, label=f"{name}: {walk['cost']:.0f}")
right.plot(*start, "ko", *goal, "k*", markersize=9)
right.set(xticks=[], yticks=[])
right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=3, title="method: length of its walk")
arguments.out.mkdir(parents=True, exist_ok=True)
figure.savefig(arguments.out / "methods.png", dpi=110)
print(arguments.out / "methods.png")
