"""Reports on disk, and the registry of formats."""

import stat

import pytest

from endophora.errors import InputError
from endophora.evaluation.result import Result
from endophora.report import REPORTS, page, render, write_report

from .factory import make


def test_formats_are_those_of_the_command_line():
    assert tuple(REPORTS)[:6] == ("text", "markdown", "json", "csv", "latex", "html")
    assert all(callable(REPORTS.get(name)) for name in REPORTS)


def test_unknown_format_is_a_coded_error():
    with pytest.raises(InputError) as error:
        render(make(), "ltx")
    assert error.value.faults[0].code == "E090"
    assert "latex" in error.value.faults[0].advice


def test_write_report_writes_both_files_and_nothing_else(tmp_path):
    result = make(2)
    paths = write_report(result, tmp_path / "new" / "out")
    assert [path.name for path in paths] == ["result.json", "report.html"]
    assert sorted(path.name for path in (tmp_path / "new" / "out").iterdir()) == ["report.html", "result.json"]
    assert Result.read(paths[0]) == result
    assert paths[1].read_text(encoding="utf-8") == render(result, "html")
    assert stat.S_IMODE(paths[0].stat().st_mode) & 0o400


def test_same_result_gives_the_same_bytes(tmp_path):
    first = write_report(make(3, hostile=True), tmp_path / "a")
    second = write_report(make(3, hostile=True), tmp_path / "b")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_what_a_result_writes_itself_is_the_report_of_json(tmp_path):
    result = make(2, hostile=True)
    result.write(tmp_path / "result.json")
    assert (tmp_path / "result.json").read_text(encoding="utf-8") == render(result, "json")


def test_interrupted_write_leaves_the_old_file_whole(tmp_path, monkeypatch):
    write_report(make(2), tmp_path)
    before = (tmp_path / "report.html").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("endophora.files.os.fsync", full)
    with pytest.raises(InputError) as error:
        write_report(make(3), tmp_path)
    assert error.value.faults[0].code == "E095"
    assert "No space left on device" in error.value.faults[0].cause
    assert (tmp_path / "report.html").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report.html", "result.json"]


def test_directory_that_is_a_file_is_a_coded_error(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(InputError) as error:
        write_report(make(), tmp_path / "out")
    assert error.value.faults[0].code == "E095"


def test_nothing_is_written_if_the_page_cannot_be_made(tmp_path, monkeypatch):
    def broken(_):
        raise RuntimeError

    monkeypatch.setattr(page, "render", broken)
    with pytest.raises(RuntimeError):
        write_report(make(), tmp_path)
    assert list(tmp_path.iterdir()) == []
