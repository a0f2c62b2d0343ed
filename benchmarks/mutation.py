"""How many small faults the tests notice: mutation testing with mutmut's operators over a sample of mutants.

    pip install mutmut pytest-cov
    python benchmarks/mutation.py collect --work DIR [TESTS]     # which test executes which line; adds to what is there
    python benchmarks/mutation.py run --work DIR --seed 1        # a line a mutant is added to DIR/seed-1.jsonl
    python benchmarks/mutation.py report --work DIR --seed 1 [--survivors]

mutmut makes the mutants (``<`` for ``<=``, an argument left out or ``None``, a number plus 1, a string changed, …), in
the functions and methods that it mutates: none with decorators other than ``staticmethod`` and ``classmethod``, no
annotations, no docstrings, no calls of ``len`` and ``isinstance``. A mutant is left out before the sample is drawn only
where it changes what an error says (the arguments of ``Fault(…)`` and ``log.add(…)`` after its code, those of an
exception that is raised and is not ``InputError``, what is assigned to ``cause`` or ``advice``) or a type (the first
argument of ``cast``).
Nothing else is: what no test could notice counts as a survivor.

A mutant is tried in a fork of a process that has collected all tests: the functions of the module get its code, the
module's file (in a copy of the repository) its text, for processes that tests start. The tests that execute the line
run, the nearest and fastest first, until one fails. A test that takes ten times its processor time, and five seconds
more, has failed. Where ``BUDGET`` seconds of processor time are spent, or would be with the next test, the mutant
counts as a survivor, whatever tests are left.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import gc
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from coverage import CoverageData
from libcst import Assign, Attribute, Call, FunctionDef, Module, Name, parse_module
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import Mutation, MutationVisitor
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = Path("src/endophora")
ROOMS = ("statistics", "evaluation", "metrics", "phenomena")
TESTS = (
    *("statistics", "evaluation", "judgments", "metrics", "phenomena", "report", "languages", "property", "meta"),
    "known_answers",
    *(f"cli/test_{name}.py" for name in ("main", "gate", "languages_command", "metrics_command", "models_command")),
)
_SAID = ("cause", "advice")
BUDGET = 5.0
"""Seconds of processor time that tests of one mutant may take."""
WALL = 600.0
"""Seconds after which a mutant is ended from outside, such as one that waits for ever; it counts as noticed."""


@dataclass(frozen=True)
class Mutant:
    """A change of one line.

    Attributes:
        file: in the repository.
        number: among the mutants of its file.
        line: where it begins.
        function: the function or method that it is in.
        text: the file with the change.
    """

    file: str
    number: int
    line: int
    function: str
    text: str

    @property
    def name(self) -> str:
        """What it is called in the output."""
        return f"{self.file}:{self.line}#{self.number}"


def mutants(text: str) -> tuple[Module, list[tuple[Mutation, int, str]]]:
    """Return a module and all its mutants but those of messages, each with its line and its function's name."""
    visitor = MutationVisitor(mutation_operators, IgnoredCode(set(), set(), set()))
    wrapper = MetadataWrapper(parse_module(text))
    wrapper.visit(visitor)
    positions = wrapper.resolve(PositionProvider)
    messages = list(_messages(ast.parse(text)))
    found: list[tuple[Mutation, int, str]] = []
    for mutation in visitor.mutations:
        place = positions[mutation.original_node].start
        said = any(first <= (place.line, place.column) < last for first, last in messages)
        holder = mutation.contained_by_top_level_function
        if isinstance(holder, FunctionDef) and not said and not _of_a_message(mutation):
            found.append((mutation, place.line, holder.name.value))
    return wrapper.module, found


def _of_a_message(mutation: Mutation) -> bool:
    """Tell whether what a ``Fault`` says is left out or ``None``, or the type of a ``cast``."""
    before, after = mutation.original_node, mutation.mutated_node
    if isinstance(before, Assign) and isinstance(before.targets[0].target, Name):
        return before.targets[0].target.value in _SAID
    if not isinstance(before, Call) or not isinstance(after, Call):
        return False
    kept = [one is other for one, other in zip(before.args, after.args, strict=False)]
    if isinstance(before.func, Attribute):
        return isinstance(before.func.value, Name) and before.func.value.value == "log" and kept[:1] == [True]
    unseen = {"Fault": kept[:1] == [True], "cast": kept == [False, True]}
    return isinstance(before.func, Name) and unseen.get(before.func.value, False)


