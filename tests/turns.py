"""A whole runtime for one test: real database, real flow, a vendor over real HTTP that says what the test tells it."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.people import People
from weft.compose import Weft, vendor_of
from weft.infra.starting import prepare_infra
from weft.kit.actor import Actor
from weft.kit.crypto import Keyring
from weft.kit.db import Database
from weft.kit.db.listen import Listener
from weft.llm.scripted import Answer, Refusal, ScriptedVendor
from weft.llm.types import ToolRequest
from weft.runs.desk import Accepted, Desk
from weft.runs.schemas import RunView, TurnRequest
from weft.runs.service import RunService
from weft.runtime import Runtime, make_runtime
from weft.sessions.schemas import MessageView
from weft.sessions.service import SessionService
from weft.settings import Settings
from weft.state.events import Event
from weft.state.runtime import RuntimeState
from weft.tools.builtin import built_in
from weft.tools.tool import Approval, Effect, Tool, ToolInput, ToolResult

SECRET = "a secret of the tests, and of nobody else"


def calls(name: str, call_id: str = "call_1", **arguments: Any) -> ToolRequest:
    """A tool call as a model makes it."""
    return ToolRequest(call_id, name, json.dumps(arguments, ensure_ascii=False))


@dataclass
class House:
    """A Weft at work."""

    database: Database
    vendor: ScriptedVendor
    weft: Weft
    runtime: Runtime
    people: People
    sent: "list[MailInput]" = field(default_factory=list)  # letters that went out

    @property
    def desk(self) -> Desk:
        return self.runtime.desk

    async def someone(self) -> Actor:
        """A user nobody else knows."""
        return await self.people.user()

    def says(self, *answers: str | Answer | Refusal | ToolRequest | Sequence[ToolRequest]) -> None:
        """What the vendor answers next, one call after the other."""
        for answer in answers:
            if isinstance(answer, str):
                self.vendor.enqueue(Answer(answer))
            elif isinstance(answer, Answer | Refusal):
                self.vendor.enqueue(answer)
            else:
                made = (answer,) if isinstance(answer, ToolRequest) else tuple(answer)
                self.vendor.enqueue(Answer(tool_calls=made))

    async def turn(self, actor: Actor, message: str = "", **request: Any) -> "Told":
        """Ask, and hear everything to the end."""
        accepted = await self.desk.accept(actor, TurnRequest(message=message, **request))
        return await self.hear(actor, accepted)

    async def hear(self, actor: Actor, accepted: Accepted, after: int | None = None) -> "Told":
        """Everything that a run tells from there on."""
        events: list[Event] = []
        async for batch in self.desk.follow(actor, accepted.run.id, accepted.from_seq if after is None else after):
            events += [event for _, event in batch]
        return Told(accepted, events, await self.desk.run(actor, accepted.run.id))

    async def messages(self, actor: Actor, session_id: UUID, *, audit: bool = False) -> list[MessageView]:
        """A conversation, oldest first."""
        async with self.database.transaction(actor) as tx:
            found = await SessionService(tx).messages(session_id, limit=200, audit=audit)
        return found[::-1]

    async def session(self, actor: Actor, session_id: UUID) -> Any:
        async with self.database.transaction(actor) as tx:
            return await SessionService(tx).get(session_id)

    async def actions(self, actor: Actor, run_id: UUID) -> list[dict[str, Any]]:
        """What a run did, as it is stored."""
        async with self.database.transaction(actor) as tx:
            return [dict(each.action) for each in await RunService(tx).actions(run_id)]

    async def last_seq(self, actor: Actor, run_id: UUID) -> int:
        """The number of the last thing that a run told."""
        async with self.database.transaction(actor) as tx:
            return (await RunService(tx).events(run_id, 0, 10_000))[-1].seq

    @property
    def asked(self) -> list[Mapping[str, Any]]:
        """What the vendor was sent, call by call."""
        return [request.json for request in self.vendor.log]


@dataclass(frozen=True)
class Told:
    """A run as somebody saw it who watched."""

    accepted: Accepted
    events: list[Event]
    run: RunView

    @property
    def session_id(self) -> UUID:
        return self.accepted.session_id

    @property
    def text(self) -> str:
        """All that was shown of answers."""
        answers = {event.message_id for event in self.events if event.type == "text_started" and event.kind == "answer"}
        pieces = [event for event in self.events if event.type == "text_grew" and event.message_id in answers]
        return "".join(event.text for event in pieces)

    def of(self, kind: str) -> list[Any]:
        """The events of one kind."""
        return [event for event in self.events if event.type == kind]

    @property
    def kinds(self) -> list[str]:
        return [event.type for event in self.events]


@asynccontextmanager
async def a_house(
    database: Database,
    home: Path,
    *,
    works: bool = True,
    mail: "type[SendMail] | None" = None,
    texts: Any = None,
    more: Sequence[Tool[Any]] = (),
    **settings: Any,
) -> AsyncIterator[House]:
    """A Weft over this database, with a vendor of its own."""
    async with AsyncExitStack() as stack:
        vendor = await stack.enter_async_context(ScriptedVendor())
        chosen = Settings(home=home, llm_base_url=vendor.base_url, llm_model="scripted", **settings)
        keyring = Keyring([SECRET])
        await prepare_infra(database, keyring, vendor_of(chosen))
        weft = Weft(chosen, database, keyring)
        stack.push_async_callback(weft.gateway.aclose)
        sent: list[MailInput] = []
        runtime = make_runtime(
            weft, texts, tools=lambda ports, skills: [*built_in(ports, skills), (mail or SendMail)(sent), *more]
        )
        house = House(database, vendor, weft, runtime, People(database), sent)
        if works:
            listener = await stack.enter_async_context(Listener(database.url))
            await stack.enter_async_context(runtime.working(listener))
            stack.push_async_callback(runtime.worker.settled)
        yield house


@pytest.fixture(scope="session")
async def turns_database(new_database: Any) -> AsyncIterator[Database]:
    """A database that no other tests' runs stand in: workers take on whatever they find."""
    database = Database(await new_database("turns"))
    yield database
    await database.close()


@pytest.fixture
async def house(turns_database: Database, tmp_path: Path) -> AsyncIterator[House]:
    """A Weft at work."""
    async with a_house(turns_database, tmp_path) as house:
        yield house


class MailInput(ToolInput):
    """A letter."""

    to: str
    text: str = ""


class SendMail(Tool[MailInput]):
    """Does something to the world that must not happen twice, and only with somebody's word."""

    name = "send_mail"
    description = "Send a letter."
    effect = Effect.EXTERNAL
    input = MailInput
    approval = Approval.ALWAYS

    def __init__(self, sent: list[MailInput]) -> None:
        self._sent = sent

    async def run(self, state: RuntimeState) -> ToolResult:
        letter = self.arguments(state)
        self._sent.append(letter)
        return ToolResult.of({"sent_to": letter.to})
