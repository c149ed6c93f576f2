"""What the terminal itself says in a chat: a language that leaves something out is no `Words`."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """All of it in one language."""

    starting: str
    talks_to: str
    goes_on: str
    hints: str
    offline: str
    prompt_more: str
    thinking: str
    working: str
    writing: str
    running: str
    stopping: str
    can_stop: str
    skill: str
    scenario: str
    no_skill: str
    succeeded: str
    failed: str
    denied: str
    unknown: str
    expired: str
    wants: str
    allow: str
    say_y_n_e: str
    edit_inline: str
    not_json: str
    left_waiting: str
    stopped: str
    broke_off: str
    run_failed: str
    interrupted: str
    rejoined: str
    one_call: str
    calls: str
    tokens_in: str
    cached: str
    tokens_out: str
    seconds: str
    total: str
    unpriced: str
    unpriced_calls: str
    estimated: str
    nothing_spent: str
    context_head: str
    context_cache: str
    context_columns: tuple[str, ...]
    block_cached: str
    block_partly: str
    block_new: str
    block_left_out: str
    block_shortened: str
    context_more: str
    no_call: str
    cost_columns: tuple[str, ...]
    skill_missing: str
    skill_next: str
    skill_none: str
    session_columns: tuple[str, ...]
    no_sessions: str
    which_session: str
    new_session: str
    nothing_said: str
    you: str
    no_command: str
    bye: str
    help: tuple[tuple[str, str], ...]
    help_more: str
    problems: Mapping[str, str]  # by the code of an error; where there is none, the error's own words must do

    def explained(self, code: str, detail: str) -> str:
        """What went wrong, in this language as far as it goes; the error's own words say the rest."""
        said = self.problems.get(code)
        return detail if said is None else f"{said}（{detail}）"
