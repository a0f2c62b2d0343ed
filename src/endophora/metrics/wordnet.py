"""Wordnets: senses of words, and how senses are related.

A wordnet is a table of lemmas as the Open Multilingual Wordnet has them (``.tab``), a file of the Global WordNet
Association's format WN-LMF (``.xml``), or a lexicon of the library ``wn`` that is installed there. Nothing is fetched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import each_line
from endophora.errors import Fault, InputError, MissingModelError
from endophora.signature import digest_of_name

if TYPE_CHECKING:
    import wn

_POS = {"NOUN": "n", "VERB": "v", "ADJ": "as", "ADV": "r"}
_NONE: frozenset[str] = frozenset()
_KINDS = {"hypernym": "above", "instance_hypernym": "above", "similar": "near"}


class Relations(NamedTuple):
    """The synsets that are related to one."""

    above: frozenset[str] = _NONE  # its direct hypernyms
    near: frozenset[str] = _NONE  # those marked as similar
    tied: frozenset[str] = _NONE  # parts, wholes and opposites


class Wordnet(Protocol):
    """What lexical cohesion and METEOR ask of a wordnet; a synset is named by its id."""

    @property
    def name(self) -> str:
        """The wordnet's name, for signatures."""
        ...

    def senses(self, lemma: str, upos: str = "") -> frozenset[str]:
        """Return the synsets of a lemma and universal part of speech, empty for any.

        Only nouns, verbs, adjectives and adverbs have synsets.
        """
        ...

    def related(self, synset: str) -> Relations:
        """Return what is related to a synset."""
        ...


@dataclass(frozen=True)
class SynsetTable:
    """A wordnet in memory."""

    name: str
    lemmas: Mapping[str, Mapping[str, frozenset[str]]]  # lemma → part of speech (``n v a s r``) → synsets
    relations: Mapping[str, Relations] = field(default_factory=dict[str, Relations])

    def senses(self, lemma: str, upos: str = "") -> frozenset[str]:
        """Return the synsets of a lemma; see :class:`Wordnet`."""
        by_pos = self.lemmas.get(lemma, {})
        return _NONE.union(*(by_pos.get(pos, _NONE) for pos in (_POS.get(upos, "") if upos else by_pos)))

    def related(self, synset: str) -> Relations:
        """Return what is related to a synset."""
        return self.relations.get(synset, Relations())


def load_wordnet(name: str) -> Wordnet:
    """Return a wordnet, the same one for the same name and, of a file, the same content.

    It is a file ``….tab`` or ``….tab.gz`` of the Open Multilingual Wordnet (lemmas only), ``….xml`` in WN-LMF, or a
    lexicon of the library ``wn`` (``oewn:2024``).
    """
    return _loaded(name, digest_of_name(name))


@cache
def _loaded(name: str, content: str) -> Wordnet:
    del content
    if name.endswith((".tab", ".tab.gz", ".tsv", ".tsv.gz")):
        return read_tab(Path(name))
    if name.endswith(".xml"):
        return read_lmf(Path(name))
    return _Lexicon(name)


def read_tab(path: Path) -> SynsetTable:
    """Read a table of lemmas: synset, ``lemma`` or ``LANGUAGE:lemma``, and the lemma, between tabs.

    Lines of other kinds (definitions, examples) and those that begin with ``#`` are left out. Lemmas are taken in lower
    case, with blanks for underscores. The part of speech is what follows the hyphen of the synset's id.
    """
    log = FaultLog()
    lemmas: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for number, line in each_line(path, log):
        if line is None or not line.strip() or line.startswith("#"):
            continue
        synset, *rest = line.split("\t")
        pos = synset.rpartition("-")[2]
        if len(rest) < 2 or pos not in tuple("nvasr"):
            advice = "write SYNSET-POS, a tab, lemma, a tab, and the lemma; POS is n, v, a, s or r"
            log.add("E142", f"“{line[:60]}” is no line of a wordnet", advice, str(path), number)
        elif rest[0].rpartition(":")[2] == "lemma" and (lemma := _lemma(rest[1])):
            lemmas[lemma][pos].add(synset)
    if not lemmas and not log:
        log.add("E142", "there is no lemma in the file", "a line is SYNSET-POS, lemma, LEMMA between tabs", str(path))
    log.check()
    return SynsetTable(path.name, _frozen(lemmas))


