"""A test set that sacreBLEU has fetched."""

from __future__ import annotations

from pathlib import Path

import pytest
from sacrebleu.dataset import DATASETS


def fetched(folder: Path, xml: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sacreBLEU find a test set of WMT 2024, en–de, that it has fetched."""
    raw = folder / "sacrebleu" / "raw"
    (raw / "xml").mkdir(parents=True)
    (raw / "xml" / "wmttest2024.en-de.all.xml").write_text(xml, "utf-8")
    data = DATASETS["wmt24"]
    monkeypatch.setattr(data, "_outdir", str(raw.parent))
    monkeypatch.setattr(data, "_rawdir", str(raw))
    for url in data.data:
        (raw / data._get_tarball_filename(url)).write_bytes(b"fetched")
