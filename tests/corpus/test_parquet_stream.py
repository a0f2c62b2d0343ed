"""A Parquet file whose text is damaged is a coded error, not one of Python's own."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from endophora.corpus.formats import open_stream
from endophora.corpus.streams import ReadOptions
from endophora.errors import InputError


def test_a_string_that_is_not_utf8_is_a_coded_error(tmp_path: Path):
    path = tmp_path / "a.parquet"
    table = {"document": ["a", "a"], "source": ["zzzzzzzz", "one"], "target": ["eins", "zwei"]}
    parquet.write_table(pa.table(table), path, compression="none", use_dictionary=False)  # pyright: ignore
    path.write_bytes(path.read_bytes().replace(b"zzzzzzzz", b"zzz\xff\xfezzz"))
    with pytest.raises(InputError, match=r"E200.*a\.parquet"):
        list(open_stream([path], ReadOptions(languages=("en", "de"))))
