"""Put trained weights into this distribution: score them; write entry points, ``NOTICE`` and the README's table.

    endophora-makers annotator it --treebanks ../shared/treebanks \
        --recipe makers/src/endophora_makers/recipes/research/it.yaml --output build/it
    python research/assemble.py ../shared/treebanks build/it
    python research/assemble.py ../shared/treebanks            writes the table and the entry points again

The credits in ``NOTICE`` are what each recipe says of its texts.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from endophora.annotate.loading import PIPELINES as EMBEDDED
from endophora.annotate.loading import CardFile
from endophora_makers.cards import score_tests, write_card
from endophora_makers.recipe import RECIPES, load_recipe

HERE = Path(__file__).parent
PIPELINES = HERE / "endophora_models_research" / "pipelines"
FIGURES = ("UPOS", "FEATS", "LEMMA", "LAS")
SECTION = '[project.entry-points."endophora.pipelines"]\n'


def recipe_of(language: str) -> Path:
    """Return the recipe of a language's research weights."""
    return RECIPES / "research" / f"{language}.yaml"


def embedded_figures(language: str, treebanks: Path, wanted: CardFile) -> Mapping[str, Mapping[str, float]]:
    """Return the figures of the pipeline that the main package embeds on the same tests; none if it embeds none."""
    pipeline = EMBEDDED / language
    if not (pipeline / "card.json").is_file():
        return {}
    known = CardFile.model_validate_json((pipeline / "card.json").read_text("utf-8")).tests
    if set(wanted.tests) <= set(known):
        return known
    scored = score_tests(language, treebanks, pipeline, recipe_of(language))
    return {test: scores.gold for test, scores in scored.items()}


def table(cards: Mapping[str, CardFile], treebanks: Path) -> str:
    """Return the README's table: each pipeline on its tests, beside the embedded one."""
    heads = ("", "test set", *FIGURES, *(f"embedded: {name}" for name in FIGURES))
    rows = [" | ".join(heads), "|".join("---" for _ in heads)]
    for language, card in cards.items():
        others = embedded_figures(language, treebanks, card)
        for test, figures in card.tests.items():
            both = (figures, others.get(test, {}))
            cells = [f"{found[name]:.1f}" if name in found else "–" for found in both for name in FIGURES]
            rows.append(" | ".join((language, test, *cells)))
    return "\n".join(f"| {row} |" for row in rows)


def main(treebanks: str, *weights: str) -> None:
    """Take in the weights, one directory a language, named by its code, and write what tells of them."""
    for directory in map(Path, weights):
        target = PIPELINES / directory.name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(directory, target)
        write_card(directory.name, Path(treebanks), target, recipe_of(directory.name))
    found = {path.parent.name: path for path in sorted(PIPELINES.glob("*/card.json"))}
    cards = {language: CardFile.model_validate_json(path.read_text("utf-8")) for language, path in found.items()}
    readme = HERE / "README.md"
    figures = f"<!-- figures -->\n{table(cards, Path(treebanks))}\n<!-- end of figures -->"
    pattern = r"<!-- figures -->.*<!-- end of figures -->"
    readme.write_text(re.sub(pattern, lambda _: figures, readme.read_text("utf-8"), flags=re.DOTALL), "utf-8")
    credits = "\n".join(f"{code}: {load_recipe(code, recipe_of(code)).trained_on}." for code in cards)
    licence = "The files hold no text and are offered under CC BY-NC-SA 4.0."
    sources = "Treebanks: https://universaldependencies.org. Tatoeba: https://tatoeba.org, CC BY 2.0."
    notice = f"endophora-models-research: sources of the weights\n\n{credits}\n\n{sources}\n{licence}\n"
    (HERE / "NOTICE").write_text(notice, "utf-8")
    project = HERE / "pyproject.toml"
    before, _, after = project.read_text("utf-8").partition(SECTION)
    points = "".join(f'{code} = "endophora_models_research.pipelines.{code}"\n' for code in cards)
    project.write_text(f"{before}{SECTION}{points}{after[after.index(chr(10) + '[') :]}", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
