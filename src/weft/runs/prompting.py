"""The prompts of one run: the moment loaded, each stage compiled from it, and what the next call is compared with."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from weft.calls.contexts import ContextService
from weft.calls.schemas import CallTold
from weft.context.compiling import Compiled
from weft.context.payload import build_stage_prompt_payload
from weft.context.prefix import Sent
from weft.context.revisions import Standing
from weft.context.stages import StageTexts
from weft.context.user_prompt import profile_values
from weft.context.window import History
from weft.kit.db import Transaction
from weft.llm.ports import ModelCard
from weft.llm.tokens import TokenCounter
from weft.llm.types import ToolSpec
from weft.nodes.ports import Step
from weft.nodes.rows import Row
from weft.runs.situations import Asked, Loaded, Situations

_NOTHING: Mapping[str, Any] = {}


class Kept(NamedTuple):
    """How the calls went; and what the prefix shows, where it has changed: after a restart it must be the same."""

    calls: Mapping[UUID, CallTold]
    standing: Any = None


class RunPrompts:
    """Implements the engine's `Prompts`."""

    def __init__(
        self,
        situations: Situations,
        asked: Asked,
        texts: StageTexts,
        counter: TokenCounter,
        standing: Standing | None,
    ) -> None:
        self._situations = situations
        self._asked = asked
        self._texts = texts
        self._counter = counter
        self._standing = standing
        self._kept = standing
        self._loaded: Loaded | None = None
        self._messages: list[Any] = []
        self._last: Sent | None = None

    async def load(self) -> None:
        """Look at everything as it is now."""
        self.begin(await self._situations.load(self._asked))

    def begin(self, loaded: Loaded) -> None:
        """Go on from this moment."""
        self._loaded = loaded
        self._messages = list(loaded.history.messages)
        self._last = loaded.last

    def compiled(
        self, task: str, card: ModelCard, tools: Sequence[ToolSpec], found: Mapping[str, Any] = _NOTHING
    ) -> Compiled:
        """The prompt of a task."""
        now = self._now
        made = build_stage_prompt_payload(
            task,
            now.situation,
            History(self._messages, now.history.texts),
            tools,
            card,
            self._counter,
            stages=self._texts,
            stage_input=found or None,
            last=self._last,
            standing=self._standing,
        )
        self._standing, self._last = made.standing, made.sent
        return made

    def wrote(self, rows: Sequence[Row]) -> None:
        """These messages stand in the conversation now."""
        self._messages += [stored for row in rows if (stored := row.stored()) is not None]

    @property
    def call_ids(self) -> Iterable[str]:
        """The ids of the tool calls that the conversation shows."""
        return (message.tool_call_id for message in self._messages if message.kind == "tool_call")

    @property
    def skills(self) -> Sequence[str]:
        """The skills that can be taken on."""
        return self._now.skills

    @property
    def user_values(self) -> Mapping[str, str]:
        """Who the user is."""
        return profile_values(self._now.situation.user)

    @property
    def declared(self) -> Mapping[str, Any]:
        """What the active skill declared of the user's profile, loaded."""
        skill = self._now.situation.skill
        return {} if skill is None else skill.profile_fields

    @property
    def loaded(self) -> Loaded:
        """The moment."""
        return self._now

    async def keep(self, tx: Transaction, step: Step) -> Kept:
        """Keep what was sent."""
        contexts = ContextService(tx)
        calls: dict[UUID, CallTold] = {}
        for sent in step.sent:
            for call in sent.calls:
                calls.update(await contexts.record([call.id], sent.compiled, call.messages))
        if self._standing is None or self._standing is self._kept:
            return Kept(calls)
        self._kept = self._standing
        return Kept(calls, self._standing.dump())

    @property
    def _now(self) -> Loaded:
        if self._loaded is None:
            raise RuntimeError("the moment was not loaded")
        return self._loaded
