"""Kept values and resumable runs: every field of every setup counts, files by content, and code in a checkout."""

from __future__ import annotations

import ast
import dataclasses
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import endophora
from endophora import provenance
from endophora.signature import APART, KEYED, Keys, digest_of, keyed, run_signature, write_signature

SOURCE = Path(endophora.__file__).parent


for _module in sorted(SOURCE.rglob("*.py")):
    # Only modules that declare something: others need libraries that take long to load.
    if re.search("^@(un)?keyed", _module.read_text(encoding="utf-8"), re.MULTILINE):
        import_module(".".join(_module.relative_to(SOURCE.parent).with_suffix("").parts))

OURS = sorted(
    (kind for kind in KEYED if kind.__module__.startswith("endophora.")),
    key=lambda kind: (kind.__module__, kind.__qualname__),
)


def read_signature(text: str) -> dict[str, str]:
    """Return the keys and values of a signature, in their order; a nested value is a signature again."""
    found = ((_bare(key), _bare(value)) for key, value in (_cut(part, ":") for part in _parts(text)))
    return dict(found) if text else {}


def _bare(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL) if text.startswith("{") else text


def _parts(text: str) -> Iterator[str]:
    """Yield what stands between bars that are in no braces."""
    rest = text
    while True:
        place = _place(rest, "|")
        yield rest[:place]
        if place == len(rest):
            return
        rest = rest[place + 1 :]


def _cut(text: str, mark: str) -> tuple[str, str]:
    place = _place(text, mark)
    return text[:place], text[place + 1 :]


def _place(text: str, mark: str) -> int:
    """Return where a mark stands first outside of braces; the length of the text if nowhere."""
    depth = skip = 0
    for place, letter in enumerate(text):
        if skip:
            skip = 0
        elif letter == "\\":
            skip = 1
        elif letter in "{}":
            depth += 1 if letter == "{" else -1
        elif letter == mark and not depth:
            return place
    return len(text)


