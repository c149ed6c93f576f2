"""`weft skills`: checked where they lie, begun anew, proposed, reviewed, rolled back."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Weft
from tests.people import People
from weft.kit.db import Database

SKILL = "---\nname: {name}\ndescription: Does {name}.\n---\n{says}\n"


@pytest.fixture
def skill(tmp_path: Path) -> Any:
    """Writes a skill's folder."""

    def write(name: str, says: str = "Draw three cards.", **files: str) -> Path:
        folder = tmp_path / "made" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text(SKILL.format(name=name, says=says), encoding="utf-8")
        for path, text in files.items():
            (folder / path).write_text(text, encoding="utf-8")
        return folder

    return write


def test_what_is_wrong_is_told_by_file_and_line_without_a_database(process: Weft, skill: Any) -> None:
    """SKILL-5, issue 4: `validate` needs no server; it ends with 1 where something is an error."""
    good, bad = skill("good"), skill("bad", "Look at [it](it.md).")
    (bad / "SKILL.md").write_text("---\nname: bad\ndescription: x\nsop: no.md\nmodel: y\n---\nSee [it](it.md)\n")
    nowhere = {"WEFT_DATABASE_URL": "postgresql://127.0.0.1:1/nothing", "WEFT_HOME": "/proc/nowhere"}
    valid = process("skills", "validate", str(good), **nowhere)
    assert (valid.code, valid.out) == (0, f"{good}: valid\n")
    wrong = process("skills", "validate", str(good), str(bad), **nowhere)
    assert wrong.code == 1
    assert wrong.out.splitlines() == [
        f"{good}: valid",
        f"{bad}/SKILL.md:5: warning: 'model' is a key that neither the standard nor Weft knows",
        f"{bad}/SKILL.md:7: warning: points to 'it.md', which is not in the skill",
        f"{bad}/no.md: error: the skill has no file 'no.md'",
    ]
    told = process("skills", "validate", str(good.parent), "--json", **nowhere)
    found = {Path(each["path"]).name: each for each in json.loads(told.out)}
    assert (told.code, found["good"]["valid"], found["bad"]["valid"]) == (1, True, False)
    assert found["bad"]["findings"][0] == {
        "file": f"{bad}/SKILL.md",
        "line": 5,
        "severity": "warning",
        "message": "'model' is a key that neither the standard nor Weft knows",
    }


def test_archives_are_checked_too(weft: Weft, tmp_path: Path) -> None:
    """SEC-4: and those that lead elsewhere are refused whole."""

    def archive(name: str, inside: str) -> str:
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as made:
            made.writestr("tarot/SKILL.md", SKILL.format(name="tarot", says="Draw."))
            made.writestr(inside, "x")
        (tmp_path / name).write_bytes(content.getvalue())
        return str(tmp_path / name)

    assert weft("skills", "validate", archive("good.zip", "tarot/a.md")).code == 0
    refused = weft("skills", "validate", archive("bad.zip", "../../etc/cron.d/x"))
    assert refused.code == 1
    assert "bad.zip: error: '../../etc/cron.d/x' in the archive has '..'" in refused.out
    (tmp_path / "empty").mkdir()
    assert "holds no SKILL.md" in weft("skills", "validate", str(tmp_path / "empty")).refused()


@pytest.mark.parametrize("options", [[], ["--full"]])
def test_a_new_skill_is_valid_as_it_is(weft: Weft, tmp_path: Path, options: list[str]) -> None:
    """Issue 4: a skeleton that validates, without a word to say about it."""
    made = weft("skills", "new", "tarot-reading", "--in", str(tmp_path), "--json", *options).json()
    assert all(Path(each).is_file() for each in made["files"])
    checked = weft("skills", "validate", str(tmp_path / "tarot-reading"), "--json").json()
    assert (checked[0]["valid"], checked[0]["findings"]) == (True, [])
    assert "there already" in weft("skills", "new", "tarot-reading", "--in", str(tmp_path)).refused()
    for name in ("Tarot", "../x", "a--b", ""):
        assert "no name for a skill" in weft("skills", "new", name, "--in", str(tmp_path)).refused()
    assert [each.name for each in tmp_path.iterdir()] == ["tarot-reading"]


