"""What a decoder-only model reads: prompts, turns and lines around a target, cut into tokens together with it.

Templates, of the package or of a user, are Jinja in one sandbox, each tried out when its file is read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import zip_longest
from pathlib import Path
from typing import Any, cast

from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

from endophora.corpus.codes import language_names
from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError, first_line
from endophora.models.layout import LONGEST, Ids, LaidOut
from endophora.models.options import Form, ModelOptions
from endophora.models.records import ContextRead, ContextSentence, Decoding, ModelInput, SideRead
from endophora.models.sequence_model import EXTRA, LaidOutScorer
from endophora.models.tokenization import HubCoder, Pieces

TEXT = "\ue000"
"""The text to translate when a template is tried: a character that no template has by itself."""

# A file of templates is a user's, and a template is code.
_SANDBOX = SandboxedEnvironment(
    undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
)


class Templates:
    """The templates of a file; all its faults are reported at once.

    Args:
        file: a user's; by default ``packaged``.
        trials: name of each template → variables to try it with; :data:`TEXT` among them must come out again.
        about: the error's code, and the page of the documentation.
        optional: templates that a user's file may leave out; the package's are taken then.
    """

    def __init__(
        self,
        file: Path | None,
        packaged: Traversable,
        trials: Mapping[str, Mapping[str, object]],
        about: tuple[str, str],
        optional: Collection[str] = (),
    ) -> None:
        self._place, (self._code, page) = packaged.name if file is None else str(file), about
        self.text, self.table = self._read(file or packaged)
        if file is not None and optional:
            shipped = self._read(packaged)[1]
            self.table = {name: shipped[name] for name in optional} | self.table
        self._templates: dict[str, Any] = {}
        faults = [self._fault(f"there is no “{name}”", f"see {page}")
                  for name in trials if not isinstance(self.table.get(name), str)]  # fmt: skip
        faults += [self._fault(f"there is no use for “{name}”", f"known: {', '.join(trials)}")
                   for name in self.table if name not in trials]  # fmt: skip
        for name, values in trials.items():
            if not isinstance(self.table.get(name), str):
                continue
            try:
                self._templates[name] = _SANDBOX.from_string(str(self.table[name]))
                filled = self.fill(name, values)
            except Exception as error:  # `{{ text + 1 }}` is a TypeError
                faults.append(self._fault(f"“{name}”: {error}", f"see {page} for the variables"))
                continue
            for variable in (variable for variable, value in values.items() if value == TEXT and TEXT not in filled):
                faults.append(self._fault(f"“{name}” leaves out the {variable}", f"write {{{{ {variable} }}}} in it"))
        if faults:
            raise InputError(faults)

    def fill(self, name: str, values: Mapping[str, object]) -> str:
        """Return a template with its variables filled in."""
        return str(self._templates[name].render(values))

    def _read(self, file: Traversable) -> tuple[str, dict[object, object]]:
        """Return the text of a file and its table, empty if there is something else in it."""
        try:
            text = file.read_text("utf-8")
            data = load_yaml(text)
        except (OSError, UnicodeDecodeError, TreeError) as error:
            cause = f"cannot be read ({first_line(error)})"
            raise InputError(self._fault(cause, "check the path and the form")) from error
        return text, cast("dict[object, object]", data) if isinstance(data, dict) else {}

    def _fault(self, cause: str, advice: str) -> Fault:
        return Fault(self._code, cause, advice, self._place)


LINE = "\n"
_LINE_ENDS = ("\n", "Ċ", "<0x0A>")
"""How a line's end is written in tokens: as it is, in byte-level vocabularies, and as a byte."""

_TARGET = "\ue001"
"""Stands for the target where the text around it is made: a character that no text has."""