def _made(kind: type, /, **values: object) -> Any:
    """Return an instance with any values: what a constructor would refuse is no matter of keys."""
    if not dataclasses.is_dataclass(kind):
        return kind.model_construct(**values)
    made = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def _fields(kind: type) -> Iterator[tuple[str, bool]]:
    """Yield the fields of a class, each with whether it counts."""
    names = [each.name for each in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else kind.model_fields
    declared = [KEYED[each].irrelevant for each in kind.__mro__ if each in KEYED]
    for name in names:
        yield name, not any(name in irrelevant for irrelevant in declared)


CASES = [(kind, name, counts) for kind in OURS for name, counts in _fields(kind)]


@pytest.mark.parametrize(
    ("kind", "name", "counts"), CASES, ids=[f"{kind.__qualname__}.{name}" for kind, name, _ in CASES]
)
def test_every_field_of_every_setup_counts_but_those_declared_irrelevant(kind: type, name: str, counts: bool):
    values = {each: f"value of {each}" for each, _ in _fields(kind)}
    one, other = _made(kind, **values), _made(kind, **values | {name: "another value"})
    assert (Keys(one)("text") != Keys(other)("text")) is counts
    assert (run_signature(one) != run_signature(other)) is counts
    assert Keys(one)("text") == Keys(_made(kind, **values))("text")


def test_there_are_setups_and_options_to_go_over():
    names = {kind.__qualname__ for kind in OURS}
    assert {"Setup", "ExtractionSetup", "TaggerOptions", "ModelInput", "Decoding", "Question"} <= names


def _classes() -> Iterator[tuple[str, str, ast.ClassDef]]:
    ends = "(Setup|Options|Settings|Decoding)"
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
        text = path.read_text(encoding="utf-8")
        # Parsing all modules takes seconds, in each process that collects tests.
        for node in ast.walk(ast.parse(text)) if re.search(rf"class \w*{ends}\b", text) else ():
            if isinstance(node, ast.ClassDef) and re.search(f"{ends}$", node.name):
                bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
                # What a result says of its making is no setup.
                if not bases & {"Record", "ResamplingSettings", "ScoringSettings"}:
                    yield module, node.name, node


CHOSEN = list(_classes())


def heirs(kind: type) -> list[type]:
    """The classes below one, whose fields are in its key too."""
    return [each for below in kind.__subclasses__() for each in (below, *heirs(below))]


@pytest.mark.parametrize(("module", "name", "node"), CHOSEN, ids=[f"{module}.{name}" for module, name, _ in CHOSEN])
def test_every_setup_and_options_class_says_whether_keys_are_made_of_it(module: str, name: str, node: ast.ClassDef):
    calls = [each.func.id for each in node.decorator_list if isinstance(each, ast.Call)]
    inherited = any(
        name == kind.__qualname__ and module == kind.__module__ for known in (*KEYED, *APART) for kind in heirs(known)
    )
    assert inherited or {"keyed", "unkeyed"} & set(calls), f"declare {name} with @keyed, or with @unkeyed and why"


@pytest.mark.parametrize("kind", OURS, ids=[kind.__qualname__ for kind in OURS])
def test_each_irrelevant_field_has_a_reason(kind: type):
    assert all(len(reason.split()) > 2 for reason in KEYED[kind].irrelevant.values())


def test_keys_are_made_by_the_composer_alone():
    for path in sorted(SOURCE.rglob("*.py")):
        # The store reads keys back that it has.
        if path.name in ("signature.py", "comet_worker.py") or path.parent.name == "store":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("StoreKey", "Signature"), f"{path}:{node.lineno}: a key made by hand"


def test_resumable_runs_are_told_apart_by_the_composer_alone():
    """A task's signature is made here: only this module makes the type that tasks must return."""
    returned = {
        (path.name, ast.unparse(node.returns or ast.Constant("")))
        for path in sorted(SOURCE.rglob("*.py"))
        for kind in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(kind, ast.ClassDef) and kind.name != "Task"
        if {"signature", "schema", "load"} <= {_name(each) for each in kind.body}
        for node in kind.body
        if isinstance(node, ast.FunctionDef) and node.name == "signature"
    }
    assert {name for name, _ in returned} >= {"task.py", "links.py"}
    assert {kind for _, kind in returned} == {"Signature"}


def _name(node: ast.stmt) -> str:
    return node.name if isinstance(node, ast.FunctionDef) else ""


def test_an_object_of_another_class_is_refused():
    @dataclass
    class Options:
        size: int = 1

    with pytest.raises(TypeError, match="keyed"):
        Keys(Options())
    with pytest.raises(TypeError, match="keyed"):
        run_signature(Options())
    with pytest.raises(TypeError, match="keyed"):
        digest_of([Options()])


def test_a_field_that_a_subclass_adds_counts():
    @keyed(irrelevant={"workers": "rows are the same for any number"})
    @dataclass
    class Options:
        workers: int = 1

    @dataclass
    class More(Options):
        size: int = 1

    assert digest_of(More(size=1)) != digest_of(More(size=2))
    assert digest_of(More(workers=1)) == digest_of(More(workers=2))


def test_a_declaration_names_fields_that_there_are_and_says_why():
    with pytest.raises(TypeError, match="no field wrokers"):
        keyed(irrelevant={"wrokers": "a slip of the pen"})(dataclass(type("Options", (), {})))
    with pytest.raises(TypeError, match="say why"):
        keyed(irrelevant={"workers": ""})(dataclasses.make_dataclass("Options", ["workers"]))


@keyed(names=("metrics",))
@dataclass
class _Files:
    path: Path | None = None
    metrics: tuple[str, ...] = ()


@pytest.mark.parametrize("spec", ["{}", "kind:{}", "kind:spans={}", "kind:{},unknown=mean", "kind:paper,spans={}"])
def test_a_file_counts_by_its_content_and_not_by_its_place(tmp_path: Path, spec: str):
    one, other = tmp_path / "one.txt", tmp_path / "other" / "two.txt"
    other.parent.mkdir()
    one.write_text("here")
    other.write_text("here")

    def digest(path: Path) -> str:
        return digest_of(_Files(path, (spec.format(path),)))

    before = digest(one)
    assert digest(other) == before
    one.write_text("there")
    assert digest_of(_Files(None, (spec.format(one),))) != digest_of(_Files(None, (spec.format(other),)))
    assert digest(one) != before
    one.write_text("here")
    assert digest(one) == before


def test_a_folder_counts_by_all_that_is_in_it(tmp_path: Path):
    for name in ("one", "two"):
        (tmp_path / name / "vocab").mkdir(parents=True)
        (tmp_path / name / "weights.bin").write_bytes(b"12")
        (tmp_path / name / "vocab" / "words").write_text("a")
    assert digest_of(tmp_path / "one") == digest_of(tmp_path / "two")
    (tmp_path / "two" / "vocab" / "words").write_text("b")
    assert digest_of(tmp_path / "one") != digest_of(tmp_path / "two")


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner),
    max_leaves=12,
)


