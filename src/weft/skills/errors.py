"""What can be wrong with a skill that somebody asked for, and with an archive that brings one."""

from collections.abc import Sequence
from uuid import UUID

from weft.kit.errors import ConflictError, InvalidError, NotFoundError, OperatorError, TooLargeError
from weft.skills.findings import Finding, shown


class SkillNotFoundError(NotFoundError):
    """No skill of that name can be used."""

    code = "skill_not_found"

    def __init__(self, name: str, reason: str = "is not installed") -> None:
        super().__init__(f"the skill {shown(name[:80])!r} {reason}", field="skill")


class ResourceRefusedError(InvalidError):
    """A path that does not lead to a file inside the skill."""

    code = "skill_resource_refused"

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{shown(path[:120])!r} {problem}", field="path")


class ResourceNotFoundError(NotFoundError):
    """The skill has no such file."""

    code = "skill_resource_not_found"

    def __init__(self, path: str) -> None:
        super().__init__(f"the skill has no file {shown(path[:120])!r}", field="path")


class ResourceTooLargeError(TooLargeError):
    """A file of a skill passes its limit."""

    code = "skill_resource_too_large"

    def __init__(self, path: str, limit: int) -> None:
        super().__init__(
            f"{shown(path[:120])!r} has more than {limit} bytes, which is the most that is read", field="path"
        )


class ArchiveRefusedError(InvalidError):
    """An archive that is not read; nothing of it was kept."""

    code = "skill_archive_refused"

    def __init__(self, problem: str, entry: str | None = None) -> None:
        where = "the archive" if entry is None else f"{shown(entry[:120])!r} in the archive"
        super().__init__(f"{where} {problem}; nothing of it was kept", field="archive")
        self.entry = entry


class ArchiveTooLargeError(TooLargeError):
    """An archive, or what it holds, passes a limit; nothing of it was kept."""

    code = "skill_archive_too_large"

    def __init__(self, problem: str, entry: str | None = None) -> None:
        where = "the archive" if entry is None else f"{shown(entry[:120])!r} in the archive"
        super().__init__(f"{where} {problem}; nothing of it was kept", field="archive")
        self.entry = entry


class SkillUnavailableError(ConflictError):
    """The skill is there, and something that it needs on this machine is not."""

    code = "skill_unavailable"

    def __init__(self, name: str, missing: Sequence[str]) -> None:
        super().__init__(f"the skill {shown(name)!r} needs {', '.join(missing)}, which is not there", field="skill")


class ScenarioInvalidError(InvalidError):
    """A scenario that cannot be kept."""

    code = "scenario_invalid"

    def __init__(self, problem: str) -> None:
        super().__init__(f"the scenario {problem}", field="scenario")


class VoiceUnknownError(InvalidError):
    """The skill has no voice of that name."""

    code = "voice_unknown"

    def __init__(self, skill: str, voice: str, known: Sequence[str]) -> None:
        there = f"there are {', '.join(known)}" if known else "it has none"
        super().__init__(f"the skill {shown(skill)!r} has no voice {shown(voice[:80])!r}; {there}", field="voice_mode")


class SkillInvalidError(InvalidError):
    """A skill that strict checking refuses, or that cannot be read at all."""

    code = "skill_invalid"

    def __init__(self, found: Sequence[Finding]) -> None:
        first, rest = found[0], len(found) - 1
        more = f" (and {rest} more)" if rest else ""
        where = f"{first.file}:{first.line}" if first.line else first.file
        super().__init__(f"{where}: {first.message}{more}", field="files")
        self.findings = tuple(found)


class ProposalUnknownError(NotFoundError):
    """No proposal of that id is within reach."""

    code = "proposal_unknown"

    def __init__(self, proposal_id: UUID) -> None:
        super().__init__(f"there is no proposal {proposal_id}")


class ProposalStateError(ConflictError):
    """The proposal is past the point where this could be done, or not there yet."""

    code = "proposal_state"

    def __init__(self, proposal_id: UUID, status: str, wanted: str) -> None:
        super().__init__(f"the proposal {proposal_id} {wanted}; its state is {status!r}")


class ProposalChangedError(ConflictError):
    """What is to be accepted is not what was shown."""

    code = "proposal_changed"

    def __init__(self, proposal_id: UUID) -> None:
        super().__init__(
            f"the proposal {proposal_id}, or the skill that it would replace, has changed since it was shown; "
            f"look at it again",
            field="shown",
        )


class TooManyProposalsError(ConflictError):
    """Somebody has more open proposals than are kept."""

    code = "too_many_proposals"

    def __init__(self, most: int) -> None:
        super().__init__(f"{most} proposals are open already; wait until they are decided, or delete some")


class VersionUnknownError(NotFoundError):
    """The skill never had that version."""

    code = "skill_version_unknown"

    def __init__(self, name: str, number: int) -> None:
        super().__init__(f"the skill {shown(name)!r} has no version {number}", field="to")


class SkillBusyError(ConflictError):
    """The skill's folder is as it should be already, is being changed, or holds what history cannot keep."""

    code = "skill_busy"

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"the skill {shown(name)!r} {problem}", field="skill")


class SkillsFolderError(OperatorError):
    """The folder of live skills cannot be written."""

    code = "skills_folder"
