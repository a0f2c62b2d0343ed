"""The sentences with which a report opens, worked out by hand from small results."""

from collections.abc import Collection

from endophora.evaluation.conclusion import conclude, join
from endophora.evaluation.result import Column, Comparison, CorpusInfo, Detectable, Phenomenon, Result, Score, Settings


def _column(
    name: str,
    judged: int | None = 50,
    told: float | None = 0.1,
    *,
    enough: bool = True,
    needed: int | None = None,
    kind: str = "phenomenon",
    higher: bool = True,
) -> Column:
    smallest = Detectable(difference=told, power=0.8, level=0.05, draws=1000, units=10, systems=["a", "b"])
    return Column.model_validate(
        {
            "name": name, "kind": kind, "scale": 1.0, "higher_is_better": higher, "signature": "",
            "occurrences": judged, "enough": enough, "needed": needed, "detectable": smallest if enough else None,
        }
    )  # fmt: skip


def _result(
    scores: dict[str, dict[str, float]],
    columns: list[Column],
    significant: Collection[tuple[str, str]] = (),
    baseline: str = "best",
    phenomena: list[Phenomenon] | None = None,
) -> Result:
    """Return a result of column → system → figure; the pairs (column, system) differ significantly."""
    systems = [*dict.fromkeys(system for values in scores.values() for system in values)]
    compared: list[Comparison] = []
    for column in columns:
        values = scores[column.name]
        pick = max if column.higher_is_better else min
        base = pick(values, key=lambda system: values[system]) if baseline == "best" else baseline
        if column.enough:
            compared += [
                Comparison(
                    column=column.name, system=system, baseline=base, difference=values[system] - values[base],
                    interval=None, p_value=0.01, p_adjusted=0.02, significant=(column.name, system) in significant,
                )
                for system in systems if system != base
            ]  # fmt: skip
    return Result(
        version="0", signature="", columns=columns, phenomena=phenomena or [], comparisons=compared,
        corpus=CorpusInfo(
            source_language="en", target_language="de", documents=[], segments=200, source_words=0,
            reference_words=0, references=["ref"], systems=systems,
        ),
        settings=Settings(
            baseline=baseline, alpha=0.05, confidence=0.95, resamples=1000, seed=1, units="documents",
            test="approximate-randomisation", minimum=20,
        ),
        scores=[
            Score(column=name, system=system, value=value, interval=None, documents=[])
            for name, values in scores.items() for system, value in values.items()
        ],
        examples=[], warnings=[],
    )  # fmt: skip


def test_of_two_systems_the_worse_is_named_with_both_figures_and_the_number_judged():
    scores = {"pronouns": {"a": 0.927, "b": 0.021}, "formality": {"a": 0.952, "b": 0.5}}
    found = {("pronouns", "b"), ("formality", "b")}
    assert conclude(_result(scores, [_column("pronouns", 57), _column("formality", 64)], found)) == [
        "b is significantly worse than a in pronouns (2.1 against 92.7, 57 judged) "
        "and formality (50.0 against 95.2, 64 judged)."
    ]


def test_where_nothing_is_significant_the_smallest_difference_is_named_in_points():
    scores = {"pronouns": {"a": 0.9, "b": 0.8}, "verb_form": {"a": 0.7, "b": 0.71}}
    columns = [_column("pronouns", 37, 0.152), _column("verb_form", 53, 0.046)]
    assert conclude(_result(scores, columns)) == [
        "No significant difference in pronouns (37 judged) or verb form (53 judged): "
        "only differences of 15.2 and 4.6 points or more would show there."
    ]


def test_columns_in_which_no_difference_would_show_are_named():
    scores = {"pronouns": {"a": 0.9, "b": 0.8}, "ellipsis": {"a": 0.7, "b": 0.71}}
    columns = [_column("pronouns", 37, 0.152), _column("ellipsis", 31, None)]
    assert conclude(_result(scores, columns)) == [
        "No significant difference in pronouns (37 judged) or ellipsis (31 judged): only differences of 15.2 points "
        "or more would show in pronouns, and no difference of any size would show in ellipsis."
    ]


