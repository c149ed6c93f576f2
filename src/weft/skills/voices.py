"""The voices of a skill: ways for the same persona to speak, one Markdown file each in its folder `voices/`."""

from weft.kit.errors import CallerError
from weft.kit.skill_name import is_skill_name
from weft.skills.errors import VoiceUnknownError
from weft.skills.files import SkillFiles
from weft.skills.findings import Findings
from weft.skills.front_matter import decode
from weft.skills.skill import Skill

FOLDER, ENDING = "voices", ".md"
DEFAULT = "warm"  # what a request that names no voice asks for
MOST, LARGEST = 20, 16 << 10  # voices of a skill, and bytes of each


def voices(skill: Skill) -> tuple[str, ...]:
    """The names of the voices, in the order of the alphabet."""
    return tuple(skill.voices)


def voice_of(skill: Skill, voice: str) -> str:
    """The text of a voice; where the default is not among them, the persona speaks as it is."""
    if (text := skill.voices.get(voice)) is not None:
        return text
    if voice == DEFAULT:
        return ""
    raise VoiceUnknownError(skill.name, voice, voices(skill))


def read_voices(files: SkillFiles, shown_as: str, findings: Findings) -> dict[str, str]:
    """The voices in these files; one that cannot be read is reported and left out."""
    found: dict[str, str] = {}
    for name in (each for each in files.names(FOLDER) if each.endswith(ENDING)):
        voice, own = name.removesuffix(ENDING), Findings(f"{shown_as}/{FOLDER}/{name}")
        if not is_skill_name(voice):
            own.warning("is no name for a voice; use small letters, digits and single hyphens, for example 'warm.md'")
        elif len(found) >= MOST:
            own.warning(f"is one voice too many; {MOST} are read")
        elif (text := _text(files, f"{FOLDER}/{name}", own)) is not None:
            found[voice] = text
        findings.take(own)
    return found


def _text(files: SkillFiles, path: str, own: Findings) -> str | None:
    refused = Findings(own.file)
    try:
        text = decode(files.read(path, LARGEST), refused)
    except CallerError as error:
        own.warning(error.detail)
        return None
    for finding in refused:
        own.warning(finding.message, finding.line)
    if text is not None and not text.strip():
        own.warning("says nothing; it is left out", 1)
        return None
    return text and text.strip()
