"""Judgments of pronouns into English: a text whose pronouns of persons and things are exchanged.

    python benchmarks/into_english.py ../shared/documents/ntrex              all nine languages into English, NTREX-128
    python benchmarks/into_english.py ../shared/documents/ntrex -l de -l zh --segments 500

The English originals are the reference, and the system is the same text in which *he* and *she* are *it*, and *it* is
*he*: what of it is judged wrong says how much the measure sees.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from ntrex import FILES, document_ids

LANGUAGES = ("de", "fr", "es", "it", "pt", "ru", "pl", "zh", "ja")
EXCHANGED = {
    **{"he": "it", "she": "it", "him": "it", "himself": "itself", "herself": "itself", "his": "its", "her": "its"},
    **{"it": "he", "its": "his", "itself": "himself"},
}
_WORD = re.compile(rf"\b({'|'.join(EXCHANGED)})\b", re.IGNORECASE)


def exchange(line: str) -> str:
    """Return a line with its pronouns exchanged, capitals kept."""

    def other(match: re.Match[str]) -> str:
        written = EXCHANGED[match[0].lower()]
        return written.capitalize() if match[0][0].isupper() else written

    return _WORD.sub(other, line)


def verdicts(directory: Path, language: str, place: Path, segments: int) -> Counter[str]:
    """Return the verdicts on the exchanged pronouns."""
    ids = document_ids(directory, place / "ids.txt")
    texts = {"source": FILES[language], "human": "eng"}
    files = {name: place / f"{language}.{name}.txt" for name in (*texts, "exchanged", "ids")}
    for name, path in texts.items():
        lines = (directory / f"newstest2019.{path}.txt").read_text("utf-8").splitlines()[:segments]
        files[name].write_text("".join(f"{line}\n" for line in lines), "utf-8")
        if name == "human":
            files["exchanged"].write_text("".join(exchange(line) + "\n" for line in lines), "utf-8")
    files["ids"].write_text("\n".join(ids.read_text("utf-8").splitlines()[:segments]) + "\n", "utf-8")
    output = place / language
    command = [sys.executable, "-c", "from endophora.cli import main; main()", "evaluate", "-q", "-l", f"{language}-en"]
    command += ["-s", str(files["source"]), "-d", str(files["ids"]), "-r", str(files["human"]), "-m", "chrf"]
    command += ["--system", f"exchanged={files['exchanged']}", "--phenomenon", "pronouns", "-o", str(output)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    found = Counter[str]()
    with (output / "judgments.jsonl").open(encoding="utf-8") as lines:
        for judged in map(json.loads, lines):
            found.update(one["verdict"] for one in judged["outputs"])
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--language", "-l", action="append", choices=LANGUAGES)
    parser.add_argument("--segments", type=int, default=1997)
    arguments = parser.parse_args()
    print("| | wrong | right | other | missing | n |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        for language in arguments.language or LANGUAGES:
            found = verdicts(arguments.directory, language, Path(place), arguments.segments)
            whole = sum(found.values())
            shares = (
                f"{100 * found[verdict] / max(1, whole):.1f} %" for verdict in ("wrong", "right", "other", "missing")
            )
            cells = [language, *shares, str(whole)]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