def test_a_smallest_difference_that_is_shown_as_nothing_is_not_named():
    scores = {"BLEU": {"a": 0.9, "b": 0.9}}
    said = ["No significant difference in BLEU."]
    for size in (0.0004, -1e-9):
        assert conclude(_result(scores, [_column("BLEU", None, size, kind="text")])) == said


def test_of_more_than_two_systems_no_smallest_difference_is_named_since_each_pair_has_its_own():
    scores = {"BLEU": {"a": 0.582, "b": 0.256, "c": 0.556}}
    assert conclude(_result(scores, [_column("BLEU", None, 0.102, kind="text")])) == [
        "No significant difference in BLEU."
    ]


def test_a_column_with_too_few_words_is_said_to_have_too_few_and_compares_nobody():
    scores = {"ellipsis": {"a": 1.0, "b": 0.0}}
    column = _column("ellipsis", 14, enough=False, needed=1444)
    assert conclude(_result(scores, [column])) == [
        "Ellipsis (14 judged) rests on too few words to compare systems; 1,444 segments like these would be enough."
    ]
    assert conclude(_result(scores, [column.model_copy(update={"needed": None})])) == [
        "Ellipsis (14 judged) rests on too few words to compare systems."
    ]


def _counted(result: Result, sizes: dict[str, dict[str, int]]) -> Result:
    """Return a result with so many judged words, column → system → count."""
    scores = [one.model_copy(update={"counts": {"right": sizes[one.column][one.system]}}) for one in result.scores]
    return result.model_copy(update={"scores": scores})


def test_a_column_in_which_some_are_compared_names_those_that_are_not():
    scores = {"pronouns": {"ctx": 0.9, "sent": 0.2, "junk": 1.0}, "terms": {"ctx": 0.9, "sent": 0.8, "junk": 1.0}}
    columns = [_column("pronouns", 30, enough=False), _column("terms", 25, enough=False)]
    result = _result(scores, columns)
    compared = [
        Comparison(
            column=name, system="sent", baseline="ctx", difference=-0.5, interval=None, p_value=0.01, p_adjusted=0.02,
            significant=name == "pronouns",
        )
        for name in scores
    ]  # fmt: skip
    result = result.model_copy(update={"comparisons": compared})
    sizes = {"pronouns": {"ctx": 30, "sent": 29, "junk": 3}, "terms": {"ctx": 25, "sent": 24, "junk": 1}}
    assert conclude(_counted(result, sizes)) == [
        "sent is significantly worse than the best, ctx, in pronouns (20.0 against 90.0, 30 judged).",
        "No significant difference in terms (25 judged).",
        "junk has too few words to be compared in pronouns (3 judged) and terms (1 judged).",
    ]


def test_the_smallest_number_of_words_is_shown_where_nobody_is_compared():
    result = _result({"pronouns": {"a": 0.9, "b": 1.0}}, [_column("pronouns", 30, enough=False)])
    assert conclude(_counted(result, {"pronouns": {"a": 30, "b": 3}})) == [
        "Pronouns (3 judged) rest on too few words to compare systems."
    ]


def test_judged_words_that_are_said_in_another_way_are_told_from_those_that_a_figure_rests_on():
    result = _result({"formality": {"a": 0.9, "b": 0.5}}, [_column("formality", 77, enough=False)])
    verdicts = {"a": {"right": 77}, "b": {"right": 3, "wrong": 3, "other": 64, "missing": 7}}
    scores = [one.model_copy(update={"counts": verdicts[one.system]}) for one in result.scores]
    assert conclude(result.model_copy(update={"scores": scores})) == [
        "Formality (77 judged, its figure rests on 6) rests on too few words to compare systems."
    ]


