"""Executors give the same outcomes in the same order, however many processes work."""

from __future__ import annotations

import os
from functools import partial

import pytest

from endophora.engine import EngineError, map_ordered, useful_workers
from endophora.engine.processes import run_elsewhere
from endophora.errors import Fault, InputError


def _power(exponent: int):
    return partial(_raise_to, exponent)


def _raise_to(exponent: int, base: int) -> tuple[int, int]:
    if base < 0:
        raise ValueError(base)
    if base == 666:
        os.kill(os.getpid(), 9)
    if base == 404:
        raise InputError([Fault("E001", "no such file", "look", "a.txt"), Fault("E005", "empty", "fill it")])
    return base**exponent, os.getpid()


def test_processes_give_the_outcomes_of_one_process_in_order():
    items = list(range(20))
    serial = [value for value, _ in map_ordered(partial(_power, 3), items)]
    processes = list(map_ordered(partial(_power, 3), items, workers=2))
    assert [value for value, _ in processes] == serial == [n**3 for n in items]
    assert os.getpid() not in {pid for _, pid in processes}


def test_one_worker_stays_in_this_process():
    assert {pid for _, pid in map_ordered(partial(_power, 2), [1, 2])} == {os.getpid()}


def test_an_error_in_a_worker_reaches_the_caller():
    with pytest.raises(ValueError, match="-1"):
        list(map_ordered(partial(_power, 2), [1, -1, 2], workers=2))


def test_a_coded_error_in_a_worker_keeps_its_faults():
    with pytest.raises(InputError) as caught:
        list(map_ordered(partial(_power, 2), [1, 404], workers=2))
    assert [fault.code for fault in caught.value.faults] == ["E001", "E005"]


def test_a_worker_that_dies_is_a_coded_error_and_what_came_before_is_there():
    outcomes = map_ordered(partial(_power, 2), [3, 666, 2], workers=2)
    assert next(outcomes)[0] == 9
    with pytest.raises(EngineError, match=r"\[E361\].*SIGKILL"):
        next(outcomes)


def test_a_function_runs_in_a_process_that_ends_with_it():
    value, process = run_elsewhere(_power(3), 2)
    assert value == 8
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_small_work_is_worth_one_process_and_large_work_no_more_than_the_cores():
    assert useful_workers(1_000) == 1
    assert useful_workers(10**9) == len(os.sched_getaffinity(0))
