"""The models of a turn: which one each kind of agent has, and how it is called."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from weft.context.stages import AgentType
from weft.llm.gateway import Gateway
from weft.llm.ports import Caller, Candidate, ModelCard
from weft.llm.types import Completion, Delta, ModelCall, Usage
from weft.nodes.ports import CallSeen


@dataclass(slots=True)
class Models:
    """Calls models on behalf of one turn."""

    gateway: Gateway
    names: Mapping[AgentType, str]
    caller: Caller

    async def card(self, agent: AgentType) -> ModelCard:
        """The model that an agent of this kind would get now."""
        return await self.gateway.card(self.names[agent], self.caller)

    def estimated(self, card: ModelCard, call: ModelCall, completion: Completion) -> Usage:
        """What a call may have used of which the vendor reports nothing."""
        count = self.gateway.counter
        said = "".join([completion.text, completion.reasoning, *(each.arguments for each in completion.tool_calls)])
        return Usage(
            input=count.count_messages(card.name, call.messages, call.tools), output=count.count(card.name, said)
        )

    def stream(
        self, agent: AgentType, purpose: str, call: ModelCall, seen: list[CallSeen]
    ) -> AsyncGenerator[Delta, None]:
        """Call it; each try is added to those seen, before it is sent."""

        def on_call(call_id: UUID, candidate: Candidate) -> None:
            seen.append(CallSeen(call_id, purpose, candidate.card.name, call.messages))

        caller = replace(self.caller, purpose=purpose)
        return self.gateway.stream(self.names[agent], call, caller, on_call=on_call)
