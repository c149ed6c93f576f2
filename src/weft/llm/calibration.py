"""Learns from reported usage how far a count of tokens is off, for each model."""

from collections import OrderedDict, deque
from collections.abc import Mapping
from statistics import median
from typing import Any

from weft.kit.errors import InvalidError

REMEMBERED = 31  # observations a model
MODELS = 512
SETTLED = 3  # observations, from which on they are believed
SMALLEST = 64  # tokens; below it the frame of the messages hides the ratio
SLOWEST, STEEPEST = 0.25, 4.0  # no tokenizer is further off: what is, was not the same text


class Calibration:
    """A running ratio of reported to counted tokens for each model: the median of the newest observations.

    A median does not move for a prompt that was cut, retried or counted with an image; it follows within
    16 calls when a vendor changes its tokenizer.
    """

    def __init__(self) -> None:
        self._ratios: OrderedDict[str, deque[float]] = OrderedDict()

    def observe(self, model: str, counted: int, reported: int) -> None:
        """Note what was counted (uncorrected) for a prompt, and what the vendor reported for it."""
        if counted < SMALLEST or reported <= 0:
            return
        ratio = reported / counted
        if not SLOWEST <= ratio <= STEEPEST:
            return
        self._ratios.setdefault(model, deque(maxlen=REMEMBERED)).append(ratio)
        self._ratios.move_to_end(model)
        if len(self._ratios) > MODELS:
            self._ratios.popitem(last=False)

    def ratio(self, model: str) -> float:
        """What a count is multiplied by; 1 until enough has been seen."""
        seen = self._ratios.get(model)
        return median(seen) if seen is not None and len(seen) >= SETTLED else 1.0

    def corrected(self, model: str, counted: int) -> int:
        """The count as the vendor would probably report it."""
        return round(counted * self.ratio(model))

    def dump(self) -> dict[str, list[float]]:
        """All that was learned, as plain JSON."""
        return {model: [round(ratio, 4) for ratio in seen] for model, seen in self._ratios.items()}

    @classmethod
    def load(cls, dumped: Mapping[str, Any]) -> "Calibration":
        """The same again from `dump`; what is no observation is refused."""
        calibration = cls()
        for model, ratios in list(dumped.items())[-MODELS:]:
            if not isinstance(ratios, list) or not all(_plausible(ratio) for ratio in ratios):
                raise InvalidError(
                    f"{model}: expected a list of ratios from {SLOWEST} to {STEEPEST}, found {ratios!r}",
                    field=f"calibration.{model}",
                )
            calibration._ratios[model] = deque(map(float, ratios), maxlen=REMEMBERED)
        return calibration


def _plausible(ratio: Any) -> bool:
    return isinstance(ratio, int | float) and not isinstance(ratio, bool) and SLOWEST <= ratio <= STEEPEST
