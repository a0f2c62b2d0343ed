"""The tables of annotators and aligners in the notes on annotators and aligners, from the cards beside the weights.

python benchmarks/tables.py
"""

from __future__ import annotations

from endophora.align.aligners import alignment_card
from endophora.align.priors import PRIORS
from endophora.annotate.loading import PIPELINES, CardFile

FIGURES = ("UPOS", "Gender", "Number", "Case", "Person", "Tense", "LEMMA", "LAS")
AIMS = {"UPOS": 95.0, "Gender": 93.0, "Number": 93.0, "Case": 93.0, "Person": 93.0, "Tense": 93.0}


def annotators() -> None:
    """Print each embedded pipeline on each of its tests; figures that reach the aim are bold."""
    print("| | test set | tokens | " + " | ".join(name.lower() for name in FIGURES) + " |")
    print("|---" * (len(FIGURES) + 3) + "|")
    for path in sorted(PIPELINES.glob("*/card.json")):
        card = CardFile.model_validate_json(path.read_text("utf-8"))
        for test, found in card.tests.items():
            cells = [path.parent.name, test, f"{card.raw_tests[test]['TOKENS']:.1f}"]
            for name in FIGURES:
                shown = f"{found[name]:.1f}" if name in found else "–"
                cells.append(f"**{shown}**" if found.get(name, 0) >= AIMS.get(name, 101) else shown)
            print("| " + " | ".join(cells) + " |")


def aligners() -> None:
    """Print what is known of the priors of each pair."""
    print("| | size, kB | error rate | linked words right | words rightly linked |\n|---|---|---|---|---|")
    for path in sorted(PRIORS.glob("*.priors")):
        source, _, target = path.stem.partition("-")
        card = alignment_card(source, target)
        if card is None:
            continue
        rate = "–" if card.error_rate is None else f"{card.error_rate} ({card.gold})"
        read = (
            ("–", "–") if card.reading is None else (f"{card.reading.precision:.0f} %", f"{card.reading.recall:.0f} %")
        )
        print(f"| {path.stem} | {card.size / 1000:.0f} | {rate} | {read[0]} | {read[1]} |")


if __name__ == "__main__":
    annotators()
    print()
    aligners()