@given(_VALUES, _VALUES)
def test_different_data_have_different_keys(one: Any, other: Any):
    key = Keys(_Files())
    assert (key(one) == key(other)) is (json.dumps(_lists(one)) == json.dumps(_lists(other)))


def _lists(value: Any) -> Any:
    return [_lists(each) for each in value] if isinstance(value, list | tuple) else value


@given(st.dictionaries(st.text(), st.text()))
def test_a_signature_is_read_as_it_was_written(items: dict[str, str]):
    assert read_signature(write_signature(items.items())) == items


def test_nested_signatures_stand_in_braces():
    inner = write_signature([("name", "ranker"), ("window", 5)])
    text = write_signature([("pair", "en-de"), ("corefer", inner), ("casing", True), ("short", None)])
    assert text == "pair:en-de|corefer:{name:ranker|window:5}|casing:yes"
    assert read_signature(read_signature(text)["corefer"]) == {"name": "ranker", "window": "5"}


_CODE = "import sys; from endophora.provenance import code_of; print(*map(code_of, sys.argv[1:]))"


def _codes(package: Path, *modules: str) -> list[str]:
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    command = [sys.executable, "-c", _CODE, *modules]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A package with the foundation and two rooms."""
    package = tmp_path / "src" / "endophora"
    package.mkdir(parents=True)
    for name in ("__init__.py", "provenance.py", "version.py"):
        (package / name).write_bytes((SOURCE / name).read_bytes())
    for room in ("annotate", "phenomena"):
        (package / room).mkdir()
        (package / room / "tagger.py").write_text("1")
    return package


def test_an_edit_in_a_checkout_changes_the_keys_of_its_room_and_of_later_ones(copy: Path):
    modules = "endophora.annotate.store", "endophora.evaluation.tagging"
    before = _codes(copy, *modules)
    assert _codes(copy, *modules) == before
    (copy / "phenomena" / "tagger.py").write_text("2")
    after = _codes(copy, *modules)
    assert after[0] == before[0]
    assert after[1] != before[1]


def test_a_release_counts_by_its_version(copy: Path, tmp_path: Path):
    site = tmp_path / "site-packages"
    copy.parent.rename(site)
    (site / "endophora-0.1.0.dist-info").mkdir()
    (site / "endophora-0.1.0.dist-info" / "METADATA").write_text("Name: endophora\nVersion: 0.1.0\n")
    assert _codes(site / "endophora", "endophora.evaluation.tagging") == [endophora.__version__]
    (site / "endophora-0.1.0.dist-info" / "direct_url.json").write_text("{}")
    assert _codes(site / "endophora", "endophora.evaluation.tagging") != [endophora.__version__]


def test_code_that_was_edited_after_the_process_began_has_no_keys_in_common(
    monkeypatch: pytest.MonkeyPatch, copy: Path
):
    monkeypatch.setattr(provenance, "_STARTED", 0)
    assert provenance._edited(copy, frozenset()).startswith("edited-")


def test_what_outside_packages_add_counts_by_version_and_where_it_can_be_edited_by_code(copy: Path, tmp_path: Path):
    site = tmp_path / "lib" / "site-packages"
    metadata = site / "outside-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "outside.py").write_text("1")
    (metadata / "METADATA").write_text("Name: outside\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[endophora.tagger]\nmine = outside:make\n")
    both = f"{copy.parent}{os.pathsep}{site}"

    def code() -> str:
        command = [sys.executable, "-c", _CODE, "endophora.evaluation.tagging"]
        environment = {**os.environ, "PYTHONPATH": both}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    released = code()
    assert released.endswith(",outside-1.0")
    (metadata / "direct_url.json").write_text('{"dir_info": {"editable": true}, "url": "file:///outside"}')
    edited = code()
    (site / "outside.py").write_text("2")
    assert len({released, edited, code()}) == 3


def test_setups_and_options_that_no_key_is_made_of_say_why():
    assert all(len(reason.split()) > 2 for reason in APART.values())
