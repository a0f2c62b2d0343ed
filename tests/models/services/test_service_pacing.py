"""Limits a minute, and how long is waited between attempts, by a clock that the test moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.models.services.asking import Pacer, Patience, read_retry_after, status_error
from endophora.models.services.records import Kind, RequestError


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        assert seconds > 0
        self.now += seconds
        return False


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=30),
    st.none() | st.integers(1, 5),
    st.none() | st.integers(10, 100),
)
def test_no_60_seconds_have_more_than_the_limits(sizes: list[int], requests: int | None, characters: int | None):
    clock = Clock()
    pacer = Pacer(requests, characters, clock)
    made: list[tuple[float, int]] = []
    for size in sizes:
        pacer.enter(size, clock.wait)
        made.append((clock.now, size))
    for moment, _ in made:
        window = [size for other, size in made if moment <= other < moment + 60 - 1e-6]
        assert requests is None or len(window) <= requests
        assert characters is None or len(window) == 1 or sum(window) <= characters
    if requests is None and characters is None:
        assert clock.now == 0


def test_a_pause_holds_for_all():
    clock = Clock()
    pacer = Pacer(None, None, clock)
    pacer.pause(7)
    pacer.pause(3)
    pacer.enter(1, clock.wait)
    assert clock.now == 7


def test_waits_are_doubled_up_to_the_longest():
    waits: list[float] = []

    def fail() -> None:
        raise RequestError(Kind.BUSY, "no")

    patience = Patience(6, 1.0, 5.0)
    with pytest.raises(RequestError, match="no"):
        patience.ask(fail, lambda: None, lambda seconds: None, lambda seconds: bool(waits.append(seconds)))
    assert len(waits) == 5
    assert all(0.75 * 2**place <= wait <= 1.25 * 2**place for place, wait in enumerate(waits[:2]))
    assert all(wait <= 5.0 for wait in waits)


def test_a_run_that_is_ended_waits_no_longer():
    def fail() -> None:
        raise RequestError(Kind.BUSY, "no")

    with pytest.raises(RequestError) as caught:
        Patience(6, 1.0, 5.0).ask(fail, lambda: None, lambda seconds: None, lambda seconds: True)
    assert caught.value.kind is Kind.STOPPED


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("3", 3.0), ("0.5", 0.5), ("-1", 0.0), ("", None), (None, None), ("soon", None), ("inf", None), ("nan", None),
     ("Thu, 01 Jan 2026 00:00:00 GMT", 0.0), ("Fri, 99 Foo", None)],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None):
    assert read_retry_after(header) == seconds


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, Kind.REFUSED), (401, Kind.REFUSED), (408, Kind.BUSY), (429, Kind.BUSY), (456, Kind.REFUSED),
     (500, Kind.BUSY), (503, Kind.BUSY), (529, Kind.BUSY)],
)  # fmt: skip
def test_what_a_status_means(status: int, kind: Kind):
    assert status_error(status, "", None).kind is kind
