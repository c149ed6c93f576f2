"""A stage's answer held against its contract: repaired once, told what is wrong, and then the turn fails (FLOW-3)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from weft.llm.contract import ContractError, read_contract
from weft.llm.tolerant_json import objects_in
from weft.nodes.asking import Answer, ask
from weft.nodes.handing_on import raw_row
from weft.nodes.hearing import spelled_name
from weft.nodes.turn import Shape, Turn

_NOTHING: Mapping[str, Any] = {}


async def ask_to_contract(
    turn: Turn,
    task: str,
    shape: type[Shape],
    found: Mapping[str, Any] = _NOTHING,
    only_if: tuple[str, str] | None = None,
) -> tuple[Answer, Shape | None]:
    """The answer, and its result; none where it is tool calls or plain words, which are never off contract.

    What was shown is never asked for again. JSON that is no try at the contract is what the user may have asked for:
    it is plain words, if the model says so twice.
    """
    contract = turn.contract(task, shape)
    answer = await ask(turn, task, found, only_if=only_if)
    problem = _problem(turn, answer, contract)
    if problem is not None and turn.asked_models < turn.limits.calls:
        first, told = answer, {"your_last_answer": answer.completion.text[:2_000], "problem": problem.detail}
        turn.book([raw_row(first, task, "off_contract")])
        answer = await ask(turn, task, {**found, **told}, only_if=only_if)
        answer = replace(answer, usage=first.usage + answer.usage)
        problem = _problem(turn, answer, contract)
    if problem is not None and not _is_plain(answer, contract):
        raise problem
    return answer, _result(answer, contract)


def _problem(turn: Turn, answer: Answer, contract: type[BaseModel]) -> ContractError | None:
    """What is wrong with an answer of which nothing was shown."""
    if answer.requests or answer.speech is not None:
        return None
    if not answer.is_json:
        return ContractError("$", "an answer in words, or tool calls", "nothing", raw="")
    try:
        read_contract(contract, answer.completion.text)
    except ContractError as error:
        return _no_tool(turn, answer.completion.text) or error
    return None


def _no_tool(turn: Turn, text: str) -> ContractError | None:
    """What is wrong where it spells a call of something that is no tool, such as an expert's name."""
    if (name := spelled_name(text)) is None:
        return None
    tools = ", ".join(sorted(turn.tools.names))
    return ContractError("$.name", f"a tool ({tools}; for an expert use_skill), or words", name[:128], raw=text)


def _is_plain(answer: Answer, contract: type[BaseModel]) -> bool:
    text, fields = answer.completion.text, set(contract.model_fields)
    return bool(text.strip()) and not any(fields & set(each) for each in objects_in(text))


def _result(answer: Answer, contract: type[Shape]) -> Shape | None:
    if not answer.is_json:
        return None
    try:
        return read_contract(contract, answer.completion.text)
    except ContractError:
        return None
