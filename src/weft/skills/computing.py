"""What the tool `compute` does: a skill's computation for one user, short enough for a prompt, and what is to be kept.

Pure: it reads no table and writes none. The caller loads what is `Given` (`birth_info`, and `skill_data.<skill>` as
`kept`), shows `result` to the model, and stores `keep`, where there is one, as the whole of `skill_data.<skill>`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

import anyio.to_thread
from pydantic import ValidationError

from weft.skills.compute import told_bazi, told_tarot, told_zodiac
from weft.skills.compute.errors import ComputeOptionError, one_of
from weft.skills.compute.telling import Computed, Given, Options

_Chosen = TypeVar("_Chosen", bound=Options)
_Computation = Callable[[Given, Mapping[str, Any]], Computed]


def _computation(shape: type[_Chosen], tell: Callable[[Given, _Chosen], Computed]) -> _Computation:
    return lambda given, options: tell(given, _checked(shape, options))


COMPUTATIONS: Mapping[str, _Computation] = MappingProxyType(
    {
        told_bazi.TYPE: _computation(told_bazi.BaziOptions, told_bazi.tell),
        told_zodiac.TYPE: _computation(told_zodiac.ZodiacOptions, told_zodiac.tell),
        told_tarot.TYPE: _computation(told_tarot.TarotOptions, told_tarot.tell),
    }
)


async def compute(compute_type: str, options: Mapping[str, Any], given: Given) -> Computed:
    """The computation of this type, beside the event loop; what the model can put right is a `CallerError`."""
    one_of(compute_type, tuple(COMPUTATIONS), "compute_type")
    return await anyio.to_thread.run_sync(partial(COMPUTATIONS[compute_type], given, options))


def _checked(shape: type[_Chosen], options: Mapping[str, Any]) -> _Chosen:
    try:
        return shape.model_validate(dict(options))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, problem["loc"])) or "options"
        known = ", ".join(shape.model_fields)
        raise ComputeOptionError(f"{field}: {problem['msg']}; there are {known}", field=field) from None
