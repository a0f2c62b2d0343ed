"""A recipe: everything that decides how an annotator is trained, as data."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from endophora.annotate.weights import EMBEDDING_LEVELS
from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError
from endophora.record import Fixed
from endophora_makers.label_mapping import Harmony
from endophora_makers.relabel import Relabelling
from endophora_makers.treebanks import Source

RECIPES = Path(__file__).parent / "recipes"
"""Where the shipped recipes lie, one file a language."""


class Network(Fixed):
    """Sizes of the network.

    Attributes:
        width: width of the embedding and of the encoder.
        depth: convolutions of the encoder, each of one word to either side.
        hidden: width of the parser's hidden layer.
        form_rows: rows of the table of forms.
        shape_rows: rows of the table of shapes.
        prefixes: length of a prefix → rows.
        suffixes: length of a suffix → rows.
    """

    width: int
    depth: int
    pieces: int
    hidden: int
    form_rows: int
    shape_rows: int
    prefixes: dict[str, int]
    suffixes: dict[str, int]


class Training(Fixed):
    """How long and how fast to train.

    Attributes:
        rate: the highest learning rate; it rises over ``warmup`` batches and then falls to nothing.
        teacher: words that a teacher sees before it labels a source which has no UD labels.
        rounds: how often such sources are labelled again by a teacher of all sources.
        stages: how many teachers there are before; 0 for one a source.
        taught: whether a pipeline is trained before, whose trees the sentences without any get to learn from.
        embedding_levels: values of either sign that an embedding's weight is rounded to, up to 127; each bit more
            of a language costs some 80 kB, so only those have more that lose a tenth of a point with 63.
    """

    words: int
    batch: int = 400
    dropout: float = 0.15
    rate: float = 0.002
    warmup: int = 100
    teacher: int = 250_000
    rounds: int = 0
    stages: int = 0
    taught: bool = False
    embedding_levels: int = EMBEDDING_LEVELS


class Augment(Fixed):
    """Probabilities of changing a training sentence.

    Attributes:
        typographic: with typographic quotation marks and apostrophes.
        spellings: letter → the other letter that also stands for it.
    """

    lower: float = 0.0
    upper: float = 0.0
    unpunctuated: float = 0.0
    typographic: float = 0.0
    spelling: float = 0.0
    spellings: dict[str, str] = {}


class Recipe(Fixed):
    """How the annotator of a language is trained and tested.

    Attributes:
        licence: licence of the weights, which follows from the texts.
        components: the pipeline's components behind the shared encoder; one that all sources have labels for is last.
        capitalised: parts of speech and features whose lemmas begin with a capital, for ``endophora_lemmatizer``.
        genders: the rule file whose noun lexicon puts genders right at run time; none if empty.
        agreement: the recipe by which the morphologizer's labels agree at run time; none if empty.
        entities: treebank's entity type → ours; other types are dropped.
        harmonise: named feature rules for sources of another convention.
        relabel: named rules for sources that a teacher relabels.
        development: what is scored during training, and kept out of it.
        tests: what is scored at the end, and kept out of training.
    """

    language: str
    licence: str = "not stated"
    trained_on: str = ""
    components: tuple[str, ...]
    network: Network
    training: Training
    augment: Augment = Augment()
    capitalised: tuple[str, ...] = ("PROPN",)
    genders: str = ""
    agreement: str = ""
    entities: dict[str, str] = {}
    harmonise: dict[str, Harmony] = {}
    relabel: dict[str, Relabelling] = {}
    sources: tuple[Source, ...]
    development: tuple[Source, ...] = ()
    tests: tuple[Source, ...] = ()


def load_recipe(language: str, path: Path | None = None) -> Recipe:
    """Read a recipe.

    Args:
        path: the recipe's file; by default the shipped one of the language.

    Raises:
        InputError: there is none (E083), or it is not as it should be (E084).
    """
    file = path or RECIPES / f"{language}.yaml"
    if not file.is_file():
        known = ", ".join(sorted(recipe.stem for recipe in RECIPES.glob("*.yaml")))
        raise InputError(
            Fault("E083", f"no recipe for “{language}”", f"give a recipe file; shipped: {known}", str(path or ""))
        )
    try:
        return Recipe.model_validate(load_yaml(file.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, TreeError) as error:
        cause = " ".join(str(error).split())
        raise InputError(Fault("E084", cause, "correct the YAML", str(file), getattr(error, "line", None))) from error
    except ValidationError as error:
        faults = (
            Fault("E084", f"{'.'.join(map(str, e['loc']))}: {e['msg']}", "see the shipped recipes", str(file))
            for e in error.errors()
        )
        raise InputError(faults) from error
