"""Long work says how far it is where standard error is a file."""

import pytest

from endophora import process
from endophora.cli import console


@pytest.fixture
def clock(monkeypatch):
    """Return a list whose only item is the time."""
    time = [0.0]
    monkeypatch.setattr(console, "monotonic", lambda: time[0])
    return time


def test_a_line_every_ten_seconds_and_none_of_short_work(clock, capsys):
    with console.progress_bar("tag", 4000) as advance:
        for seconds in (0, 5, 9, 11, 15, 20, 22):
            clock[0] = float(seconds)
            advance(500)
    assert capsys.readouterr().err.splitlines() == [
        "tag: 2,000 of 4,000, after 0:00:11",
        "tag: 3,500 of 4,000, after 0:00:22",
    ]


def test_quiet_commands_say_nothing(clock, capsys):
    with console.running(quiet=True), console.progress_bar("tag", 2) as advance:
        clock[0] = 60.0
        advance(1)
    assert capsys.readouterr().err == ""


def test_a_command_that_took_long_says_what_took_the_time(clock, capsys):
    with console.running():
        with console.progress_bar("tag", 2) as advance:
            clock[0] = 65.0
            advance(2)
        clock[0] = 75.0
    assert capsys.readouterr().err.splitlines()[-1] == "took 0:01:15: tag 0:01:05, the rest 0:00:10"


def test_parts_are_told_by_name_and_apart_from_those_within_them(clock, capsys, monkeypatch):
    monkeypatch.setattr(process, "monotonic", lambda: clock[0])
    with console.running():
        with console.progress_bar("annotate, link, tag", 2) as advance:
            with process.part("words found"):
                clock[0] = 4.0
                with process.part("analysis"):
                    clock[0] = 34.0
                clock[0] = 35.0
            clock[0] = 40.0
            advance(2)
        with process.part("report"):
            clock[0] = 50.0
        with process.part("links"):
            clock[0] = 50.1
    expected = "took 0:00:50: annotate, link, tag 0:00:05, words found 0:00:05, analysis 0:00:30, report 0:00:10, "
    assert capsys.readouterr().err.splitlines()[-1] == expected + "the rest 0:00:00"


def test_a_verbose_command_tells_its_parts_however_short(clock, capsys, monkeypatch):
    monkeypatch.setattr(process, "monotonic", lambda: clock[0])
    with console.running(verbose=True), process.part("judgments"):
        clock[0] = 0.5
    assert capsys.readouterr().err == "took 0.5 s: judgments 0.5 s, the rest 0.0 s\n"


def test_a_short_command_says_nothing_of_time(clock, capsys):
    with console.running(), console.progress_bar("tag", 2) as advance:
        clock[0] = 5.0
        advance(2)
    assert capsys.readouterr().err == ""