def test_enough_words_in_too_few_documents_are_told_apart_from_too_few_words():
    scores = {name: {"a": 0.9, "b": 0.5} for name in ("pronouns", "formality", "terms")}
    columns = [
        _column("pronouns", 30, enough=False).model_copy(update={"documents": 1}),
        _column("formality", 50, enough=False).model_copy(update={"documents": 1}),
        _column("terms", 2, enough=False),
    ]
    assert conclude(_result(scores, columns)) == [
        "Terms (2 judged) rest on too few words to compare systems; "
        "pronouns (30 judged) and formality (50 judged) lie in too few documents (1; 6 are needed)."
    ]


def test_equal_numbers_of_segments_that_would_be_enough_are_said_once():
    scores = {name: {"a": 0.9, "b": 0.5} for name in ("pronouns", "formality", "terms")}
    columns = [_column(name, 2, enough=False, needed=1242) for name in scores]
    assert conclude(_result(scores, columns))[0].endswith("systems; 1,242 segments like these would be enough.")


def test_each_kind_of_column_has_its_sentence_so_that_there_are_at_most_three():
    scores = {name: {"a": 0.9, "b": 0.5} for name in ("formality", "pronouns", "ellipsis", "terms")}
    columns = [
        _column("formality"), _column("pronouns"), _column("ellipsis", 3, enough=False),
        _column("terms", 2, enough=False),
    ]  # fmt: skip
    said = conclude(_result(scores, columns, {("formality", "b")}))
    assert [one.split(" ", 1)[0] for one in said] == ["b", "No", "Ellipsis"]
    assert said[2] == "Ellipsis (3 judged) and terms (2 judged) rest on too few words to compare systems."


def test_one_system_has_its_strongest_and_weakest_phenomenon_and_is_compared_with_none():
    scores = {"pronouns": {"a": 0.4}, "formality": {"a": 0.952}, "verb_form": {"a": 0.7}}
    columns = [_column("pronouns", 57), _column("formality", 64), _column("verb_form", 53)]
    assert conclude(_result(scores, columns)) == [
        "a is strongest in formality (95.2, 64 judged) and weakest in pronouns (40.0, 57 judged); "
        "there is no other system to compare it with."
    ]


def test_of_many_systems_the_weakest_three_are_named_and_the_others_counted():
    values = {f"s{index}": index / 10 for index in range(1, 10)}
    found = {("pronouns", f"s{index}") for index in range(1, 7)}
    assert conclude(_result({"pronouns": values}, [_column("pronouns", 300)], found)) == [
        "6 of the 8 others (s1, s2, s3, …) are significantly worse than the best, s9, "
        "in pronouns (10.0–60.0 against 90.0, 300 judged)."
    ]


def test_systems_with_the_best_figure_as_it_is_shown_are_named_beside_the_best():
    values = {"a": 0.9001, "b": 0.9, "c": 0.2}
    assert conclude(_result({"pronouns": values}, [_column("pronouns")], {("pronouns", "c")})) == [
        "c is significantly worse than the best, a (level with b), in pronouns (20.0 against 90.0, 50 judged)."
    ]


def test_against_a_named_baseline_better_and_worse_are_told_apart():
    values = {"base": 0.5, "a": 0.8, "b": 0.3}
    found = {("pronouns", "a"), ("pronouns", "b")}
    assert conclude(_result({"pronouns": values}, [_column("pronouns")], found, "base")) == [
        "b is significantly worse than base in pronouns (30.0 against 50.0, 50 judged); "
        "a is significantly better than base in pronouns (80.0 against 50.0, 50 judged)."
    ]


def test_where_lower_is_better_the_higher_figure_is_worse():
    column = _column("TER", None, kind="text", higher=False)
    assert conclude(_result({"TER": {"a": 0.5, "b": 0.7}}, [column], {("TER", "b")})) == [
        "b is significantly worse than a in TER (70.0 against 50.0)."
    ]