def read_lmf(path: Path) -> SynsetTable:
    """Read a file in WN-LMF with the library ``wn``, without its database."""
    library = _library()
    if not path.is_file():
        raise InputError(Fault("E001", "no such file", "check the path", str(path)))
    try:
        resource: Any = library.lmf.load(path, progress_handler=None)
    except (library.Error, AssertionError, LookupError, AttributeError, ValueError) as error:
        raise InputError(
            Fault("E142", f"this is no WN-LMF ({error})", "give a file of that format", str(path))
        ) from error
    lemmas: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    relations: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for lexicon in resource["lexicons"]:
        entries = lexicon.get("entries", [])
        # The targets of a sense's relations are senses.
        synset_of = {sense["id"]: sense["synset"] for entry in entries for sense in entry.get("senses", [])}
        for entry in entries:
            for sense in entry.get("senses", []):
                lemma, pos = entry["lemma"]["writtenForm"], entry["lemma"]["partOfSpeech"]
                lemmas[_lemma(lemma)][pos].add(sense["synset"])
                for each in sense.get("relations", []):
                    target = synset_of.get(each["target"], each["target"])
                    relations[sense["synset"]][_kind(each["relType"])].add(target)
        for synset in lexicon.get("synsets", []):
            for each in synset.get("relations", []):
                relations[synset["id"]][_kind(each["relType"])].add(each["target"])
    if not lemmas:
        raise InputError(Fault("E142", "there is no word in the file", "give a whole wordnet", str(path)))
    return SynsetTable(path.name, _frozen(lemmas), {synset: _relations(found) for synset, found in relations.items()})


def _kind(relation: str) -> str:
    """Return which of the three relations that count a relation of WN-LMF is, or nothing."""
    return _KINDS.get(relation) or ("tied" if relation.startswith(("mero", "holo", "anto")) else "")


def _relations(found: Mapping[str, set[str]]) -> Relations:
    return Relations(*(frozenset(found.get(kind, ())) for kind in Relations._fields))


def _lemma(text: str) -> str:
    return " ".join(text.replace("_", " ").lower().split())


def _frozen(lemmas: Mapping[str, Mapping[str, set[str]]]) -> dict[str, dict[str, frozenset[str]]]:
    return {lemma: {pos: frozenset(found) for pos, found in by_pos.items()} for lemma, by_pos in lemmas.items()}


def _library() -> Any:
    try:
        import wn
    except ImportError as error:
        cause = "wordnets are read by the library wn, which is not installed"
        raise MissingModelError(Fault("E141", cause, "pip install 'endophora[wordnet]'")) from error
    return wn


class _Lexicon:
    """A lexicon in the database of the library ``wn``; what is looked up is kept."""

    def __init__(self, name: str) -> None:
        self.name = name
        library = _library()
        try:
            self._wordnet: wn.Wordnet = library.Wordnet(name)
        except library.Error as error:
            advice = f"python -m wn download {name}, or name a file (.tab, .tab.gz, .xml)"
            raise MissingModelError(Fault("E141", f"there is no wordnet “{name}”", advice)) from error
        self._senses: dict[tuple[str, str], frozenset[str]] = {}
        self._relations: dict[str, Relations] = {}

    def senses(self, lemma: str, upos: str = "") -> frozenset[str]:
        """Return the synsets of a lemma; see :class:`Wordnet`."""
        key = (lemma, upos)
        if key not in self._senses:
            kinds = _POS.get(upos, "") if upos else (None,)
            self._senses[key] = frozenset(
                synset.id for pos in kinds for synset in self._wordnet.synsets(lemma, pos=pos)
            )
        return self._senses[key]

    def related(self, synset: str) -> Relations:
        """Return what is related to a synset."""
        if synset not in self._relations:
            found: dict[str, set[str]] = defaultdict(set)
            node = self._wordnet.synset(synset)
            for kind, targets in node.relations().items():
                found[_kind(kind)].update(target.id for target in targets)
            for sense in node.senses():
                for kind, others in sense.relations().items():
                    found[_kind(kind)].update(other.synset().id for other in others)
            self._relations[synset] = _relations(found)
        return self._relations[synset]
