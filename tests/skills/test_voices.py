"""The voices of a persona: files beside it, one of them asked for by name."""

from pathlib import Path

import pytest

from tests.skills.conftest import Write
from weft.skills.errors import VoiceUnknownError
from weft.skills.files import FolderFiles, MemoryFiles
from weft.skills.reading import Reading, read_skill
from weft.skills.skill import Skill
from weft.skills.voices import LARGEST, MOST, voice_of, voices

CORE = "---\nname: core\ndescription: The persona.\n---\nYou listen.\n"


def read(**spoken: str | bytes) -> Reading:
    files = {f"voices/{name}": text if isinstance(text, bytes) else text.encode() for name, text in spoken.items()}
    return read_skill(MemoryFiles({"SKILL.md": CORE.encode(), **files}), "core")


def skill(**spoken: str | bytes) -> Skill:
    found = read(**spoken).skill
    assert found is not None
    return found


def test_a_voice_is_a_file_and_is_asked_for_by_name() -> None:
    """SKILL-7: `voice_mode` picks one of the core skill's voices."""
    core = skill(**{"warm.md": "Speak warmly.\n", "calm.md": " 慢慢说。\n", "notes.txt": "no voice"})
    assert voices(core) == ("calm", "warm")
    assert (voice_of(core, "warm"), voice_of(core, "calm")) == ("Speak warmly.", "慢慢说。")


def test_an_unknown_voice_is_refused_with_those_that_there_are() -> None:
    """SKILL-7: what would be right is said."""
    with pytest.raises(VoiceUnknownError, match="'loud'; there are calm, warm") as refused:
        voice_of(skill(**{"warm.md": "a", "calm.md": "b"}), "loud")
    assert refused.value.field == "voice_mode"
    with pytest.raises(VoiceUnknownError, match="'loud'; it has none"):
        voice_of(skill(), "loud")


def test_a_persona_without_the_default_voice_speaks_as_it_is() -> None:
    """SKILL-7: an operator's own core needs no file for what every request asks for."""
    assert voice_of(skill(), "warm") == ""
    assert voice_of(skill(**{"brisk.md": "Be brisk."}), "warm") == ""


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("Warm.md", "x", "is no name for a voice"),
        ("a b.md", "x", "is no name for a voice"),
        ("warm.md", " \n", "says nothing"),
        ("warm.md", b"\xff\xfe", "is not UTF-8"),
        ("warm.md", "x" * (LARGEST + 1), "more than"),
    ],
)
def test_a_voice_that_cannot_be_used_is_told_and_stops_nothing(name: str, content: str | bytes, says: str) -> None:
    """SKILL-5: reported with its file, and the skill works without it."""
    reading = read(**{name: content, "calm.md": "b"})
    assert reading.skill is not None
    assert voices(reading.skill) == ("calm",)
    assert [(each.file, each.severity) for each in reading.findings] == [(f"core/voices/{name}", "warning")]
    assert says in reading.findings[0].message


def test_there_is_an_end_to_voices() -> None:
    """SEC-4"""
    reading = read(**{f"v{number:03}.md": "x" for number in range(MOST + 3)})
    assert reading.skill is not None
    assert (len(voices(reading.skill)), len(reading.findings)) == (MOST, 3)


def test_links_are_no_voices(write: Write, tmp_path: Path) -> None:
    """TOOL-5: neither a voice nor their folder may be a link to somewhere else."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "passwords.md").write_text("hunter2", encoding="utf-8")
    whole, single = write("a", "name: a\ndescription: x"), write("b", "name: b\ndescription: x")
    (whole / "voices").symlink_to(secret)
    (single / "voices").mkdir()
    (single / "voices" / "warm.md").symlink_to(secret / "passwords.md")
    for folder in (whole, single):
        reading = read_skill(FolderFiles(folder), folder.name)
        assert reading.skill is not None
        assert (dict(reading.skill.voices), reading.findings) == ({}, ())


def test_names_of_a_folder_that_is_not_there() -> None:
    assert list(FolderFiles(Path("/nowhere")).names("voices")) == []
