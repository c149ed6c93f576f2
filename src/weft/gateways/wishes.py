"""What an application may wish for besides the words: read from open objects, where unknown keys belong to others."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from weft.kit.errors import InvalidError
from weft.kit.text import StorableText

_Short = Annotated[StorableText, Field(max_length=512)]
OWN = "weft"  # the same wishes may stand under this key


class Wishes(BaseModel):
    """How a turn is to be done."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    skill: Annotated[StorableText, Field(max_length=64)] | None = None
    scenario: Annotated[StorableText, Field(max_length=128)] | None = None
    voice_mode: Annotated[StorableText, Field(max_length=64)] | None = Field(
        default=None, validation_alias=AliasChoices("voice_mode", "voiceMode")
    )
    channel: _Short | None = None
    chat_id: _Short | None = Field(default=None, validation_alias=AliasChoices("chat_id", "chatId"))
    when_busy: Literal["refuse", "queue"] | None = Field(
        default=None, validation_alias=AliasChoices("when_busy", "whenBusy")
    )
    deadline_seconds: Annotated[int, Field(ge=1, le=86_400)] | None = Field(
        default=None, validation_alias=AliasChoices("deadline_seconds", "deadlineSeconds")
    )

    @classmethod
    def read(cls, *sources: Any) -> Self:
        """The wishes in these, the first that names one having the word."""
        merged: dict[str, Any] = {}
        for source in reversed(sources):
            if isinstance(source, Mapping):
                own = source.get(OWN)
                merged |= source
                merged |= own if isinstance(own, Mapping) else {}
        try:
            return cls.model_validate({key: value for key, value in merged.items() if value is not None})
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            where = ".".join(str(step) for step in problem["loc"])
            raise InvalidError(f"{where}: {problem['msg'].removeprefix('Value error, ')}", field=where) from None

    def as_turn(self) -> dict[str, Any]:
        """The fields of a request for a turn."""
        return self.model_dump(exclude_none=True)
