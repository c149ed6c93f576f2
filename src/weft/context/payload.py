"""What a model is sent in one stage of a turn: the one function that every prompt comes from."""

from collections.abc import Mapping, Sequence
from typing import Any

from weft.context.blocks import Block, Scope, Trust
from weft.context.compiling import Compiled, compile_context
from weft.context.gathering import blocks_of, recipe_of
from weft.context.manifest import Counter
from weft.context.prefix import Sent
from weft.context.revisions import Standing
from weft.context.situation import Situation
from weft.context.stages import OPENING, StageTexts, shipped_stages
from weft.context.window import History
from weft.llm.ports import ModelCard
from weft.llm.types import ToolSpec


def build_stage_prompt_payload(
    stage: str,
    situation: Situation,
    history: History,
    tools: Sequence[ToolSpec],
    card: ModelCard,
    counter: Counter,
    *,
    stages: StageTexts | None = None,
    stage_input: Mapping[str, Any] | None = None,
    last: Sent | None = None,
    standing: Standing | None = None,
) -> Compiled:
    """Compile the prompt of a stage, or of a node inside it, named as in `tasks.yaml`.

    The system prompt is the same for every stage of a turn (SAFE-3), the opening's instructions in it: a stage after it
    adds its own instructions and, as data, what the stages before it found.
    """
    texts = stages or shipped_stages()
    blocks = [*blocks_of(situation), texts.opening()]
    if stage != OPENING:
        blocks.append(texts.block(stage))
    if stage_input:
        blocks.append(_given(stage_input, card))
    recipe = recipe_of(situation).for_stage(stage)
    return compile_context(recipe, blocks, history, tools, card, counter, last=last, standing=standing)


def _given(values: Mapping[str, Any], card: ModelCard) -> Block:
    """What earlier stages found: other models wrote it, from what tools gave them.

    Beside the stage's instructions where these stand last; with the turn's data where they stand in the system text,
    which the turn's findings would otherwise rewrite from call to call.
    """
    scope = Scope.STAGE if card.abilities.late_system_message else Scope.TURN
    longest = max((key for key in values if isinstance(values[key], str)), key=lambda key: len(values[key]), default="")
    return Block("stage_input", "flow", Trust.EXTERNAL, scope, values, title="STAGE_INPUT", shrinks=longest)
