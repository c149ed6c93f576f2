"""What every way in needs before it can open a transaction: settings, a database that is up and migrated."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio.to_thread

from weft.calls.ledger import CallLedger
from weft.infra.environment import EnvironmentVendor
from weft.infra.registry import InfraRegistry
from weft.infra.starting import prepare_infra
from weft.kit.actor import Actor
from weft.kit.crypto import Keyring
from weft.kit.db import Database, migrate
from weft.kit.db.embedded import embedded_postgres
from weft.kit.errors import OperatorError, WeftError
from weft.kit.secret_file import load_keyring
from weft.llm.gateway import Gateway
from weft.profiles.errors import SkillSchemaError
from weft.profiles.service import ProfileRules
from weft.settings import Settings, SettingsUpgrade
from weft.skills.library import SkillLibrary
from weft.skills.starting import finish_publishing

NO_SECRETS = Keyring(())  # opens nothing, and refuses to store a key


@dataclass(frozen=True, slots=True)
class Weft:
    """A Weft that is ready to work."""

    settings: Settings
    database: Database
    keyring: Keyring = NO_SECRETS
    registry: InfraRegistry = field(init=False)
    gateway: Gateway = field(init=False)
    skills: SkillLibrary = field(init=False)

    def __post_init__(self) -> None:
        registry = InfraRegistry(self.database, self.keyring)
        object.__setattr__(self, "registry", registry)
        object.__setattr__(self, "skills", SkillLibrary(self.settings.home.expanduser().absolute()))
        object.__setattr__(self, "gateway", Gateway(registry, CallLedger(self.database)))

    async def profile_rules(self, actor: Actor) -> ProfileRules:
        """How this user's profile is written: what a skill keeps, by the schema that their skill of that name ships."""
        schemas = await self.skills.data_schemas(actor.business_id, actor.user_id)

        def schema_of(skill: str) -> Mapping[str, Any] | None:
            found = schemas.get(skill)
            if found is not None and found.problem is not None:
                raise SkillSchemaError(skill, found.problem)
            return None if found is None else found.schema

        eager = self.settings.settings_upgrade is SettingsUpgrade.EAGER
        return ProfileRules(upgrade_on_write=eager, skill_schema=schema_of)


@asynccontextmanager
async def open_weft(settings: Settings) -> AsyncIterator[Weft]:
    """Start what must run, bring the database up to date, and close everything in reverse order."""
    async with AsyncExitStack() as stack:
        url = await database_url(settings, stack)
        await migrate.upgrade(url)
        database = Database(url, pool_size=settings.database_pool)
        stack.push_async_callback(database.close)
        keyring = await anyio.to_thread.run_sync(keyring_of, settings)
        await prepare_infra(database, keyring, vendor_of(settings))
        weft = Weft(settings, database, keyring)
        stack.push_async_callback(weft.gateway.aclose)
        await finish_publishing(database, weft.skills)
        yield weft


def keyring_of(settings: Settings) -> Keyring:
    """The secrets that vendor keys are encrypted under; the first start makes one."""
    newest, previous = settings.secret_key, settings.secret_key_previous
    return load_keyring(
        settings.folder,
        None if newest is None else newest.get_secret_value(),
        None if previous is None else previous.get_secret_value(),
    )


def vendor_of(settings: Settings) -> EnvironmentVendor | None:
    """The vendor that the environment names."""
    return EnvironmentVendor.of(settings.llm_base_url, settings.llm_model, settings.llm_api_key)


async def database_url(settings: Settings, stack: AsyncExitStack) -> str:
    """The operator's database, which must answer, or the embedded one, held until the stack unwinds."""
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
        await _must_answer(url)
        return url
    server = embedded_postgres(await anyio.to_thread.run_sync(settings.folder.resolve))  # one server, whatever the link
    try:
        url = await anyio.to_thread.run_sync(server.__enter__)
    except OSError as error:
        raise OperatorError(
            f"cannot use the folder {settings.folder}: {error.strerror or error}. Make it a folder that Weft may write "
            f"to, or set WEFT_HOME to one that is."
        ) from error
    stack.push_async_callback(anyio.to_thread.run_sync, server.__exit__, None, None, None)
    return url


async def _must_answer(url: str) -> None:
    try:
        await migrate.current(url)
    except WeftError:
        raise
    except Exception as error:  # a driver has many ways to say that there is no getting in
        reason = str(getattr(error, "orig", None) or error).partition("\n")[0]
        raise OperatorError(f"the database does not answer: {reason}. Start it, or mend WEFT_DATABASE_URL.") from error
