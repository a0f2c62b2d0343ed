"""The page docs/papers.md: each table and figure of the five papers, beside what commands of this package give.

python benchmarks/papers.py run [NAME …]   # run the commands on the known answers ($ENDOPHORA_SHARED), all or some
python benchmarks/papers.py                # write docs/papers.md of papers.yaml and of the figures of the runs
python benchmarks/papers.py check          # exit 1 if the page is not what would be written

``papers.yaml`` has the rows: what a paper publishes, and the run and place of our figure, or why there is none.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "papers.md"
FIGURES = HERE / "papers.json"
_PICK = re.compile(r"^(\w+)\[(.*)\]\.(\w+)$")


def rows() -> dict[str, Any]:
    """Return the rows of the papers, and the commands."""
    return yaml.safe_load((HERE / "papers.yaml").read_text("utf-8"))


def figures() -> dict[str, Any]:
    """Return the figures of the last runs: ``figures`` by run and pick, ``runs`` with date and machine."""
    return json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {"figures": {}, "runs": {}}


def pick(result: dict[str, Any], place: str) -> float | None:
    """Return a figure of a result: ``list[key=value,…].field``, or the share of two fields, ``….one/other``."""
    ratio = place.split("/")
    found = _PICK.match(ratio[0])
    if not found:
        raise SystemExit(f"no place in a result: {place}")
    wanted = dict(part.split("=", 1) for part in found[2].split(",") if part)
    there = [one for one in result[found[1]] if all(str(one[key]) == value for key, value in wanted.items())]
    if len(there) != 1:
        raise SystemExit(f"{place}: {len(there)} entries")
    value = there[0][found[3]]
    return 100 * value / there[0][ratio[1]] if len(ratio) > 1 else value


def run(names: list[str]) -> None:
    """Run commands, and keep the figures that the rows ask for."""
    given, kept = rows(), figures()
    known = Path(os.environ.get("ENDOPHORA_SHARED", "../shared")).resolve() / "known-answers"
    for name in names or given["commands"]:
        wanted = [row["pick"] for paper in given["papers"] for row in paper["rows"] if row.get("run") == name]
        with tempfile.TemporaryDirectory() as folder:
            line = given["commands"][name].replace("KNOWN/", f"{known}/")
            subprocess.run(  # noqa: S603
                [sys.executable, "-m", *shlex.split(line), "--output", f"{folder}/out"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            result = json.loads(Path(folder, "out", "result.json").read_text("utf-8"))
        kept["figures"][name] = {place: pick(result, place) for place in wanted}
        kept["runs"][name] = {
            "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            "version": result["version"],
        }
        print(name, kept["figures"][name])
    FIGURES.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")


def _features(papers: list[dict[str, Any]]) -> list[str]:
    """Return what the papers have besides tables: what was once partial or missing, where it is now, or why not."""
    whole = sum(row.get("state", "full") == "full" for paper in papers for row in paper["rows"])
    count = sum(len(paper["rows"]) for paper in papers)
    lines = ["## What else the papers have, and where", ""]
    lines += [f"Of {count} features {whole} are here in full; of the others it is said what is missing, and why.", ""]
    lines += ["| paper | feature | where | state |", "|---|---|---|---|"]
    for paper in papers:
        for row in paper["rows"]:
            state = row.get("state", "full")
            if state != "full" and not row.get("why"):
                raise SystemExit(f"{row['of']}: {state}, and no word why")
            said = f"{state}: {row['why']}" if "why" in row else state
            lines.append(f"| {paper['title']} | {row['of']} | {row.get('where', '–')} | {said} |")
    return [*lines, ""]


def page() -> str:
    """Return the page."""
    given, kept = rows(), figures()
    names = {name: f"[{number}]" for number, name in enumerate(given["commands"], start=1)}
    lines = [given["intro"].strip(), ""]
    counts = {"equal": 0, "differs": 0, "none": 0}
    for paper in given["papers"]:
        lines += [
            f"## {paper['title']}",
            "",
            "| | published | ours | command | equal, or why not |",
            "|---|---|---|---|---|",
        ]
        for row in paper["rows"]:
            published, ours, why = str(row.get("published", "")), str(row.get("ours", "–")), row.get("why", "")
            name = row.get("run", "")
            if name:
                value = kept["figures"].get(name, {}).get(row["pick"])
                digits = len(published.rpartition(".")[2]) if "." in published else 0
                ours = "–" if value is None else f"{value:.{digits}f}"
            equal = ours == published
            kind = "equal" if equal else "none" if ours == "–" else "differs"
            counts[kind] += 1
            said = "equal" if equal else why
            if not said:
                raise SystemExit(f"{row['of']}: {ours} for {published}, and no word why")
            lines.append(
                f"| {row['of']} | {published or '–'} | {ours} | {names.get(name, row.get('command', ''))} | {said} |"
            )
        lines.append("")
    summary = "{equal} rows are equal, {differs} differ or are on other data, {none} have no figure of ours.".format(
        **counts
    )
    lines[1:1] = ["", summary]
    lines += _features(given["features"])
    known = "`KNOWN` is the folder of known answers; each command also has `--output DIR`."
    lines += ["## Commands", "", f"{known} Dates and machine of the runs: `benchmarks/papers.json`.", ""]
    for name, command in given["commands"].items():
        about = kept["runs"].get(name, {})
        when = f" (version {about['version']})" if about else " (not run yet)"
        lines += [f"{names[name]}{when}", "", "```", command, "```", ""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else "write"
    if what == "run":
        run(sys.argv[2:])
    elif what == "check":
        sys.exit(page() != PAGE.read_text("utf-8"))
    else:
        PAGE.write_text(page(), "utf-8")
