"""Calls with whatever arguments: an answer or an exception in words, never a crash, a hang or another kind of exception.

A hundred thousand calls; ``--fuzz-calls`` and ``--fuzz-seed`` make others.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import waypost

#: What a call may raise.
ALLOWED = (ValueError, TypeError, RuntimeError, OSError, KeyError, MemoryError)
SIDE = 12


class Fuzzer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.raised = 0
        self.renew()

    def renew(self) -> None:
        mask = self.numpy.random((SIDE, SIDE + 5)) > 0.25
        doors = self.numpy.random(mask.shape) > 0.95
        self.level = waypost.Map.from_array(mask, doors=doors)
        self.nav = waypost.Navigator(self.level, units={"tank": {"size": 2}})
        self.crowd = self.nav.crowd(exclusive=self.random.random() < 0.3)
        self.agent = waypost.Agent(self.level, self.random.choice(["astar", "lrta", "waypost"]))
        self.requests = self.nav.requests()
        self.path: waypost.Path | None = None

    def number(self) -> Any:
        pick = self.random.random()
        if pick < 0.75:
            return self.random.randrange(-1, SIDE + 6)
        return self.random.choice(
            [-(2**63), 2**63, 2**31, -1, 2**32 - 1, 2**200, 0, 1.5, float("nan"), float("inf"), None, "7", np.int8(3), np.float32(2), True, b"x"]
        )

    def point(self) -> Any:
        pick = self.random.random()
        if pick < 0.8:
            return (self.number(), self.number())
        if pick < 0.9:
            return [self.number() for _ in range(self.random.randrange(5))]
        return self.anything()

    def array(self) -> Any:
        rows = self.random.choice([0, 1, 2, 3, 50])
        shape = self.random.choice([(rows, 2), (rows, 2), (rows, 2), (rows,), (rows, 3), (2, rows), (rows, 2, 2), ()])
        kind = self.random.choice(["i8", "i4", "u1", "u8", "i2", "f8", "?", "c16", "U3", "O", "M8[s]", "S2", ">i4", "V8"])
        if kind in ("i8", "i4", "u8", ">i4", "i2", "u1"):
            array = self.numpy.integers(0, SIDE, shape).astype(kind)
            if array.size and self.random.random() < 0.2:
                array.flat[self.random.randrange(array.size)] = np.iinfo(array.dtype).max
        else:
            array = np.zeros(shape, dtype=kind)
        pick = self.random.random()
        if pick < 0.2 and array.ndim:
            array = array[::-1]
        elif pick < 0.3:
            array = np.asfortranarray(array)
        elif pick < 0.4:
            array.flags.writeable = False
        return array

    def points(self) -> Any:
        pick = self.random.random()
        if pick < 0.5:
            count = self.random.randrange(6)
            return [(self.random.randrange(SIDE), self.random.randrange(SIDE)) for _ in range(count)]
        if pick < 0.85:
            return self.array()
        if pick < 0.95:
            return [self.point() for _ in range(self.random.randrange(4))]
        return self.anything()

    def anything(self) -> Any:
        return self.random.choice(
            [None, 3, -7, 2.5, "text", "", b"bytes", [], {}, (), set(), object(), print, self.level, self.nav, np.zeros((3, 3), bool), np.zeros(0), [[]], [None], float("nan"), 1j, range(3), iter([1, 2]), memoryview(b"ab")]
        )

    def unit(self) -> Any:
        return self.random.choice([None, None, None, "tank", "unit", "", "ghost", 3])

    def ids(self) -> Any:
        pick = self.random.random()
        if pick < 0.5:
            return [self.random.randrange(8) for _ in range(self.random.randrange(4))]
        if pick < 0.7:
            return self.random.randrange(-2, 10)
        return self.random.choice([self.array(), self.anything(), 2**70, -(2**70)])

    def calls(self) -> list[Callable[[], Any]]:
        number, point, points, ids, unit = self.number, self.point, self.points, self.ids, self.unit
        nav, crowd, agent, requests = self.nav, self.crowd, self.agent, self.requests
        anything = self.anything
        return [
            lambda: nav.path(point(), point(), unit=unit()),
            lambda: nav.distance(point(), point(), unit=unit()),
            lambda: nav.paths(points(), points(), unit=unit(), strict=self.random.random() < 0.5),
            lambda: nav.range(point(), number(), unit=unit()),
            lambda: nav.patch(block=points(), open=points()),
            lambda: nav.set_doors(open=points(), close=points()),
            lambda: nav.nearest_reachable(point(), point(), unit=unit()),
            lambda: nav.nearest_free(point(), unit=unit()),
            lambda: nav.is_free(point(), unit=unit()),
            lambda: nav.advance(number()),
            lambda: nav.states(),
            lambda: nav.map.to_array(),
            lambda: crowd.spawn(points(), unit=unit(), speed=self.random.choice([None, None, number(), points()])),
            lambda: crowd.send(ids(), points(), within=self.random.choice([None, None, number()]), area=self.random.choice([None, None, (number(), number())])),
            lambda: crowd.tick().events,
            lambda: crowd.positions(out=self.random.choice([None, self.array(), np.zeros((200, 2), np.int32), anything()])),
            lambda: crowd.despawn(ids()),
            lambda: crowd.follow(ids(), number()),
            lambda: crowd.stop(ids()),
            lambda: crowd.hold(ids(), self.random.choice([True, False])),
            lambda: crowd.set_speed(ids(), number()),
            lambda: (crowd.position(number()), crowd.status(number()), crowd.path_ahead(number())),
            lambda: crowd.patch(block=points(), open=points()),
            lambda: (len(crowd), crowd.ids(), crowd.all_arrived, repr(crowd)),
            lambda: agent.start(point(), point()),
            lambda: agent.step(),
            lambda: (agent.position, agent.path, agent.cost, agent.operations, agent.memory_bytes),
            lambda: requests.ask(point(), point()),
            lambda: requests.tick(self.random.choice([number(), 50])),
            lambda: (requests.state(number()), requests.close(number())),
            lambda: self.level.is_free(point()),
            lambda: waypost.solve(self.level, point(), point(), self.random.choice(["astar", "lrta", "", "astar:x=1", anything()])),
            lambda: waypost.Map.from_array(self.random.choice([self.array(), np.ones((3, 4), bool), anything()]), self.random.choice([None, self.array(), anything()])),
            lambda: waypost.Map.from_array(np.ones((4, 4), bool), np.ones((4, 4)) * number(), size=number()),
            lambda: waypost.Navigator.from_bytes(self.level, self.random.choice([b"", b"WAYPNAV\n" + bytes(64), self.damaged(), anything()])),
            lambda: waypost.verify(self.random.choice([b"", self.damaged(), anything()]), self.random.choice([None, self.level])),
            lambda: waypost.bench(self.level, self.random.choice([self.array(), anything()]), self.random.choice(["astar", anything()])),
            lambda: waypost.build(self.level, self.random.choice(["jump", "landmarks", anything()]), shard=self.random.choice([None, (number(), number())]), threads=self.random.choice([None, 1, number()]) if self.random.random() < 0.1 else 1),
            self.take_path,
        ]

    def damaged(self) -> bytes:
        data = bytearray(self.nav.to_bytes())
        for _ in range(self.random.randrange(4)):
            data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)
        return bytes(data[: self.random.choice([len(data), self.random.randrange(len(data))])])

    def take_path(self) -> None:
        free = np.argwhere(self.nav.map.to_array())[:, ::-1]
        if self.path is None and len(free):
            ends = free[self.numpy.integers(0, len(free), 2)]
            self.path = self.nav.path(ends[0], ends[1])
        if self.path is not None:
            path, self.path = self.path, self.path if self.random.random() < 0.5 else None
            path.smooth(), path.few_turns(), path.corners, repr(path), len(path)

    def run(self, calls: int) -> None:
        for i in range(calls):
            if i % 500 == 499:
                self.renew()
            call = self.random.choice(self.calls())
            try:
                call()
            except ALLOWED as error:
                self.raised += 1
                assert str(error), f"call {i}: an exception without words"
                assert "mistake inside" not in str(error), f"call {i}: {error}"


def test_fuzzed_calls(request: pytest.FixtureRequest) -> None:
    calls, seed = request.config.getoption("--fuzz-calls"), request.config.getoption("--fuzz-seed")
    fuzzer = Fuzzer(seed)
    with np.errstate(all="ignore"):
        fuzzer.run(calls)
    assert 0.1 * calls < fuzzer.raised < 0.9 * calls, "a fuzzer that always or never fails looks at nothing"