def prompt_template(file: Path | None = None) -> Templates:
    """Return the templates of a user's file, or of the package's (E280)."""
    values: dict[str, object] = {"source": TEXT, "context": [{"source": "a", "target": "b"}], "target": _TARGET}
    values |= {"source_language": "English", "target_language": "German"}
    trials = {"chat": values, "plain": values, "system": {name: values[name] for name in _NAMES}}
    packaged = files("endophora.models") / "prompts.yaml"
    several = {name: values[name] for name in (*_NAMES, "context")}
    several |= {"text": TEXT, "count": 2, "first": "1", "last": "2"}
    trials |= {"chunk": several, "whole": several}
    return Templates(file, packaged, trials, ("E280", "docs/models.md"), optional=("system", "chunk", "whole"))


_NAMES = ("source_language", "target_language")


@dataclass(frozen=True, slots=True)
class Prompts:
    """What a language model reads around a translation; ``arguments`` are for the tokenizer's own template of turns."""

    templates: Templates
    form: Form
    languages: Mapping[str, str]
    arguments: Mapping[str, object]

    def text(self, source: str, context: Sequence[Mapping[str, str]]) -> tuple[str, str]:
        """Return a text without turns: what stands before the target, and what after it up to the end of its line."""
        values = {**self.languages, "source": source, "context": context, "target": _TARGET}
        before, target, after = self.templates.fill("plain", values).rpartition(_TARGET)
        if not target:
            return after, LINE
        return before, after.partition(LINE)[0] + LINE

    def turns(self, source: str, context: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
        """Return the turns of a conversation up to that of the target.

        As ``turns``, segments of the context that have both sides are turns of their own; others are in the first.
        """
        turns = self._system()
        ahead: Sequence[Mapping[str, str]] = context
        asked: list[Mapping[str, str]] = [{"source": source, "target": ""}]
        if self.form == "turns":
            one_sided = [place for place, one in enumerate(context, 1) if not (one["source"] and one["target"])]
            first = one_sided[-1] if one_sided else 0
            ahead, asked = context[:first], [*context[first:], *asked]
        for one in asked:
            values = {**self.languages, "source": one["source"], "context": ahead}
            turns.append({"role": "user", "content": self.templates.fill("chat", values)})
            turns += [{"role": "assistant", "content": one["target"]}] * bool(one["target"])
            ahead = ()
        return turns

    def chunk(
        self, name: str, context: Sequence[Mapping[str, str]], variables: Mapping[str, object]
    ) -> list[dict[str, str]]:
        """Return the turns that ask for several segments at once."""
        text = self.templates.fill(name, {**self.languages, "context": context, **variables})
        return [*self._system(), {"role": "user", "content": text}]

    def _system(self) -> list[dict[str, str]]:
        system = self.templates.fill("system", self.languages).strip()
        return [{"role": "system", "content": system}] * bool(system)


def prompts_of(tokenizer: Any, argument: str, options: ModelOptions) -> tuple[Prompts, str]:
    """Return how a model is asked, and a word of it for its signature (E280, E272)."""
    template = prompt_template(options.template)
    digest = hashlib.blake2b(template.text.encode(), digest_size=4).hexdigest()
    names = tuple(language_names().get(code, code) for code in options.languages or ("", ""))
    has_turns = bool(getattr(tokenizer, "chat_template", None))
    form: Form = options.form or ("chat" if has_turns else "plain")
    if form != "plain" and not has_turns:
        cause = f"the model's tokenizer has no chat template, which form={form} needs"
        raise InputError(Fault("E272", cause, "leave form= out, or write form=plain", argument))
    says = f"{form},template={digest},languages={'-'.join(options.languages or ())}"
    return Prompts(template, form, dict(zip(_NAMES, names, strict=True)), dict(options.chat_template_kwargs)), says


_MARKS = 0xE100
"""The first of the characters that mark where a segment begins and ends in a prompt: no text has them."""


def _unmarked(text: str, marks: Sequence[str]) -> tuple[str, list[SegmentPlace]]:
    """Return a marked text without its marks, and where each segment is in it."""
    plain, length, places, begun = list[str](), 0, list[SegmentPlace](), dict[str, int]()
    for part in re.split(f"([{marks[0]}-{marks[-1]}])", text):
        if part not in marks:
            plain.append(part)
            length += len(part)
        elif part in begun:
            places.append((marks.index(part), begun.pop(part), length))
        else:
            begun[part] = length
    return "".join(plain), places


SegmentPlace = tuple[int, int, int]
"""A segment's number, through source context, source and target context, and its beginning and end in a prompt."""


@dataclass(frozen=True, slots=True)
class PromptReading:
    """A prompt and a target as a language model reads them.

    Attributes:
        given: the input with the context that there is room for.
        text: what stands before the target.
        before: the tokens of that, with their places in it; special tokens of the beginning stand nowhere.
        target: the target's tokens, with their places in the target.
        places: where segments are in the text; one that a template shows twice is there twice.
    """

    given: ModelInput
    text: str
    before: Pieces
    target: Pieces
    places: tuple[SegmentPlace, ...]


class Prompted(LaidOutScorer):
    """Lays segments out for a decoder-only model, wherever it runs.

    Prompt and target are cut into tokens together, as they would be written: a token that reaches into the target is
    the target's. In chat the target ends with the model's turn, otherwise with its line; where one token holds both a
    text's last sign and the end of its line, it has the probability of both.
    """

    coder: HubCoder

    def _prepare(self, model: Any, tokenizer: Any, prompts: Prompts, window: int | None, spare: int = 0) -> None:
        """Take what stands around a target, and the limits.

        Args:
            model: what has the model's ``config`` and ``generation_config``.
            window: most tokens of prompt and target together as long as there is context to leave out; by default what
                the model takes.
            spare: tokens that must stay free behind the target.
        """
        self._tokenizer, self._prompts = tokenizer, prompts
        chat = prompts.form != "plain"
        # A template of turns writes the special tokens at the beginning itself.
        self._start: Ids = () if chat else self.coder.frame(0)[0]
        ends = _ends_of_text(model, tokenizer)
        self._ends = ends if chat else (*ends, *self._line_ends())
        self._gap, self._after = self._around_turn() if chat else ("", "")
        self._eos = ends[0] if ends else 0
        self._pad = int(next(one for one in (tokenizer.pad_token_id, self._eos) if one is not None))
        self._longest = _longest(model.config, tokenizer) - spare
        reach = min(self._longest, _reach(model.config))
        self._window = min(window or reach, reach)
        # What is cut, and counted as cut, is the oldest.
        marks, text = self._marked(ModelInput("a", ("b", "c"), ("d", "e")))
        shown = [mark in text for mark in marks]
        if shown[0] > shown[1] or shown[3] > shown[4]:
            cause = "the prompt shows an earlier segment of the context, and not the last one"
            raise InputError(Fault("E280", cause, "show the last ones in the file of template=", "--model"))

    @property
    def longest(self) -> int:
        """Most tokens of prompt and target."""
        return self._longest

    def prompt(self, given: ModelInput) -> Ids:
        """Return the tokens that the model reads before it writes a translation."""
        return self._tokens(self._around(given)[0])

    def read_with(self, given: ModelInput, target: str) -> PromptReading:
        """Return prompt and target in tokens, and where the segments stand (E261: a template changes them).

        Context for which there is no room is left out, as it is where targets are scored.
        """
        kept = self._fitted(given, target, None)[0]
        plain, after = self._around(kept)
        marks, text = self._marked(kept)
        before, places = _unmarked(text, marks)
        if before != plain:
            cause = "the prompt does not show the segments as they are"
            raise InputError(Fault("E261", cause, "write them into the templates unchanged", "--model"))
        ahead, cut, _ = self.coder.within(plain, after, target)
        start = tuple(map(self.coder.piece, self._start))
        ahead = Pieces((*self._start, *ahead.ids), (*start, *ahead.pieces), (*((0, 0),) * len(start), *ahead.spans))
        return PromptReading(kept, plain, ahead, cut, tuple(places))

    def _tokens(self, text: str) -> Ids:
        # The blank before a word is a part of its token.
        return (*self._start, *self.coder.source(text.rstrip(" ")).ids)

    def _around(self, given: ModelInput) -> tuple[str, str]:
        """Return the text before the target and after it, to the end of its line or turn."""
        sources = [self._as_text(sentence) for sentence in given.source_context]
        targets = [self._as_text(sentence) for sentence in given.target_context]
        context = side_pairs(sources, targets)
        if self._prompts.form == "plain":
            return self._prompts.text(given.source, context)
        return self._conversation(self._prompts.turns(given.source, context), True) + self._gap, self._after

    def _conversation(self, turns: Sequence[Mapping[str, str]], ask: bool) -> str:
        """Return turns as the tokenizer's template writes them (E280)."""
        settings = {**_PLAIN_ANSWERS, **self._prompts.arguments}
        try:
            return str(
                self._tokenizer.apply_chat_template(list(turns), tokenize=False, add_generation_prompt=ask, **settings)
            )
        except Exception as error:  # a template is code of the model's
            cause = f"the model's chat template takes no such turns ({first_line(error)})"
            advice = "leave out the system turn of template=FILE, or use form=chat or form=plain"
            raise InputError(Fault("E280", cause, advice)) from error

    def _around_turn(self) -> tuple[str, str]:
        """Return the blank before the model's answer and what stands after it, as the template writes a past turn."""
        turns = self._prompts.turns("", [])
        before, _, after = self._conversation([*turns, {"role": "assistant", "content": _TARGET}], False).partition(
            _TARGET
        )
        asked = self._conversation(turns, True)
        gap = before[len(asked) :] if before.startswith(asked) else ""
        # Other text that stands there is a thought that was left out.
        return gap if gap.isspace() else "", after

    def _line_ends(self) -> Ids:
        """Return the tokens with the end of a line in them: signs and the end are one token in some vocabularies."""
        table = cast("dict[str, int]", self._tokenizer.get_vocab())
        return tuple(sorted(index for token, index in table.items() if any(end in token for end in _LINE_ENDS)))

    def _lay_out(self, given: ModelInput, target: str | None, decoding: Decoding | None) -> LaidOut:
        kept, found, cut, wanted, room = self._fitted(given, target, decoding)
        # A model without a token for the beginning has to read something.
        return LaidOut((), (), (), found or (self._pad,), wanted, self._read(given, kept), room, cut)

    def _fitted(
        self, given: ModelInput, target: str | None, decoding: Decoding | None
    ) -> tuple[ModelInput, Ids, Pieces | None, Ids, int]:
        """Return an input without the oldest context where there is no room for it, and its tokens."""
        sources, targets = given.source_context, given.target_context
        while True:
            kept = ModelInput(given.source, sources, targets)
            if target is None:
                found, cut, wanted = self.prompt(kept), None, ()
                room = self._limit(given, decoding or Decoding())
            else:
                ahead, cut, rest = self.coder.within(*self._around(kept), target)
                found, wanted = (*self._start, *ahead.ids), (*cut.ids, *self._closing(cut.ids, rest))
                room = len(wanted)
            if len(found) + room <= self._window or not (sources or targets):
                return kept, found, cut, wanted, room
            most = max(len(sources), len(targets)) - 1
            sources = sources[-most:] if most else ()
            targets = targets[-most:] if most else ()

    def _read(self, given: ModelInput, kept: ModelInput) -> ContextRead:
        """Return how much of the context the prompt shows: a template of the user's may leave out any of it."""
        if not (given.source_context or given.target_context):
            return ContextRead()
        marks, text = self._marked(kept)
        first, second = len(kept.source_context), len(kept.source_context) + 1
        shown = [mark in text for mark in marks]
        return ContextRead(
            self._side(given.source_context, kept.source_context, shown[:first]),
            self._side(given.target_context, kept.target_context, shown[second:]),
        )

    def _marked(self, given: ModelInput) -> tuple[list[str], str]:
        """Return a mark for each segment, and the text before the target with the marks around each in it."""
        segments = [*given.source_context, given.source, *given.target_context]
        marks = [chr(_MARKS + number) for number in range(len(segments))]
        texts = map(self._as_text, segments)  # an empty one stays empty: templates leave it out
        marked = [f"{mark}{text}{mark}" if text else "" for mark, text in zip(marks, texts, strict=True)]
        first = len(given.source_context)
        return marks, self._around(ModelInput(marked[first], tuple(marked[:first]), tuple(marked[first + 1 :])))[0]

    def _closing(self, target: Ids, rest: Ids) -> Ids:
        """Return the tokens behind a target that end it, none where its last one does."""
        if self._prompts.form == "plain" and target and target[-1] in self._ends:
            return ()
        last = next((place for place, index in enumerate(rest) if index in self._ends), None)
        return (self._eos,) if last is None else rest[: last + 1]

    def _excess(self, example: LaidOut) -> str:
        length = len(example.prefix) + example.room - 1  # the last token is found, and not read
        return f"prompt and target have {length} tokens, and the model takes {self._longest}" * (length > self._longest)

    def _limit(self, given: ModelInput, decoding: Decoding) -> int:
        """Return the most tokens of a translation."""
        return max(1, min(int(self.length(given.source) * decoding.longest) + EXTRA, self._longest // 2))

    def _side(
        self, given: Sequence[ContextSentence], kept: Sequence[ContextSentence], shown: Sequence[bool]
    ) -> SideRead:
        read = [one for one, is_shown in zip(kept, shown, strict=True) if is_shown]
        given, read = ([one for one in some if self._as_text(one).strip()] for some in (given, read))
        return SideRead(len(given), len(read), sum(map(self.length, given)), sum(map(self.length, read)))

    def _as_text(self, sentence: ContextSentence) -> str:
        return sentence if isinstance(sentence, str) else self.coder.text(sentence).strip()


def side_pairs(sources: Sequence[str], targets: Sequence[str]) -> list[dict[str, str]]:
    """Return segments with their translations; the last ones belong together, where one side has fewer."""
    pairs = list(zip_longest(reversed(sources), reversed(targets), fillvalue=""))[::-1]
    return [{"source": source, "target": target} for source, target in pairs]


_PLAIN_ANSWERS = {"enable_thinking": False}
"""What templates of turns are given unless options say otherwise: they ignore what they do not know."""


def _ends_of_text(model: Any, tokenizer: Any) -> Ids:
    """Return the tokens that end a model's answer: the tokenizer's and those of the generation configuration."""
    settings = getattr(model, "generation_config", None)
    configured: Any = getattr(settings, "eos_token_id", None)
    more = cast("list[Any]", configured) if isinstance(configured, list) else [configured]
    return tuple(dict.fromkeys(int(one) for one in (tokenizer.eos_token_id, *more) if one is not None))


def _longest(config: Any, tokenizer: Any) -> int:
    """Return the most tokens that a model takes, by its configuration or that of its text part, or its tokenizer's."""
    text = config.get_text_config(decoder=True)
    found = (getattr(text, name, None) for name in ("max_position_embeddings", "max_seq_len", "seq_length"))
    most = next((int(one) for one in found if one), None)
    said = int(tokenizer.model_max_length)
    return most or (said if said < _NO_LIMIT else LONGEST)


_NO_LIMIT = 1 << 30
"""Tokenizers without a limit name an enormous one."""


def _reach(config: Any) -> int:
    """Return how many tokens back a model sees; without a limit if any of its layers sees all."""
    text = config.get_text_config(decoder=True)
    window = getattr(text, "sliding_window", None)
    kinds = getattr(text, "layer_types", None) or ["sliding_attention"]
    slides = getattr(text, "use_sliding_window", True) and set(kinds) == {"sliding_attention"}
    return int(window) if window and slides else _NO_LIMIT