def test_text_metrics_are_spoken_of_only_where_no_phenomenon_is_measured():
    scores = {"BLEU": {"a": 0.5, "b": 0.4}, "pronouns": {"a": 0.5, "b": 0.4}}
    text = _column("BLEU", None, kind="text")
    both = conclude(_result(scores, [text, _column("pronouns")], {("BLEU", "b")}))
    assert "BLEU" not in " ".join(both)
    assert conclude(_result({"BLEU": scores["BLEU"]}, [text], {("BLEU", "b")})) == [
        "b is significantly worse than a in BLEU (40.0 against 50.0)."
    ]


def test_a_tagging_says_how_many_words_it_found_most_frequent_first():
    def counted(name: str, count: int) -> Phenomenon:
        return Phenomenon(name=name, occurrences=count, words=count, rules={}, distances={}, systems={})

    found = [counted("pronouns", 1200), counted("verb_form", 3000), counted("ellipsis", 0)]
    assert conclude(_result({}, [], phenomena=found)) == [
        "4,200 occurrences in 200 segments: verb form 3,000 and pronouns 1,200."
    ]
    assert conclude(_result({}, [], phenomena=[counted("pronouns", 0)])) == [
        "No word that needs context was found in 200 segments."
    ]
    assert conclude(_result({}, [])) == []
    one = _result({}, [], phenomena=[counted("pronouns", 1)])
    single = one.model_copy(update={"corpus": one.corpus.model_copy(update={"segments": 1})})
    assert conclude(single) == ["1 occurrence in 1 segment: pronouns 1."]


