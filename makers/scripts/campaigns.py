"""Dialogue in two languages with documents: the campaigns of a game, English with the translation of its catalogues.

    apt-get download wesnoth-1.16-data wesnoth-1.16-httt wesnoth-1.16-l …; dpkg-deb -x each.deb GAME
    python makers/scripts/campaigns.py GAME/usr/share/games/wesnoth/1.16 fr > campaigns-fr.tsv

A scenario of The Battle for Wesnoth (GPL-2.0-or-later) is a document; what its persons and its narrator say, in the
order of the file, are the segments. Printed is a corpus for ``--input``: document, source, reference. Nothing of the
text is in this repository: it is read to measure, by whoever has the packages.
"""

from __future__ import annotations

import argparse
import csv
import gettext
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_DOMAIN = re.compile(r"^\s*#textdomain (?P<domain>\S+)")
_SPOKEN = re.compile(r"\b(?:message|story)\s*=\s*_\s*\"(?P<text>(?:[^\"]|\"\")*)\"", re.MULTILINE)
_CONTEXT = re.compile(r"^[^\s^]*\^")
_MARKUP = re.compile(r"<[^<>]*>")


def spoken(scenario: Path) -> Iterator[tuple[str, str]]:
    """Yield the catalogue and the English text of what is said in a scenario, in the order of the file."""
    text = scenario.read_text(encoding="utf-8")
    first = next((found["domain"] for line in text.splitlines() if (found := _DOMAIN.match(line))), "wesnoth")
    for found in _SPOKEN.finditer(text):
        yield first, found["text"].replace('""', '"')


def plain(text: str) -> str:
    """Return a text on one line, without its markup and the note on its context."""
    return " ".join(_MARKUP.sub("", _CONTEXT.sub("", text)).split())


def main() -> None:
    """Print the corpus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", type=Path, help="the folder that has data/campaigns and locale")
    parser.add_argument("language", help="of the translation, as its folder is named")
    arguments = parser.parse_args()
    writer = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
    writer.writerow(("document", "source", "reference"))
    campaigns: Path = arguments.game / "data/campaigns"
    for scenario in sorted(campaigns.glob("*/scenarios/*.cfg")):
        name = f"{scenario.parent.parent.name}/{scenario.stem}"
        for domain, english in spoken(scenario):
            catalogue = gettext.translation(domain, arguments.game / "locale", [arguments.language], fallback=True)
            translation = catalogue.gettext(english)
            if translation != english and plain(english) and plain(translation):
                writer.writerow((name, plain(english), plain(translation)))


if __name__ == "__main__":
    main()