def test_the_way_of_a_skill(weft: Weft, skill: Any, tmp_path: Path) -> None:
    """SKILL-9, SURF-5: proposed, shown, accepted, listed, changed, rolled back, all by command."""
    made = weft("skills", "propose", str(skill("ocean-view")), "--note", "first", "--json").json()
    waiting = weft("skills", "review", "--json").json()
    assert [(each["name"], each["note"]) for each in waiting if each["id"] == made["id"]] == [("ocean-view", "first")]
    shown = weft("skills", "review", made["id"])
    assert (shown.code, "+Draw three cards." in shown.out, "nothing, the skill is new" in shown.out) == (0, True, True)
    assert "is not installed" in weft("skills", "show", "ocean-view").refused()
    assert "active: version 1 of ocean-view" in weft("skills", "review", made["id"], "--accept").out
    assert "proposal_state" in weft("skills", "review", made["id"], "--accept", "--json").err

    evil = "Draw five. \u202e\x1b[2J"
    second = weft("skills", "propose", str(skill("ocean-view", evil)), "--json").json()
    seen = weft("skills", "review", second["id"])
    assert "-Draw three cards.\n+Draw five. <U+202E><U+001B>[2J" in seen.out
    assert "warning: has a character that cannot be seen" in seen.out
    assert weft("skills", "review", second["id"], "--accept", "--reason", "ok", "--json").json()["version"] == 2
    listed = {each["name"]: each for each in weft("skills", "list", "--json").json()}
    assert (listed["ocean-view"]["level"], listed["ocean-view"]["state"]) == ("business", "available")
    assert "\x1b" not in weft("skills", "show", "ocean-view").out

    back = weft("skills", "rollback", "ocean-view", "--to", "1", "--json").json()
    assert (back["number"], back["restores"]) == (3, 1)
    assert weft("skills", "show", "ocean-view", "--json").json()["body"] == "Draw three cards."
    history = weft("skills", "history", "ocean-view")
    assert [line.split()[0] for line in history.out.splitlines()] == ["version", "3", "2", "1"]
    assert "taken away" in weft("skills", "rollback", "ocean-view", "--to", "0").out
    assert "is not installed" in weft("skills", "show", "ocean-view").refused()
    assert "no version 9" in weft("skills", "rollback", "ocean-view", "--to", "9").refused()


def test_a_rejection_takes_a_reason(weft: Weft, skill: Any) -> None:
    """SKILL-9"""
    made = weft("skills", "propose", str(skill("rainy-day")), "--json").json()
    assert "say why with --reason" in weft("skills", "review", made["id"], "--reject").refused()
    assert "either --accept or --reject" in weft("skills", "review", made["id"], "--reject", "--accept").refused()
    assert "name the proposal" in weft("skills", "review", "--accept").refused()
    done = weft("skills", "review", made["id"], "--reject", "--reason", "too sad", "--json").json()
    assert (done["status"], done["reason"]) == ("rejected", "too sad")
    assert "rainy-day" not in weft("skills", "review").out
    assert "rainy-day" in weft("skills", "review", "--all").out


def test_what_is_for_everybody_is_there_for_everybody(weft: Weft, skill: Any) -> None:
    """SKILL-5: the operator's own folder, seen by whoever asks."""
    made = weft("skills", "propose", str(skill("every-day")), "--everywhere", "--json").json()
    assert weft("skills", "review", made["id"], "--accept", "--json").json()["status"] == "active"
    listed = {each["name"]: each["level"] for each in weft("skills", "list", "--everybodys", "--json").json()}
    assert listed["every-day"] == "operator"
    assert weft("skills", "history", "every-day", "--json").json() == []
    assert len(weft("skills", "history", "every-day", "--everywhere", "--json").json()) == 1
    assert weft("skills", "rollback", "every-day", "--to", "0", "--everywhere").code == 0


async def _a_business(url: str, slug: str) -> None:
    database = Database(url)
    try:
        business, _ = await People(database).business(slug)
        await People(database).user(business, "ann")
    finally:
        await database.close()


async def test_each_business_has_its_own(weft: Weft, skill: Any, cli_database: str) -> None:
    """SEC-1: what one proposes is not there for another; nobody is made by asking for them."""
    await _a_business(cli_database, "acme")
    mine = ("--business", "acme", "--user", "ann")
    made = weft("skills", "propose", str(skill("acme-only")), *mine, "--json").json()
    weft("skills", "review", made["id"], "--accept", "--json").json()
    assert "acme-only" in weft("skills", "list", *mine).out
    assert "acme-only" not in weft("skills", "list").out
    assert len(weft("skills", "history", "acme-only", "--business", "acme", "--json").json()) == 1
    assert "no business 'nobody'" in weft("skills", "history", "acme-only", "--business", "nobody").refused()
    assert "no business 'nobody'" in weft("skills", "list", "--business", "nobody", "--user", "x").refused()


def test_what_is_broken_is_listed_with_file_and_line(weft: Weft, settings_of_tests: dict[str, str]) -> None:
    """SKILL-5: it stops no other."""
    folder = Path(settings_of_tests["WEFT_HOME"]) / "skills" / "broken"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: broken\n---\n", encoding="utf-8")
    told = weft("skills", "list")
    assert told.code == 0
    assert "operator/broken/SKILL.md:2: error: has no description" in told.out
    assert "core" in told.out
