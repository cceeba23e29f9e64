"""The output formats of `fsds lint`.

`formats/input/NAME` is a folder of files that are linted together, `formats/NAME.FORMAT` what each format says of them
(`--update` writes it anew).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest

from fsds_convert.diagnostics import Severity
from fsds_convert.lint.outcome import FileReport, Outcome, OutputFormat
from fsds_convert.report.excerpt import excerpt
from fsds_convert.report.lint import render
from fsds_convert.report.lint_summary import summary
from tests.lint.outcomes import TABLES, about_file, at, folder, linted, mended, of_text, source_of

HERE = Path(__file__).parent
FORMATS: tuple[OutputFormat, ...] = get_args(OutputFormat)
INPUTS = sorted(path for path in (HERE / "formats" / "input").iterdir())
SARIF = json.loads((HERE / "sarif-2.1.0.schema.json").read_text(encoding="utf-8"))

# a text that every format has to escape somewhere: XML, workflow commands, tables, terminals
NASTY = (
    "100%, a:b|c <&> `x|y` \"q\" 'q' \x1b[31m \x00 \x7f \x85 \u202e \ufffe \n::error::second line\r\nthird *_[l](u)_*"
)
TEXT = "distributed_type: FSDP\nmixed_precision: bf61\nfsdp_config:\n  fsdp_version: 2\nnum_processes: 8\n"


@pytest.fixture(autouse=True)
def _stay_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def sarif(outcome: Outcome) -> dict[str, Any]:
    """The only run, after the whole was held against the schema."""
    document = json.loads(render(outcome, "sarif"))
    jsonschema.Draft7Validator(SARIF).validate(document)
    run: dict[str, Any] = document["runs"][0]
    return run


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_golden(path: Path, format: OutputFormat, request: pytest.FixtureRequest) -> None:
    os.chdir(path)
    shown = render(folder(path), format)
    golden = HERE / "formats" / f"{path.name}.{format}"
    if request.config.getoption("--update"):
        golden.write_text(f"{shown}\n", encoding="utf-8", newline="\n")
    assert f"{shown}\n" == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_formats_of_programs_are_well_formed(path: Path) -> None:
    os.chdir(path)
    outcome = folder(path)
    assert len(sarif(outcome)["results"]) == len(outcome.findings)
    assert len(json.loads(render(outcome, "json"))["diagnostics"]) == len(outcome.findings)
    assert len(json.loads(render(outcome, "gitlab"))) == len(outcome.findings)
    assert len(ElementTree.fromstring(render(outcome, "junit")).findall(".//failure")) == len(outcome.findings)
    assert len(render(outcome, "concise").splitlines()) == len(outcome.findings)
    assert render(outcome, "github").count("::") == 2 * len(outcome.findings)


@pytest.mark.parametrize("format", FORMATS)
def test_any_text_is_escaped(format: OutputFormat) -> None:
    nasty = at(TEXT, "bf61", NASTY, note=NASTY, help=NASTY, name=NASTY, mend=mended(TEXT, "bf61", NASTY, message=NASTY))
    shown = render(of_text(TEXT, nasty, name=NASTY), format)
    assert [char for char in shown if not char.isprintable() and char != "\n"] == []


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_name_of_any_bytes(format: OutputFormat) -> None:
    name = "conf\udcff/ein zwei, drei/zéro.yaml"
    render(of_text(TEXT, about_file(name=name), name=name), format).encode("utf-8")


def test_same_files_same_text() -> None:
    os.chdir(INPUTS[-1])
    for format in FORMATS:
        assert render(folder(INPUTS[-1]), format) == render(folder(INPUTS[-1]), format)


class TestFull:
    def test_of_several_lines(self) -> None:
        found = at(TEXT, "fsdp_config:\n  fsdp_version", note="first\nsecond", help="write it")
        assert render(of_text(TEXT, found), "full").splitlines() == [
            "error[FSDS103]: wrong",
            " --> train.yaml:3:1",
            "  |",
            "3 | fsdp_config:",
            "  | ^^^^^^^^^^^^",
            "  = note: first",
            "    second",
            "  = help: write it",
        ]

    def test_margin_grows_with_the_number_of_the_line(self) -> None:
        text = "\n" * 9 + "mixed_precision: bf61\n"
        shown = render(of_text(text, at(text, "bf61")), "full").splitlines()
        assert shown[1:] == [
            "  --> train.yaml:10:18",
            "   |",
            "10 | mixed_precision: bf61",
            "   |                  ^^^^",
        ]

    def test_whole_file_has_no_line(self) -> None:
        assert render(of_text(TEXT, about_file()), "full").splitlines() == ["error[FSDS103]: wrong", " --> train.yaml"]

    def test_line_of_a_text_that_is_not_known_is_left_out(self) -> None:
        found = at(TEXT, "bf61", name="elsewhere.json")
        assert render(of_text(TEXT, found), "full").splitlines() == [
            "error[FSDS103]: wrong",
            " --> elsewhere.json:2:18",
        ]

    def test_line_of_the_named_file(self) -> None:
        beside = source_of('{"zero_optimization": 3}', "ds.json")
        found = at(beside.text, "3", name="ds.json")
        outcome = Outcome((FileReport(source_of(TEXT), "accelerate", (found,), named=(beside,)),))
        assert '1 | {"zero_optimization": 3}' in render(outcome, "full")

    def test_colours_only_when_asked_for(self) -> None:
        found = at(TEXT, "bf61", "\x1b[32mgreen", note="\x1b[32m")
        plain, coloured = (render(of_text(TEXT, found), "full", colour=colour) for colour in (False, True))
        assert "\x1b" not in plain
        assert "\x1b[1;31merror[FSDS103]\x1b[0m" in coloured
        assert "\x1b[32m" not in coloured

    def test_unsafe_fix_is_told(self) -> None:
        safe = at(TEXT, "bf61", help="mend it", mend=mended(TEXT, "bf61", "bf16"))
        unsafe = at(TEXT, "bf61", "worse", mend=mended(TEXT, "bf61", "fp16", safe=False))
        shown = render(of_text(TEXT, safe, unsafe), "full")
        assert "  = help: mend it\n  = fix: safe, made by --fix\n" in shown
        assert "  = fix: mend it (unsafe, made by --fix --unsafe-fixes)" in shown


@pytest.mark.parametrize(
    ("line", "word", "shown", "marks"),
    [
        ("\ta: 1", "1", "    a: 1", "       ^"),
        ("模型: 中文", "中文", "模型: 中文", "      ^^^^"),
        ("e\u0301: x", "x", "e\u0301: x", "   ^"),
        ("a\u202e: \x1b[1m", "\x1b[1m", "a\\u202e: \\x1b[1m", "         ^^^^^^^"),
        ("a: ", "", "a:", "^"),
        ("x" * 60 + "y" + "z" * 200, "y", "..." + "x" * 40 + "y" + "z" * 79 + "...", " " * 43 + "^"),
        ("a: " + "b" * 500, "b" * 500, "a: " + "b" * 117 + "...", "   " + "^" * 117),
    ],
)
def test_marks_stand_under_the_place(line: str, word: str, shown: str, marks: str) -> None:
    source = source_of(f"# first\r\n{line}\r\nlast: 1\r\n")
    span = at(source.text, word or "a: ").diagnostic.place.span
    assert span is not None
    made = excerpt(source, span if word else type(span)(span.start, span.start, 2, 1, 2, 1))
    assert made is not None
    assert (made.number, made.line, made.marks) == (2, shown, marks)


def test_place_behind_the_text_has_no_excerpt() -> None:
    span = at(TEXT, "fsdp_version").diagnostic.place.span
    assert span is not None
    assert excerpt(source_of("a: 1"), span) is None


class TestConcise:
    def test_one_line_each(self) -> None:
        safe = at(TEXT, "bf61", "one\ntwo", mend=mended(TEXT, "bf61", "bf16"))
        unsafe = at(TEXT, "FSDP", "x" * 500, mend=mended(TEXT, "FSDP", "NO", safe=False))
        assert render(of_text(TEXT, safe, unsafe, about_file()), "concise").splitlines() == [
            "train.yaml:2:18: FSDS103 [*] one\\ntwo",
            f"train.yaml:1:19: FSDS103 {'x' * 500}",
            "train.yaml:1:1: FSDS103 wrong",
        ]

    def test_colour(self) -> None:
        assert "\x1b[1;31mFSDS103\x1b[0m" in render(of_text(TEXT, about_file()), "concise", colour=True)


class TestSummary:
    def test_counts(self) -> None:
        error, warning = at(TEXT, "bf61"), at(TEXT, "FSDP", severity=Severity.WARNING)
        infos = [at(TEXT, word, severity=Severity.INFO) for word in ("2", "fsdp_version")]
        assert summary(of_text(TEXT, error, warning, *infos)) == "1 error, 1 warning, 2 info in 1 file."

    def test_files_that_are_no_configs(self) -> None:
        report = of_text(TEXT, at(TEXT, "bf61")).files[0]
        assert summary(Outcome((report,), 3)) == (
            "1 error in 1 file (3 files are not Accelerate or DeepSpeed configs)."
        )
        assert summary(Outcome((report, FileReport(source_of(TEXT, "b.yaml"), "accelerate", ())), 1)) == (
            "1 error in 1 of 2 files (1 file is not an Accelerate or DeepSpeed config)."
        )

    def test_nothing_found(self) -> None:
        clean = FileReport(source_of(TEXT), "accelerate", (), suppressed=2)
        assert summary(Outcome((clean,))) == "All checks passed: 1 file, 2 suppressed."
        assert summary(Outcome(())) == "No Accelerate or DeepSpeed config was checked."

    def test_fixes(self) -> None:
        safe = at(TEXT, "bf61", mend=mended(TEXT, "bf61", "bf16"))
        unsafe = at(TEXT, "FSDP", mend=mended(TEXT, "FSDP", "NO", safe=False))
        assert summary(of_text(TEXT, safe)).endswith(" 1 fixable with --fix.")
        assert summary(of_text(TEXT, unsafe)).endswith(" 1 fixable with --fix --unsafe-fixes.")
        assert summary(of_text(TEXT, safe, unsafe)).endswith(" 1 fixable with --fix (1 more with --unsafe-fixes).")

    def test_what_was_fixed(self) -> None:
        report = FileReport(source_of(TEXT), "accelerate", (), fixed=(at(TEXT, "bf61"),), before=TEXT)
        assert summary(Outcome((report,))) == "1 finding fixed in 1 file. All checks passed: 1 file."


class TestJson:
    def test_places_and_edits_count_characters(self) -> None:
        text = "# été 中\r\nmixed_precision: bf61\r\n"
        found = at(text, "bf61", mend=mended(text, "bf61", "bf16"))
        told = json.loads(render(of_text(text, found, about_file()), "json"))
        one, other = told["diagnostics"]
        place = {"location": {"row": 2, "column": 18}, "end_location": {"row": 2, "column": 22}}
        assert one["location"] | one["end_location"] == {"row": 2, "column": 22}
        assert one["fix"] == {"applicability": "safe", "message": "mend it", "edits": [{"content": "bf16", **place}]}
        assert other["location"] is other["end_location"] is other["fix"] is None
        assert (told["valid"], told["error_count"]) == (False, 2)

    def test_warnings_alone_are_valid(self) -> None:
        told = json.loads(render(of_text(TEXT, at(TEXT, "bf61", severity=Severity.WARNING)), "json"))
        assert (told["valid"], told["warning_count"], told["format_version"]) == (True, 1, "1.0")


class TestSarif:
    def test_rules_are_pointed_at(self) -> None:
        run = sarif(of_text(TEXT, at(TEXT, "bf61"), at(TEXT, "FSDP", code="FSDS101")))
        rules = run["tool"]["driver"]["rules"]
        assert [rule["id"] for rule in rules] == ["FSDS101", "FSDS103"]
        assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == ["FSDS103", "FSDS101"]

    def test_key_that_a_finding_is_about(self) -> None:
        key, value = at(TEXT, "fsdp_version"), at(TEXT, "bf61")
        results = sarif(of_text(TEXT, key, value, about_file()))["results"]
        named = [
            [each["fullyQualifiedName"] for each in place.get("logicalLocations", ())] for place in places(results)
        ]
        assert named == [["fsdp_config.fsdp_version"], ["mixed_precision"], []]

    def test_whole_file_is_its_start(self) -> None:
        (place,) = places(sarif(of_text(TEXT, about_file()))["results"])
        assert place["physicalLocation"]["region"] == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}

    @pytest.mark.parametrize("name", ["ein zwei.yaml", "conf/été,#1%.yaml", "a:b.yaml", "./conf/../train.yaml"])
    def test_relative_uri(self, name: str) -> None:
        (place,) = places(sarif(of_text(TEXT, about_file(name=name), name=name))["results"])
        artifact = place["physicalLocation"]["artifactLocation"]
        assert unquote(artifact["uri"]) == os.path.normpath(name)
        assert artifact["uriBaseId"] == "%SRCROOT%"
        assert ":" not in artifact["uri"]

    def test_absolute_name(self, tmp_path: Path) -> None:
        inside, outside = tmp_path / "conf" / "a.yaml", tmp_path.parent / "other.yaml"
        uris = []
        for name in (str(inside), str(outside)):
            (place,) = places(sarif(of_text(TEXT, about_file(name=name), name=name))["results"])
            uris.append(place["physicalLocation"]["artifactLocation"])
        assert uris == [{"uri": "conf/a.yaml", "uriBaseId": "%SRCROOT%"}, {"uri": outside.as_uri()}]

    def test_fix(self) -> None:
        found = at(TEXT, "bf61", mend=mended(TEXT, "bf61", "bf16", safe=False))
        (fix,) = sarif(of_text(TEXT, found))["results"][0]["fixes"]
        assert fix["properties"] == {"applicability": "unsafe"}
        assert fix["artifactChanges"][0]["replacements"] == [
            {
                "deletedRegion": {"startLine": 2, "startColumn": 18, "endLine": 2, "endColumn": 22},
                "insertedContent": {"text": "bf16"},
            }
        ]

    def test_schema_refuses_what_is_not_sarif(self) -> None:
        document = json.loads(render(of_text(TEXT, at(TEXT, "bf61")), "sarif"))
        document["runs"][0]["results"][0]["level"] = "info"
        assert not jsonschema.Draft7Validator(SARIF).is_valid(document)


def places(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [place for result in results for place in result["locations"]]


class TestFingerprints:
    def marks(self, outcome: Outcome) -> list[str]:
        from_gitlab = [issue["fingerprint"] for issue in json.loads(render(outcome, "gitlab"))]
        from_sarif = [result["partialFingerprints"]["fsds/v1"] for result in sarif(outcome)["results"]]
        assert from_gitlab == from_sarif
        return from_gitlab

    def test_unique(self) -> None:
        same = [at(TEXT, "bf61", message) for message in ("one", "two", "three")]
        found = (*same, at(TEXT, "bf61", code="FSDS101"), at(TEXT, "FSDP"), about_file(), about_file("other"))
        marks = self.marks(of_text(TEXT, *found))
        assert len(set(marks)) == len(found)

    def test_stays_when_lines_move(self, tmp_path: Path) -> None:
        path = tmp_path / "train.yaml"
        marks = []
        for above in ("", "# a comment\n\n"):
            path.write_text(f"{above}{TEXT}unknown: 1\n", encoding="utf-8")
            marks.append(self.marks(linted("train.yaml")))
        assert len(marks[0]) >= 2
        assert marks[0] == marks[1]

    def test_depends_on_the_file(self) -> None:
        one, other = (
            self.marks(of_text(TEXT, at(TEXT, "bf61", name=name), name=name)) for name in ("a.yaml", "b.yaml")
        )
        assert one != other


class TestGithub:
    def test_command(self) -> None:
        found = at(TEXT, "bf61", "100% wrong", note="one\ntwo", help="a, b: c", name="a,b/ein zwei: é.yaml")
        assert render(of_text(TEXT, found, name="a,b/ein zwei: é.yaml"), "github") == (
            "::error title=fsds (FSDS103),file=a%2Cb/ein zwei%3A é.yaml,line=2,col=18,endLine=2,endColumn=22::"
            "a,b/ein zwei: é.yaml:2:18: FSDS103 100%25 wrong%0A  note: one%0A  note: two%0A  help: a, b: c"
        )

    def test_errors_come_first(self) -> None:
        kinds = (Severity.INFO, Severity.WARNING, Severity.ERROR)
        found = [at(TEXT, word, kind.value, severity=kind) for word in ("bf61", "FSDP") for kind in kinds]
        starts = [line.split(" ")[0] for line in render(of_text(TEXT, *found), "github").splitlines()]
        assert starts == ["::error"] * 2 + ["::warning"] * 2 + ["::notice"] * 2

    def test_no_columns_over_several_lines(self) -> None:
        shown = render(of_text(TEXT, at(TEXT, "fsdp_config:\n  fsdp_version")), "github")
        assert shown.startswith("::error title=fsds (FSDS103),file=train.yaml,line=3,endLine=4::")

    def test_whole_file(self) -> None:
        assert render(of_text(TEXT, about_file()), "github") == (
            "::error title=fsds (FSDS103),file=train.yaml::train.yaml: FSDS103 wrong"
        )


class TestGitlab:
    def test_issue(self) -> None:
        issues = json.loads(render(of_text(TEXT, at(TEXT, "bf61", note="it stops"), about_file()), "gitlab"))
        assert issues[0]["description"] == "FSDS103: wrong (it stops)"
        assert issues[0]["location"] == {
            "path": "train.yaml",
            "positions": {"begin": {"line": 2, "column": 18}, "end": {"line": 2, "column": 22}},
        }
        assert issues[1]["location"] == {"path": "train.yaml", "lines": {"begin": 1, "end": 1}}

    def test_severities(self) -> None:
        found = [
            at(TEXT, "bf61"),
            at(TEXT, "bf61", severity=Severity.ERROR, code="FSDS105"),
            at(TEXT, "bf61", severity=Severity.WARNING, code="FSDS106"),
            at(TEXT, "bf61", severity=Severity.INFO, code="FSDS107"),
        ]
        issues = json.loads(render(of_text(TEXT, *found), "gitlab"))
        assert [issue["severity"] for issue in issues] == ["blocker", "major", "minor", "info"]


class TestJunit:
    def test_suite_for_each_file(self) -> None:
        clean = FileReport(source_of(TEXT, "a.yaml"), "accelerate", ())
        beside = at("{}", "{", name="ds.json")
        report = of_text(TEXT, at(TEXT, "bf61"), about_file(), beside).files[0]
        root = ElementTree.fromstring(render(Outcome((clean, report)), "junit"))
        counts = [(suite.get("name"), suite.get("tests"), suite.get("failures")) for suite in root]
        assert counts == [("a.yaml", "1", "0"), ("train.yaml", "2", "2"), ("ds.json", "1", "1")]
        assert (root.get("tests"), root.get("failures")) == ("4", "3")
        cases = [(case.get("name"), case.get("line"), case.get("column")) for case in root.iter("testcase")]
        assert cases == [("fsds", None, None), ("FSDS103", "2", "18"), ("FSDS103", "1", "1"), ("FSDS103", "1", "1")]

    def test_any_text_is_xml(self) -> None:
        root = ElementTree.fromstring(render(of_text(TEXT, at(TEXT, "bf61", NASTY, note=NASTY)), "junit"))
        (failure,) = root.iter("failure")
        message = failure.get("message") or ""
        assert message.startswith("100%, a:b|c <&> `x|y` \"q\" 'q' \\x1b[31m \\x00")
        assert "third" in (failure.text or "")


class TestMarkdown:
    def test_row(self) -> None:
        found = at(
            TEXT,
            "bf61",
            "`a|b` is *not* <b>`c`",
            note="one\ntwo",
            name="a|`b`.yaml",
            mend=mended(TEXT, "bf61", "bf16", message="write `bf16`"),
        )
        assert render(of_text(TEXT, found, name="a|`b`.yaml"), "markdown").splitlines()[-1] == (
            "| error | FSDS103 | `` a\\|`b`.yaml:2:18 `` "
            "| `a\\|b` is \\*not\\* \\<b\\>`c`<br>one\\\\ntwo | write `bf16` (safe) |"
        )

    def test_clean(self) -> None:
        shown = render(Outcome((FileReport(source_of(TEXT), "accelerate", ()),)), "markdown")
        assert shown == "## fsds lint\n\nAll checks passed: 1 file."

    def test_help_stands_where_there_is_no_fix(self) -> None:
        assert render(of_text(TEXT, at(TEXT, "bf61", help="write `no`")), "markdown").endswith("| wrong | write `no` |")


def test_line_breaks_of_windows(tmp_path: Path) -> None:
    (tmp_path / "train.yaml").write_bytes(TEXT.replace("\n", "\r\n").encode())
    (tmp_path / "unix.yaml").write_bytes(TEXT.encode())
    windows, unix = linted("train.yaml"), linted("unix.yaml")
    assert windows.findings
    for format in ("full", "concise", "github", "json", "gitlab"):
        names = render(windows, format), render(unix, format).replace("unix.yaml", "train.yaml")
        if format == "gitlab":  # the name is a part of the fingerprints
            names = tuple(str([issue["location"] for issue in json.loads(text)]) for text in names)  # type: ignore[assignment]
        assert names[0] == names[1]
        assert "\r" not in names[0]


def test_shared_finding_keeps_its_mend(tmp_path: Path) -> None:
    """ds.json is checked by itself, where it can be mended, and as a part of train.yaml."""
    os.chdir(HERE / "formats" / "input" / "deepspeed")
    alone, both = linted("ds_config.json"), linted("ds_config.json", "train.yaml")
    mends = [[each.mend for each in outcome.findings if each.mend is not None] for outcome in (alone, both)]
    assert mends[0]
    assert mends[0] == mends[1]


@pytest.mark.parametrize("format", ["full", "concise"])
def test_format_of_a_terminal_loads_little(format: str) -> None:
    code = (
        "import sys\nfrom fsds_convert.report.lint import render\nfrom fsds_convert.lint.outcome import Outcome\n"
        f"before = set(sys.modules)\nrender(Outcome(()), {format!r})\nprint(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(name.startswith("fsds_convert.report.") for name in done.stdout.split()), done.stdout


def test_selection_of_the_goldens_is_the_tables() -> None:
    assert all(TABLES.shows(at(TEXT, "bf61", code=code).diagnostic, "a.yaml") for code in ("FSDS101", "FSDS001"))