def _messages(tree: ast.AST) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield where the texts of errors and the types of casts stand: from (line, column) to (line, column)."""
    for node in ast.walk(tree):
        arguments: list[ast.expr] = []
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Fault", "log.add"):
            arguments = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cast":
            arguments = node.args[:1]
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            named = node.exc.func.id if isinstance(node.exc.func, ast.Name) else ""
            arguments = [] if named == "InputError" else list(node.exc.args)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in _SAID:
            arguments = [node.value]
        for one in arguments:
            yield (one.lineno, one.col_offset), (one.end_lineno or 0, one.end_col_offset or 0)


def sample(root: Path, seed: int, size: int) -> list[Mutant]:
    """Draw mutants of all rooms, each as likely as any other."""
    files = sorted(path.relative_to(root).as_posix() for room in ROOMS for path in (root / PACKAGE / room).glob("*.py"))
    modules = {file: mutants((root / file).read_text("utf-8")) for file in files}
    everything = [(file, number) for file in files for number in range(len(modules[file][1]))]
    print(f"{len(everything):,} mutants in {len(files)} files", flush=True)
    drawn: list[Mutant] = []
    for file, number in random.Random(seed).sample(everything, size):  # noqa: S311
        module, found = modules[file]
        mutation, line, function = found[number]
        text = module.deep_replace(mutation.original_node, mutation.mutated_node).code
        drawn.append(Mutant(file, number, line, function, text))
    return drawn


def copy(tree: Path) -> Path:
    """Return a copy of the repository as it is, in which files may be changed."""
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("src", "makers", "tests", "benchmarks", "docs"):
        shutil.copytree(REPOSITORY / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "NOTICE", "CONTRIBUTING.md"):
        shutil.copy(REPOSITORY / name, tree / name)
    return tree


def environment(tree: Path) -> dict[str, str]:
    """Return the environment in which tests find the copy."""
    places = [str(tree / "src"), str(tree / "benchmarks"), os.environ.get("PYTHONPATH", "")]
    path = os.pathsep.join(filter(None, places))
    return {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}


def collect(work: Path, tests: Sequence[str]) -> int:
    """Run tests once; keep which lines each executes, how long it takes, and the sources as they are."""
    tree = copy(work / "tree")
    traces = work / "traces" / str(len(list(work.glob("traces/*"))))
    shutil.copytree(tree / PACKAGE, traces / PACKAGE)
    (traces / "coveragerc").write_text(
        f"[run]\nsource = {tree / PACKAGE}\ndata_file = {traces / 'coverage'}\n", "utf-8"
    )
    options = [
        f"--cov={tree / PACKAGE}",
        "--cov-context=test",
        "--cov-report=",
        f"--cov-config={traces / 'coveragerc'}",
    ]
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "mutation", *options, *tests]
    inside = environment(tree) | {"MUTATION_SECONDS": str(traces / "seconds.jsonl")}
    return subprocess.run(command, cwd=tree, env=inside).returncode  # noqa: S603


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Keep the processor time of each test, where the run asks for it."""
    started = time.process_time()
    yield
    if "MUTATION_SECONDS" in os.environ:
        file = Path(os.environ["MUTATION_SECONDS"])
        with file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps([item.nodeid, round(time.process_time() - started, 4)]) + "\n")


class Traces:
    """Which tests execute a line, by a run over sources that may have changed since."""

    def __init__(self, folder: Path) -> None:
        self._data = CoverageData(str(folder / "coverage"))
        self._data.read()
        self._folder = folder
        self._files = {name.partition(f"{PACKAGE}/")[2]: name for name in self._data.measured_files()}
        lines = (folder / "seconds.jsonl").read_text("utf-8").splitlines()
        self.seconds: dict[str, float] = dict(json.loads(line) for line in lines)

    def tests(self, mutant: Mutant, text: str) -> set[str]:
        """Return the tests that execute a mutant's line; what a fixture executes is of all tests of its file.

        Args:
            mutant: its line is in today's sources.
            text: its file without the change.
        """
        name = self._files.get(mutant.file.partition(f"{PACKAGE}/")[2])
        if name is None:
            return set()
        contexts = self._data.contexts_by_lineno(name)
        found: set[str] = set()
        for line in self._lines(mutant, text):
            for context in contexts.get(line, ()):
                test, _, phase = context.partition("|")
                file = test.partition("::")[0]
                found |= {test} if phase == "run" else {one for one in self.seconds if one.startswith(f"{file}::")}
        return found - {""}

    def _lines(self, mutant: Mutant, text: str) -> list[int]:
        """Return the line in the sources that were traced; those around it where it was changed since."""
        file = self._folder / mutant.file
        then, now = file.read_text("utf-8").splitlines() if file.exists() else [], text.splitlines()
        for tag, start, stop, first, last in difflib.SequenceMatcher(None, then, now, autojunk=False).get_opcodes():
            if first < mutant.line <= last:
                return [start + mutant.line - first] if tag == "equal" else list(range(start - 1, stop + 3))
        return []


