"""A test call: it really calls, and is booked like any other."""

import time
from contextlib import aclosing
from typing import Annotated

from pydantic import Field

from weft.calls.schemas import CallView
from weft.calls.service import CallService
from weft.infra.errors import NoModelAvailableError
from weft.infra.shapes import Closed
from weft.kit.actor import Actor, Reach
from weft.kit.db import Database
from weft.kit.errors import ForbiddenError
from weft.kit.ids import new_id
from weft.kit.text import StorableText
from weft.llm.fold import Fold
from weft.llm.gateway import Gateway
from weft.llm.ports import Caller
from weft.llm.types import Finish, ModelCall

MESSAGE = "Say hello in one short sentence, in Chinese and in English."
CURRENCY = "CNY"


class TrialWish(Closed):
    """What to ask, and of which model."""

    model: Annotated[str, Field(min_length=1, max_length=200, examples=["default"])] = "default"
    message: Annotated[StorableText, Field(min_length=1, max_length=20_000, examples=[MESSAGE])] = MESSAGE
    max_output_tokens: Annotated[int, Field(ge=1, le=4096)] = 200


class TrialView(Closed):
    """What came of it: the answer, and every try as the ledger has it."""

    answer: str
    reasoning: str = ""
    finish: Finish
    first_token_ms: float | None = Field(default=None, examples=[450.2])
    total_ms: float = Field(examples=[1210.7])
    calls: list[CallView]


async def try_model(gateway: Gateway, database: Database, actor: Actor, wish: TrialWish) -> TrialView:
    """Call the model on behalf of the installation; what fails raises what any call would."""
    if actor.operator_reach is not Reach.INSTALLATION:
        raise ForbiddenError("a test call is the installation's: only an operator of the whole installation makes it")
    trial, fold, first = new_id(), Fold(), None
    call = ModelCall([{"role": "user", "content": wish.message}], max_output_tokens=wish.max_output_tokens)
    caller = Caller(CURRENCY, turn_id=trial, purpose="test")
    started = time.perf_counter()
    try:
        async with aclosing(gateway.stream(wish.model, call, caller)) as deltas:
            async for delta in deltas:
                if first is None and (delta.text or delta.reasoning or delta.tools):
                    first = time.perf_counter() - started
                fold.add(delta)
    except NoModelAvailableError as error:
        error.detail = str(error)  # with the reasons: this is the installation's operator
        raise
    total = time.perf_counter() - started
    async with database.transaction(actor, Reach.INSTALLATION) as tx:
        calls = await CallService(tx).of_turn(trial)
    answer = fold.completion()
    return TrialView(
        answer=answer.text,
        reasoning=answer.reasoning,
        finish=answer.finish,
        first_token_ms=None if first is None else round(first * 1000, 1),
        total_ms=round(total * 1000, 1),
        calls=calls,
    )
