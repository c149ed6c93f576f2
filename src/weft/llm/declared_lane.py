"""Chat models that answer in a structure of their own: asked for the whole answer, read as they declare (INFRA-2)."""

from collections.abc import AsyncGenerator

import httpx

from weft.llm.answers import parsed
from weft.llm.exchange import check_target, opened, transport_problem, whole_body
from weft.llm.request import request_body
from weft.llm.structure_reading import read_chat
from weft.llm.structure_types import ChatStructure
from weft.llm.types import Delta, ModelCall, Target, ToolDelta
from weft.llm.watch import Watch


async def stream(target: Target, call: ModelCall, structure: ChatStructure) -> AsyncGenerator[Delta, None]:
    """Call a model and give its whole answer as one delta: where its pieces would stand, nobody has declared."""
    check_target(target)
    body = request_body(target, call, stream=False)
    try:
        with Watch(target.timeouts.first):
            async with opened(target, body) as response:
                answer = await whole_body(response, target)
    except (httpx.HTTPError, httpx.StreamError, TimeoutError) as error:
        raise transport_problem(target, error) from None
    made = read_chat(structure, parsed(target, answer), target)
    yield Delta(
        text=made.text,
        reasoning=made.reasoning,
        tools=tuple(ToolDelta(index, each.id, each.name, each.arguments) for index, each in enumerate(made.tool_calls)),
        usage=made.usage,
        finish=made.finish,
    )