def test_names_are_joined_as_in_a_sentence():
    assert [join([]), join(["a"]), join(["a", "b"]), join(["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


def test_one_system_has_its_text_metrics_named_one_by_one_since_their_scales_differ():
    scores = {"BLEU": {"a": 0.5}, "TER": {"a": 0.75}}
    columns = [_column("BLEU", None, kind="text"), _column("TER", None, kind="text", higher=False)]
    end = "; there is no other system to compare it with."
    assert conclude(_result(scores, columns)) == [f"a has 50.0 in BLEU and 75.0 in TER{end}"]
    assert conclude(_result({"pronouns": {"a": 0.4}}, [_column("pronouns", 57)])) == [
        f"a has 40.0 in pronouns (57 judged){end}"
    ]


def test_one_system_without_a_figure_is_said_nothing_of_and_too_few_words_are():
    result = _result({"pronouns": {"a": 0.4}}, [_column("pronouns", 57)])
    blank = [one.model_copy(update={"value": None}) for one in result.scores]
    assert conclude(result.model_copy(update={"scores": blank})) == []
    few = _result(
        {"ellipsis": {"a": 0.4}, "terms": {"a": 0.25}}, [_column("ellipsis", 3, enough=False), _column("terms")]
    )
    assert conclude(few) == [
        "a has 25.0 in terms (50 judged); there is no other system to compare it with.",
        "Ellipsis (3 judged) rests on too few words to compare systems.",
    ]


def test_four_systems_are_all_named_and_of_five_three():
    values = {"best": 0.9, **{f"s{at}": at / 10 for at in range(1, 6)}}
    four = {("pronouns", f"s{at}") for at in range(1, 5)}
    [said, *_] = conclude(_result({"pronouns": values}, [_column("pronouns")], four))
    assert said.startswith("s1, s2, s3 and s4 are significantly worse than the best, best, in pronouns (10.0–40.0 ag")
    [said, *_] = conclude(_result({"pronouns": values}, [_column("pronouns")], {*four, ("pronouns", "s5")}))
    assert said.startswith("5 of the 5 others (s1, s2, s3, …) are significantly worse")


def test_a_significant_difference_of_nothing_is_none():
    assert conclude(_result({"BLEU": {"a": 0.5, "b": 0.5}}, [_column("BLEU", None, None, kind="text")],
                            {("BLEU", "b")})) == [
        "No significant difference in BLEU: no difference of any size would show in BLEU."
    ]  # fmt: skip


def test_systems_are_level_with_the_best_only_where_they_are_in_all_columns_named():
    scores = {"pronouns": {"a": 0.9, "b": 0.9, "c": 0.2}, "terms": {"a": 0.8, "b": 0.7, "c": 0.2}}
    found = {("pronouns", "c"), ("terms", "c")}
    [said] = conclude(_result(scores, [_column("pronouns"), _column("terms")], found))
    assert said.startswith("c is significantly worse than the best, a, in pronouns (20.0 against 90.0, 50 judged) and")


def test_columns_with_different_systems_have_clauses_of_their_own():
    scores = {"pronouns": {"a": 0.9, "b": 0.3, "c": 0.2}, "terms": {"a": 0.8, "b": 0.7, "c": 0.2}}
    found = {("pronouns", "c"), ("pronouns", "b"), ("terms", "c")}
    assert conclude(_result(scores, [_column("pronouns"), _column("terms")], found)) == [
        "c and b are significantly worse than the best, a, in pronouns (20.0–30.0 against 90.0, 50 judged); "
        "c is significantly worse than the best, a, in terms (20.0 against 80.0, 50 judged)."
    ]


def test_columns_in_different_numbers_of_documents_name_none_and_the_segments_that_would_do():
    scores = {name: {"a": 0.9, "b": 0.5} for name in ("pronouns", "formality")}
    columns = [
        _column("pronouns", 30, enough=False, needed=900).model_copy(update={"documents": 1}),
        _column("formality", 50, enough=False, needed=1200).model_copy(update={"documents": 2}),
    ]
    start = "Pronouns (30 judged) and formality (50 judged) lie in too few documents (6 are needed)"
    assert conclude(_result(scores, columns)) == [f"{start}; 900 and 1,200 segments like these would be enough."]
    unknown = [columns[0], columns[1].model_copy(update={"needed": None})]
    assert conclude(_result(scores, unknown)) == [f"{start}."]
    # The system that has most is in six: then it is another that is in too few.
    six = columns[0].model_copy(update={"documents": 6, "needed": None})
    assert conclude(_result(scores, [six])) == ["Pronouns (30 judged) lie in too few documents (6 are needed)."]
    five = six.model_copy(update={"documents": 5, "occurrences": 20})
    assert conclude(_result(scores, [five])) == ["Pronouns (20 judged) lie in too few documents (5; 6 are needed)."]
    least = six.model_copy(update={"documents": 5, "occurrences": 19})
    assert conclude(_result(scores, [least])) == ["Pronouns (19 judged) rest on too few words to compare systems."]


def test_words_of_the_reference_are_the_size_of_a_column_without_judgments():
    counted = [Phenomenon(name="pronouns", occurrences=9, words=1234, rules={}, distances={}, systems={})]
    scores = {"pronouns": {"a": 0.9, "b": 0.5}}
    assert conclude(_result(scores, [_column("pronouns", None)], {("pronouns", "b")}, phenomena=counted)) == [
        "b is significantly worse than a in pronouns (50.0 against 90.0, 1,234 words)."
    ]


def test_systems_left_out_for_documents_are_told_from_those_left_out_for_words():
    scores = {"pronouns": {"ctx": 0.9, "sent": 0.2, "x": 1.0, "y": 0.3}}
    result = _result(scores, [_column("pronouns", 40, enough=False)])
    one = Comparison(
        column="pronouns", system="sent", baseline="ctx", difference=-0.7, interval=None, p_value=0.5, p_adjusted=0.5,
        significant=False,
    )  # fmt: skip
    result = result.model_copy(update={"comparisons": [one]})
    assert conclude(_counted(result, {"pronouns": {"ctx": 40, "sent": 30, "x": 20, "y": 25}})) == [
        "No significant difference in pronouns (40 judged).",
        "x and y have too few documents to be compared in pronouns (20 judged).",
    ]
    assert conclude(_counted(result, {"pronouns": {"ctx": 40, "sent": 30, "x": 19, "y": 25}}))[1] == (
        "x and y have too few words to be compared in pronouns (19 judged)."
    )