class Trial:
    """A plugin of pytest that runs no tests but those of mutants, each in a fork."""

    def __init__(self, drawn: Sequence[Mutant], tree: Path, traces: Sequence[Traces], output: Path) -> None:
        self._drawn, self._tree, self._traces, self._output = drawn, tree, traces, output
        self._seconds = {test: seconds for one in traces for test, seconds in one.seconds.items()}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try each mutant that the output does not have yet."""
        gc.unfreeze()  # the tests' conftest hides from the collector the functions that are to be found
        items = {item.nodeid: item for item in session.items}
        _warm(session.items)
        done = set()
        if self._output.exists():
            done = {json.loads(line)["mutant"] for line in self._output.read_text("utf-8").splitlines()}
        for mutant in self._drawn:
            if mutant.name in done:
                continue
            original = (self._tree / mutant.file).read_text("utf-8")
            chosen = self._ordered(mutant, original, items)
            record = {"mutant": mutant.name, "function": mutant.function, "tests": len(chosen)}
            record["change"] = [
                line
                for line in difflib.unified_diff(original.splitlines(), mutant.text.splitlines(), n=0, lineterm="")
                if line[:1] in "+-" and line[:3] not in ("+++", "---")
            ]
            (self._tree / mutant.file).write_text(mutant.text, "utf-8")
            try:
                record |= self._try(mutant, chosen)
            finally:
                (self._tree / mutant.file).write_text(original, "utf-8")
            with self._output.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(record, ensure_ascii=False) + "\n")
        return True

    def _ordered(self, mutant: Mutant, text: str, items: dict[str, pytest.Item]) -> list[pytest.Item]:
        """Return the tests that execute the line, of the same room and name first, then the fastest.

        Tests of the room that are newer than the traces run too.
        """
        path, seconds = Path(mutant.file), self._seconds

        def far(test: str) -> tuple[bool | float, ...]:
            named = [path.stem not in test, path.stem.partition("_")[0] not in test]
            return (*named, f"tests/{path.parent.name}/" not in test, seconds.get(test, 1.0))

        new = {name for name in items.keys() - seconds.keys() if f"tests/{path.parent.name}/" in name}
        found = set().union(*(one.tests(mutant, text) for one in self._traces)) & items.keys() | new
        if found == new:  # executed by no test in this process: those that speak of the module may start one
            texts = {item.path: item.path.read_text("utf-8") for item in items.values()}
            found |= {name for name, item in items.items() if path.stem in texts[item.path]}
        return [items[name] for name in sorted(found, key=far)]

    def _try(self, mutant: Mutant, chosen: Sequence[pytest.Item]) -> dict[str, Any]:
        started = time.monotonic()
        read, write = os.pipe()
        child = os.fork()
        if not child:
            os.close(read)
            os.setsid()
            verdict = "killed by an error of the trial"
            try:
                verdict = _trial(mutant, self._tree / mutant.file, chosen, self._seconds)
            except BaseException as error:
                verdict = f"killed: {type(error).__name__}: {error}"[:300]
            os.write(write, verdict.encode())
            os._exit(0)
        os.close(write)
        said, status = _wait(child, read)
        verdict = said or f"killed: ended with {status}"
        return {"outcome": verdict.partition(":")[0], "by": verdict, "wall": round(time.monotonic() - started, 1)}


def _wait(child: int, read: int) -> tuple[str, int]:
    deadline = time.monotonic() + WALL
    while time.monotonic() < deadline:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            break
        time.sleep(0.02)
    else:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "timeout", 0
    with os.fdopen(read) as stream:
        return stream.read(), status


def _warm(items: Sequence[pytest.Item]) -> None:
    """Load what tests keep of rooms that are not mutated: annotators, aligners, resolvers."""
    for module in {item.module for item in items if isinstance(item, pytest.Function)}:
        examples = vars(module).get("annotated")
        if hasattr(examples, "cache_info"):
            from endophora.languages import language_codes

            for code in language_codes():
                try:
                    examples(code)
                except Exception as error:
                    print(f"{code}: {error}")


def _trial(mutant: Mutant, file: Path, chosen: Sequence[pytest.Item], seconds: dict[str, float]) -> str:
    from _pytest.runner import runtestprotocol

    resource.setrlimit(resource.RLIMIT_CPU, (int(BUDGET) + 60, int(BUDGET) + 90))
    _swap(file, mutant.text)
    begun = time.process_time()
    signal.signal(signal.SIGPROF, _too_long)
    for item, following in zip(chosen, [*chosen[1:], None], strict=True):
        if time.process_time() - begun + seconds.get(item.nodeid, 1.0) > BUDGET:
            return f"survived: {len(chosen)} tests, budget spent"
        signal.setitimer(signal.ITIMER_PROF, 10 * seconds.get(item.nodeid, 1.0) + 5)
        reports = runtestprotocol(item, nextitem=following, log=False)
        signal.setitimer(signal.ITIMER_PROF, 0)
        if any(report.failed for report in reports):
            return f"killed: {item.nodeid}"
    return f"survived: {len(chosen)} tests" if chosen else "survived: no test"


class TooLongError(BaseException):
    """A test takes much more processor time than without the mutant."""


def _too_long(_signal: int, _frame: FrameType | None) -> None:
    raise TooLongError


def _swap(file: Path, text: str) -> None:
    """Give the living functions of a module the code of its mutant."""
    made: dict[tuple[str, int], CodeType] = {}
    waiting = [compile(text, str(file), "exec", dont_inherit=True)]
    while waiting:
        code = waiting.pop()
        made[code.co_qualname, code.co_firstlineno] = code
        waiting += [one for one in code.co_consts if isinstance(one, CodeType)]
    functions = [one for one in gc.get_objects() if type(one) is FunctionType]
    for one in functions:
        if one.__code__.co_filename == str(file):
            code = made.get((one.__code__.co_qualname, one.__code__.co_firstlineno))
            if code is not None and len(code.co_freevars) == len(one.__code__.co_freevars):
                one.__code__ = code


def run(work: Path, seed: int, size: int, tests: Sequence[str]) -> int:
    """Try a sample of mutants on a copy of the repository as it is, or was when the run was begun."""
    tree, kept = work / f"tree-{seed}", work / f"sample-{seed}.json"
    if os.environ.get("MUTATION_TREE") != str(tree):
        if not kept.exists():
            copy(tree)
        options = ["run", "--work", str(work), "--seed", str(seed), "--sample", str(size)]
        inside = environment(tree) | {"MUTATION_TREE": str(tree)}
        return subprocess.run([sys.executable, __file__, *options], cwd=tree, env=inside).returncode  # noqa: S603
    if not kept.exists():
        kept.write_text(json.dumps([asdict(one) for one in sample(tree, seed, size)]), "utf-8")
    drawn = [Mutant(**one) for one in json.loads(kept.read_text("utf-8"))]
    trial = Trial(drawn, tree, [Traces(one) for one in sorted(work.glob("traces/*"))], work / f"seed-{seed}.jsonl")
    return pytest.main(["-p", "no:cacheprovider", "-q", "--tb=native", *tests], plugins=[trial])


def report(work: Path, seed: int, survivors: bool) -> None:
    """Print the score, by room and in all."""
    records = [json.loads(line) for line in (work / f"seed-{seed}.jsonl").read_text("utf-8").splitlines()]
    rooms: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for one in records:
        survived = one["outcome"] == "survived"
        rooms[Path(one["mutant"]).parts[2]][survived] += 1
        if survived and survivors:
            print(f"{one['mutant']} in {one['function']} ({one['by']})", *one["change"], sep="\n  ")
    for room, counts in [*sorted(rooms.items()), ("all", sum(rooms.values(), Counter()))]:
        print(f"{room}: {counts[False]} of {counts.total()} noticed, {100 * counts[False] / counts.total():.1f} %")


def main() -> int:
    """Run one of the three steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("collect", "run", "report"))
    parser.add_argument("tests", nargs="*", help="of which traces are collected, or which run; all by default")
    parser.add_argument("--work", type=Path, required=True, help="directory of the copy, the traces and the outcomes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--survivors", action="store_true", help="list them")
    given = parser.parse_intermixed_args()
    work = given.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    tests = given.tests or [f"tests/{name}" for name in TESTS]
    if given.step == "collect":
        return collect(work, tests)
    if given.step == "run":
        return run(work, given.seed, given.sample, tests)
    report(work, given.seed, given.survivors)
    return 0


if __name__ == "__main__":
    sys.exit(main())
