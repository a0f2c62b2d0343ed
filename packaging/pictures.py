"""Make the pictures of the documentation again, after a change of figures or of the page.

    pip install pillow
    python packaging/pictures.py [--browser /usr/bin/chromium]

- ``docs/pictures/report.png`` and ``occurrences.png``: the page of the tutorial's ``endophora evaluate``.
  Each picture carries, as text within the file, the figures that it shows; ``tests/cli/test_tutorial.py`` compares them
  with those of the command.
- ``docs/pictures/plot.svg``: ``plot()`` of the same result, compared letter by letter there.
- The outputs of the notebooks are written by ``python tests/test_notebooks.py``.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from endophora.evaluation.result import Result
from endophora.report import matrix, order

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
_WIDTH = 1280
_SHOTS = {"report.png": ("", 712), "occurrences.png": ("occurrences", 700)}
"""Picture → the section at its upper edge, and its height."""
_FRAME = """<!doctype html>
<style>body {{ margin: 0; overflow: hidden }} iframe {{ border: 0; width: 100%; height: 9000px }}</style>
<iframe src="{page}"></iframe>
<script>
onload = () => {{
  const frame = document.querySelector("iframe");
  const top = frame.contentDocument.getElementById("{section}")?.getBoundingClientRect().top ?? 0;
  frame.style.marginTop = `${{-top}}px`;
}};
</script>"""
_COLOURS = 128


def commands() -> list[str]:
    """Return the commands of the tutorial that make its result: those of its first two blocks."""
    page = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)[:2]
    return [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]


def shown(result: Result) -> dict[str, str]:
    """Return, of each picture, the sentences and figures that it shows."""
    table = [
        " ".join([row.system, *(f"{cell.value} {cell.interval} {cell.verdict}".rstrip() for cell in row.cells)])
        for row in order.ranked(result)
    ]
    heads = [f"{matrix.heading(column)} {result.words(column) or ''}".rstrip() for column in matrix.columns(result)]
    first = [
        f"{one.expected} {out.system} {out.written} {out.correct}" for one in result.examples[:2] for out in one.outputs
    ]
    return {
        "report.png": "\n".join([*result.conclusion, ", ".join(heads), *table]),
        "occurrences.png": "\n".join([f"{len(result.examples)} occurrences", *first]),
    }


def text_of(picture: Path) -> str:
    """Return the text that a picture carries; empty if it has none."""
    with Image.open(picture) as image:
        return str(image.info.get("Description", ""))


def _shoot(browser: str, folder: Path, section: str, height: int) -> Image.Image:
    """Return a picture of a page from a section on."""
    frame, picture = folder / "frame.html", folder / f"{section or 'top'}.png"
    frame.write_text(_FRAME.format(page="result/report.html", section=section), "utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-sync"]
    command += ["--disable-background-networking", "--allow-file-access-from-files", "--virtual-time-budget=5000"]
    command += [f"--user-data-dir={folder / 'profile'}", f"--window-size={_WIDTH},{height}", f"--screenshot={picture}"]
    subprocess.run([*command, frame.as_uri()], check=True, capture_output=True, timeout=300)  # noqa: S603
    return Image.open(picture).convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browser", default="/usr/bin/chromium", help="a Chromium")
    browser = parser.parse_args().browser
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "src").symlink_to(ROOT / "src")
        for line in commands():
            subprocess.run(["sh", "-c", line], check=True, cwd=folder)  # noqa: S603, S607
        result = Result.model_validate_json((folder / "result" / "result.json").read_text("utf-8"))
        texts = shown(result)
        for picture, (section, height) in _SHOTS.items():
            info = PngInfo()
            info.add_itxt("Description", texts[picture])
            _shoot(browser, folder, section, height).save(PICTURES / picture, optimize=True, pnginfo=info)
        result.plot().write(PICTURES / "plot.svg")


if __name__ == "__main__":
    main()
