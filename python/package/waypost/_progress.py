"""Progress of long work: a bar by tqdm where it is installed, or what the caller gave."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

Report = Callable[[str, int, int], object]


class _Bar:
    """One bar after the other, one for each stage."""

    def __init__(self, make: Any) -> None:
        self._make = make
        self._bar: Any = None
        self._stage: tuple[str, int] | None = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._stage is None or self._stage[1] != total or done < self._bar.n:
            self.close()
            self._bar = self._make(total=total, desc=stage, leave=False)
        elif self._stage[0] != stage:
            self._bar.set_description(stage)
        self._stage = (stage, total)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar, self._stage = None, None


def _can_be_told(progress: bool | None) -> bool:
    """Whether a bar can be drawn and, unless it was asked for, a terminal looks on. Programs without a console have no stderr, services one of their own."""
    stream: Any = sys.stderr
    if stream is None or getattr(stream, "closed", False):
        return False
    try:
        return progress is True or bool(stream.isatty())
    except (AttributeError, OSError, ValueError):
        return False


def reporter(progress: bool | Report | None) -> Report | None:
    """What is called with a stage, the parts done and those in all; None where nobody is to be told."""
    if callable(progress):
        return progress
    if progress is not None and not isinstance(progress, bool):
        raise TypeError(
            f"progress is {progress!r}; give True, False, None, or something to call with (stage, done, total)"
        )
    if progress is False or not _can_be_told(progress):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress is None:
            return None
        raise ImportError("progress=True draws its bar with tqdm: pip install tqdm") from None
    return _Bar(tqdm)
