"""What goes over the wire about skills, proposals and versions."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, JsonValue, model_validator

from weft.http.answers import UtcTime
from weft.kit.text import StorableText
from weft.skills.differences import FileChange
from weft.skills.files import Resource
from weft.skills.findings import Finding, Severity
from weft.skills.shelf import Level

EXAMPLE = (
    "---\nname: tarot\ndescription: Reads three cards. Use when somebody asks for a reading.\n---\nDraw three cards.\n"
)
SkillName = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", min_length=1, max_length=64, examples=["tarot"])]
Reason = Annotated[StorableText, Field(max_length=2_000, examples=["第三张牌的说法改得更温和"])]


class Scope(StrEnum):
    """For whom a skill is live: one business, or everybody of the installation."""

    BUSINESS = "business"
    INSTALLATION = "installation"


class ProposalStatus(StrEnum):
    """How far a proposal has come."""

    DRAFT = "draft"
    REVIEW = "review"
    ACCEPTED = "accepted"  # decided, and about to be put in place
    REJECTED = "rejected"
    ACTIVE = "active"


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class FindingView(BaseModel):
    """One thing wrong (error) or odd (warning), and where."""

    file: str = Field(examples=["tarot/SKILL.md"])
    line: int = Field(description="0 where it is about the file as a whole", examples=[3])
    severity: Severity
    message: str = Field(examples=["has no description; say what it does and when to use it"])

    @classmethod
    def all(cls, found: Iterable[Finding]) -> list[Self]:
        """As many views."""
        return [cls(file=each.file, line=each.line, severity=each.severity, message=each.message) for each in found]


class SkillView(BaseModel):
    """A skill in the catalogue."""

    name: str = Field(description="its folder's, where it cannot be read", examples=["tarot"])
    level: Level
    state: Literal["available", "unavailable", "broken", "hidden"]
    description: str = Field(default="", examples=["Reads three cards. Use when somebody asks for a reading."])
    always: bool = False
    requires_birth_info: bool = False
    compute_type: str | None = Field(default=None, examples=["tarot"])
    missing: list[str] = Field(default=[], examples=[["binary gh"]])
    findings: list[FindingView] = []


class ResourceView(BaseModel):
    """A file of a skill."""

    path: str = Field(examples=["cases.md"])
    size: int = Field(examples=[2048])

    @classmethod
    def all(cls, found: Iterable[Resource]) -> list[Self]:
        """As many views."""
        return [cls(path=each.path, size=each.size) for each in found]


class SkillDetail(SkillView):
    """A skill with all that it says; its findings are those of a strict check."""

    license: str | None = None
    compatibility: str | None = None
    metadata: dict[str, JsonValue] = {}
    allowed_tools: list[str] = []
    profile_fields: list[str] = []
    requires: dict[str, list[str]] = Field(default={}, examples=[{"binaries": ["gh"]}])
    sop: list[str] = []
    cases: list[str] = []
    data_schema: str | None = None
    voices: list[str] = Field(default=[], examples=[["warm"]])
    others: dict[str, JsonValue] = Field(default={}, description="keys of other agents, which mean nothing here")
    body: str
    resources: list[ResourceView] = []


class SkillUpload(_Closed):
    """The files of one skill: as texts by their paths, or as a zip or tar.gz in base 64."""

    files: Annotated[dict[str, str], Field(max_length=500, examples=[{"SKILL.md": EXAMPLE}])] | None = None
    archive: Annotated[Base64Bytes, Field(examples=["UEsDBBQAAAAIAA=="])] | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.files is None) == (self.archive is None):
            message = "give either files or archive"
            raise ValueError(message)
        return self


class ProposalRevision(SkillUpload):
    """Other files for a proposal that nobody has decided."""

    note: Reason = ""


class ProposalWish(ProposalRevision):
    """A new or changed skill for review; as a draft, it waits until it is submitted."""

    scope: Scope = Scope.BUSINESS
    draft: bool = False


class Checked(BaseModel):
    """What a strict check found."""

    name: str | None = Field(default=None, examples=["tarot"])
    valid: bool
    findings: list[FindingView]


class ProposalView(BaseModel):
    """A proposal, without its files."""

    id: UUID
    name: SkillName
    scope: Scope
    status: ProposalStatus
    note: str = ""
    business_id: UUID | None = None
    user_id: UUID | None = None
    digest: str = Field(description="of its files: SHA-256 in hexadecimal", examples=["9f86d081884c7d65"])
    files: int = Field(examples=[3])
    size: int = Field(description="bytes of all files", examples=[5120])
    created_at: UtcTime
    submitted_at: UtcTime | None = None
    decided_by: str | None = Field(default=None, examples=["operator:0199f3c0-7e1d-7c55-9a43-0f6f1b2d3c4e"])
    decided_at: UtcTime | None = None
    reason: str | None = None
    version: int | None = Field(default=None, description="the version that it became")

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """The proposal in a row."""
        shown = {name: row[name] for name in ProposalView.model_fields if name in row}
        return cls.model_validate(shown | {"digest": row["digest"].hex()})


class ChangeView(BaseModel):
    """What would change in one file."""

    path: str = Field(examples=["SKILL.md"])
    change: Literal["added", "changed", "removed"]
    before: int | None = Field(default=None, description="bytes", examples=[2048])
    after: int | None = Field(default=None, description="bytes", examples=[2103])
    diff: str | None = Field(default=None, description="unified; absent where the file is no text or too large")

    @classmethod
    def all(cls, changes: Iterable[FileChange]) -> list[Self]:
        """As many views."""
        return [
            cls(path=each.path, change=each.change, before=each.before, after=each.after, diff=each.diff)
            for each in changes
        ]


class ProposalDetail(ProposalView):
    """A proposal as a reviewer sees it."""

    findings: list[FindingView] = []
    against: Level | None = Field(default=None, description="where the live skill of that name comes from, if any")
    changes: list[ChangeView] = []
    shown: str | None = Field(default=None, description="what `accept` must be given: it stands for what is shown here")


class Acceptance(_Closed):
    """That what was shown shall be live."""

    shown: Annotated[str, Field(min_length=1, max_length=128, description="as the proposal showed it")]
    reason: Reason = ""


class Rejection(_Closed):
    """Why it shall not."""

    reason: Annotated[Reason, Field(min_length=1)]


class VersionView(BaseModel):
    """A version of a skill."""

    number: int = Field(examples=[2])
    origin: Literal["found", "proposal", "rollback"]
    proposal_id: UUID | None = None
    restores: int | None = Field(default=None, description="the version that a roll-back took up; 0: none")
    digest: str | None = Field(default=None, description="absent where the skill was taken away")
    made_by: str = Field(examples=["operator:0199f3c0-7e1d-7c55-9a43-0f6f1b2d3c4e"])
    reason: str = ""
    created_at: UtcTime
    activated_at: UtcTime | None = Field(default=None, description="absent while it is being put in place")

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """The version in a row."""
        shown = {name: row[name] for name in cls.model_fields if name in row}
        return cls.model_validate(shown | {"digest": row["digest"] and row["digest"].hex()})


class Rollback(_Closed):
    """Which version shall be live again."""

    to: Annotated[int, Field(ge=0, le=2**31 - 1, description="0: none; the skill is taken away", examples=[1])]
    reason: Reason = ""
