"""A command made of records: what stands on a field is the option, and what is typed comes back as the record."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from endophora.cli.commands import But, Given, Only, build
from endophora.errors import InputError
from endophora.options import Option, inherited, option


class Side(StrEnum):
    SOURCE = "source"
    BOTH = "both"


@dataclass(frozen=True, kw_only=True)
class Drawing:
    resamples: int = option(1000, least=100, help="Number of resamples.")
    seed: int = option(1, least=0, help="Seed.")


@dataclass(frozen=True, kw_only=True)
class Study(Drawing):
    resamples: int = inherited(Drawing, "resamples", "Number; 0 for none.", least=0)
    sides: tuple[Side, ...] = option(
        (Side.BOTH,), "--side", metavar="NAME", read=lambda names: tuple(map(Side, names)), help="Sides."
    )
    main: Side = option(Side.BOTH, metavar="NAME", read=Side, write=str, help="The main one.")
    higher: bool = option(True, "--lower", inverted=True, help="Losses.")
    sizes: tuple[int, ...] = option((1, 2), "--size", help="Sizes.")
    shares: dict[str, float] = option({}, "--share", metavar="MODEL=NUMBER", help="Shares.")


@dataclass(frozen=True, kw_only=True)
class Other(Drawing):
    higher: bool = option(True, "--lower", inverted=True, help="Losses, too.")


class Settings(BaseModel):
    updates: Annotated[int, Option(help="Most updates.")] = 1_000
    clip: Annotated[float, Option(help="Largest norm.")] = 1.0
    side: Annotated[Side, Option(help="Where.")] = Side.BOTH
    rate: Annotated[float | None, Option(help="Rate.", show_default="the preset's")] = None
    minutes: Annotated[float | None, Option(help="Minutes.")] = None
    draw: Annotated[bool, Option(help="Draw.", flags=("--draw/--all",), show_default="draw")] = True
    unseen: int = 3


SEEN: dict[str, Any] = {}


def study(one: Study, other: Annotated[Other, But("resamples")]) -> None:
    """Do it."""
    SEEN.update(one=one, other=other)


def train(
    given: Annotated[dict[str, Any], Given(Settings)], drawing: Annotated[Drawing, Only(seed="Another.")]
) -> None:
    """Do it."""
    SEEN.update(given=given, drawing=drawing)


def clash(one: Drawing, seed: int = 1) -> None:
    """Cannot be."""


def _run(function: Any, *arguments: str) -> dict[str, Any]:
    SEEN.clear()
    build(function).main([*arguments], standalone_mode=False)
    return SEEN


def test_what_is_not_typed_is_as_the_records_have_it():
    assert _run(study) == {"one": Study(), "other": Other()}


def test_what_is_typed_is_made_as_the_field_says():
    typed = ("--side", "source", "--side", "both", "--main", "source", "--size", "7", "--share", "a=0.5")
    one = _run(study, *typed)["one"]
    assert one == Study(sides=(Side.SOURCE, Side.BOTH), main=Side.SOURCE, sizes=(7,), shares={"a": 0.5})


def test_two_records_share_an_option():
    found = _run(study, "--seed", "5", "--lower", "--resamples", "0")
    assert found == {"one": Study(seed=5, higher=False, resamples=0), "other": Other(seed=5, higher=False)}


def test_the_first_record_says_the_help():
    helps = {each.name: each.help for each in build(study).params}
    assert (helps["higher"], helps["resamples"]) == ("Losses.", "Number; 0 for none.")


def test_a_number_that_is_none_names_the_metavar():
    with pytest.raises(InputError, match="give MODEL=NUMBER"):
        _run(study, "--share", "a=b")


def test_of_settings_only_what_is_typed_is_given():
    assert _run(train) == {"given": {}, "drawing": Drawing()}
    typed = ("--updates", "5", "--all", "--rate", "0.5", "--side", "source", "--seed", "3")
    given = {"updates": 5, "draw": False, "rate": 0.5, "side": "source"}
    assert _run(train, *typed) == {"given": given, "drawing": Drawing(seed=3)}
    assert Settings.model_validate(given).side is Side.SOURCE


def test_the_help_of_settings_ends_with_their_defaults():
    found = {
        each.name: (each.help, each.metavar, each.default) for each in build(train).params if each.name != "config"
    }
    assert found == {
        "updates": ("Most updates. [1000]", "N", None),
        "clip": ("Largest norm. [1]", "X", None),
        "side": ("Where. [both]", "NAME", None),
        "rate": ("Rate. [the preset's]", "X", None),
        "minutes": ("Minutes.", "X", None),
        "draw": ("Draw. [draw]", None, None),
        "seed": ("Another.", "N", 1),
    }


def test_two_options_of_one_name_are_refused():
    with pytest.raises(TypeError, match="seed"):
        build(clash)
