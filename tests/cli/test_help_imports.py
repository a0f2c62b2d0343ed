"""The help of a command comes at once: it imports the options, and nothing of what the command works with."""

from __future__ import annotations

import json
import subprocess
import sys

_CODE = """
import json, sys
from endophora.cli.app import COMMANDS

commands = list(COMMANDS)
for command in commands:
    commands += (getattr(command, "commands", None) or getattr(command, "_commands", None) or {}).values()
    if hasattr(command, "built") and (command.name in sys.argv[2:]) == (sys.argv[1] == "only"):
        command.built()
print(json.dumps(sorted(sys.modules)))
"""
NEVER = {"scipy", "torch", "transformers", "spacy", "pandas", "pyarrow", "nltk", "ctranslate2", "comet"}
"""Libraries that take from half a second to ten to load."""
QUICK = ("demo", "evaluate", "tag", "meta-evaluate")


def modules(*which: str) -> set[str]:
    """Return what is imported to show the help of commands: of these ``only``, or of all ``but`` these."""
    done = subprocess.run([sys.executable, "-c", _CODE, *which], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_the_help_of_an_evaluation_loads_its_options_alone():
    found = modules("only", *QUICK)
    assert {"endophora.evaluation.setup", "endophora.meta.options"} <= found
    rooms = {
        name for name in found if name.startswith(("endophora.evaluation.", "endophora.meta.", "endophora.report."))
    }
    assert rooms == {"endophora.evaluation.setup", "endophora.meta.options"}
    heavy = {"numpy", "jinja2", "rich", "sacrebleu", "ruamel.yaml", "endophora.annotate", "endophora.phenomena", *NEVER}
    assert not heavy & found


def test_the_help_of_no_command_loads_what_takes_seconds():
    assert not NEVER & modules("but")


def test_a_command_whose_library_is_absent_says_how_to_get_it():
    code = (
        "import sys; sys.modules['torch'] = None; from endophora.cli.starting import run_command as r; sys.exit(r({}))"
    )
    done = subprocess.run([sys.executable, "-c", code.format(["context", "attribute"])], capture_output=True, text=True)
    assert done.returncode == 3
    assert "[E150]" in done.stderr
    assert "pip install 'endophora[neural]'" in done.stderr
