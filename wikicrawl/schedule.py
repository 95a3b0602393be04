"""Say when a page is due again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wikicrawl.numbers import number

if TYPE_CHECKING:
    from typing import Self

    from scrapy.settings import BaseSettings


@dataclass(frozen=True, slots=True)
class Policy:
    """Re-visit intervals in seconds, and what a visit does to them."""

    new_seconds: int = 24 * 3600
    min_seconds: int = 3600
    max_seconds: int = 30 * 24 * 3600
    fresh_factor: float = 0.2
    stale_factor: float = 2.0
    gone_after: int = 3  # visits in a row that find a page missing
    gone_seconds: int = 6 * 3600  # such visits closer than this count as one

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Self:
        return cls(
            new_seconds=int(number(settings, "SCHEDULE_NEW_SECONDS", least=0)),
            min_seconds=int(number(settings, "SCHEDULE_MIN_SECONDS", least=1)),
            max_seconds=int(number(settings, "SCHEDULE_MAX_SECONDS", least=1)),
            fresh_factor=number(settings, "SCHEDULE_FRESH_FACTOR", least=0),
            stale_factor=number(settings, "SCHEDULE_STALE_FACTOR", least=1),
            gone_after=int(number(settings, "SCHEDULE_GONE_AFTER", least=1)),
            gone_seconds=int(number(settings, "SCHEDULE_GONE_SECONDS", least=0)),
        )

    def __post_init__(self) -> None:
        if self.min_seconds <= 0:
            raise ValueError(f"SCHEDULE_MIN_SECONDS is {self.min_seconds}; it must be more than 0")
        if self.max_seconds < self.min_seconds:
            raise ValueError(f"SCHEDULE_MAX_SECONDS is {self.max_seconds}; it must be SCHEDULE_MIN_SECONDS or more")
        if not 0 < self.fresh_factor <= 1:
            raise ValueError(f"SCHEDULE_FRESH_FACTOR is {self.fresh_factor}; it must be more than 0 and at most 1")
        if self.stale_factor < 1:
            raise ValueError(f"SCHEDULE_STALE_FACTOR is {self.stale_factor}; it must be 1 or more")


def next_interval(policy: Policy, previous_seconds: int | None, *, is_fresh: bool) -> int:
    """Seconds until the next visit; `previous_seconds` is None after the first one."""
    if previous_seconds is None:
        seconds = float(policy.new_seconds)
    else:
        seconds = previous_seconds * (policy.fresh_factor if is_fresh else policy.stale_factor)
    return int(min(max(seconds, policy.min_seconds), policy.max_seconds))


def count_misses(policy: Policy, misses: int, *, visited_at: int | None, now: int) -> int:
    """Visits in a row that found a page missing, after one more; an outage of minutes counts as one."""
    if misses and visited_at is not None and now - visited_at < policy.gone_seconds:
        return misses
    return misses + 1
