"""What an operator sets by environment; every setting is optional."""

import ipaddress
import os
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from weft.kit.errors import OperatorError


class Auth(StrEnum):
    """Who may call: the one person at this machine, or businesses with keys."""

    LOCAL = "local"
    KEYS = "keys"


class WorkerKind(StrEnum):
    """Where turns run: inside the server's process, or in Celery workers."""

    INLINE = "inline"
    CELERY = "celery"


class SettingsUpgrade(StrEnum):
    """When a profile's older settings are lifted: at every write, or never by themselves."""

    EAGER = "eager"
    LAZY = "lazy"


class Settings(BaseSettings):
    """The environment, read once at start."""

    model_config = SettingsConfigDict(env_prefix="WEFT_", env_ignore_empty=True, frozen=True)

    home: Path = Field(default=Path("~/.weft"), description="Weft's own folder")
    host: str = Field(default="127.0.0.1", description="the address to listen on")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(default=8700, description="the port to listen on")
    database_url: SecretStr | None = Field(default=None, description="your PostgreSQL; without it, the embedded one")
    redis_url: SecretStr | None = Field(default=None, description="Redis, needed by Celery workers only")
    worker: WorkerKind = Field(default=WorkerKind.INLINE, description="inline | celery")
    auth: Auth = Field(default=Auth.LOCAL, description="local | keys")
    secret_key: SecretStr | None = Field(
        default=None, description="encrypts vendor keys; made at first start if absent"
    )
    secret_key_previous: SecretStr | None = Field(
        default=None, description="secrets from before a rotation, parted by commas: they open and do not encrypt"
    )
    llm_base_url: str | None = Field(default=None, description="an OpenAI-compatible vendor, registered at start")
    llm_api_key: SecretStr | None = Field(default=None, description="its key")
    llm_model: str | None = Field(default=None, description="its model")
    settings_upgrade: SettingsUpgrade = Field(default=SettingsUpgrade.EAGER, description="eager | lazy")
    max_body_bytes: Annotated[int, Field(ge=1024)] = Field(default=1_048_576, description="largest request body")
    database_pool: Annotated[int, Field(ge=2, le=200)] = Field(default=10, description="connections a process keeps")
    context_retention_days: Annotated[int, Field(ge=0, le=3650)] = Field(
        default=30, description="days for which it is kept what calls were sent; 0: an hour"
    )
    tool_approvals: str = Field(default="", description="tools that ask first or do not: write_file=always, …=never")
    lease_seconds: Annotated[float, Field(ge=1, le=600)] = Field(
        default=10, description="how long after its last sign of life a process's runs are taken up by another"
    )
    turn_calls: Annotated[int, Field(ge=1, le=1000)] = Field(default=16, description="model calls a turn may make")
    turn_tokens: Annotated[int, Field(ge=1)] = Field(default=400_000, description="tokens a turn may use")
    turn_cost: Annotated[Decimal, Field(gt=0)] | None = Field(default=None, description="what a turn may cost")
    session_calls: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="model calls a conversation may make"
    )
    session_tokens: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="tokens a conversation may use"
    )
    session_cost: Annotated[Decimal, Field(gt=0)] | None = Field(default=None, description="what one may cost")
    log_level: str = Field(default="INFO", pattern="^(DEBUG|INFO|WARNING|ERROR)$", description="least level logged")

    @model_validator(mode="after")
    def _local_stays_local(self) -> Self:
        if self.auth is Auth.LOCAL and not is_loopback(self.host):
            message = (
                f"WEFT_HOST={self.host} would let other machines in, and WEFT_AUTH=local asks nobody who they are. "
                "Set WEFT_AUTH=keys and make a key with `weft keys create`, or keep WEFT_HOST=127.0.0.1."
            )
            raise ValueError(message)
        return self

    @property
    def folder(self) -> Path:
        """Weft's own folder, without `~` or relative parts; links are left to whoever opens files."""
        return Path(os.path.normpath(self.home.expanduser().absolute()))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def load_settings() -> Settings:
    """Read the environment; what is wrong in it is told by the variable's name."""
    try:
        return Settings()
    except ValidationError as error:
        problems = []
        for problem in error.errors(include_input=False, include_url=False):
            name = "WEFT_" + "_".join(str(part) for part in problem["loc"]).upper() + ": " if problem["loc"] else ""
            problems.append(name + problem["msg"].removeprefix("Value error, "))
        raise OperatorError("; ".join(problems)) from None
