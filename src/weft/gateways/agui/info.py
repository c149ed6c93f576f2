"""What runs here, in the words in which AG-UI's front ends ask for it."""

from pydantic import BaseModel, ConfigDict, Field

from weft import __version__

AGENT = "weft"


class AgentInfo(BaseModel):
    """An agent that can be run."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True)

    name: str = Field(default=AGENT, examples=[AGENT])
    description: str = "Answers, calls tools, asks before it acts, and takes on skills."
    class_name: str = Field(default="HttpAgent", serialization_alias="className")


class RuntimeInfo(BaseModel):
    """All of them: here there is one."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True)

    version: str = Field(default=__version__, examples=[__version__])
    agents: dict[str, AgentInfo] = {AGENT: AgentInfo()}
    audio: bool = Field(default=False, serialization_alias="audioFileTranscriptionEnabled")
