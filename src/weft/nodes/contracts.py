"""What the stages answer with (FLOW-3), validated: a route demands its payload, a failure its reason."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from weft.state.planning import PlanDraft

DIRECT, NEEDS = "DIRECT_EXECUTION", "NEEDS_EXECUTION"
_Long = Annotated[str, Field(max_length=20_000)]


class _Contract(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class FirstCall(_Contract):
    """A tool call that the intent already names."""

    name: Annotated[str, Field(min_length=1, max_length=64)]
    arguments: dict[str, Any] = {}


class IntentResult(_Contract):
    """Where the turn goes: answered at once, or to execution."""

    route: Literal["DIRECT_EXECUTION", "NEEDS_EXECUTION"]
    intent_summary: _Long = ""
    assistant_text: str | None = None
    execution_brief: _Long | None = None
    safety_flags: tuple[str, ...] = ()
    first_calls: tuple[FirstCall, ...] = ()

    @model_validator(mode="after")
    def _has_its_payload(self) -> Self:
        if self.route == DIRECT and not (self.assistant_text or "").strip():
            raise ValueError("DIRECT_EXECUTION needs assistant_text: the answer itself")
        if self.route == NEEDS and not (self.execution_brief or self.first_calls):
            raise ValueError("NEEDS_EXECUTION needs execution_brief: what is to be found out or done")
        return self


class Plan(PlanDraft):
    """What is to be done, as todos that name what they depend on."""


class ExecutionResult(_Contract):
    """What execution came to, for whoever words the answer."""

    status: Literal["SUCCESS", "PARTIAL", "FAILED"]
    execution_summary: _Long = ""
    execution_data: dict[str, Any] = {}
    report_brief: _Long = ""
    error_message: _Long | None = None

    @model_validator(mode="after")
    def _says_why(self) -> Self:
        if self.status == "FAILED" and not self.error_message:
            raise ValueError("FAILED needs error_message: what went wrong")
        return self


class Reflection(_Contract):
    """Whether the goal is reached, and what to do where it is not."""

    verdict: Literal["done", "continue", "give_up"]
    why: _Long = ""
    next_brief: _Long = ""


class OrganizationResult(_Contract):
    """The answer for the user."""

    assistant_text: Annotated[str, Field(min_length=1)]
    response_metadata: dict[str, Any] = {}


CONTRACTS: dict[str, type[BaseModel]] = {
    each.__name__: each for each in (IntentResult, Plan, ExecutionResult, Reflection, OrganizationResult)
}
