"""The computations behind the shipped skills: pure functions, from what is known to a chart or a draw."""

from weft.skills.compute.bazi import BaziChart, bazi
from weft.skills.compute.birth import Birth, Place
from weft.skills.compute.errors import BirthDataError, ComputeOptionError, DrawRecordError
from weft.skills.compute.pillars import School
from weft.skills.compute.plain import plain
from weft.skills.compute.tarot import Draw, draw, verify
from weft.skills.compute.zodiac import ZodiacChart, zodiac

__all__ = [
    "BaziChart",
    "Birth",
    "BirthDataError",
    "ComputeOptionError",
    "Draw",
    "DrawRecordError",
    "Place",
    "School",
    "ZodiacChart",
    "bazi",
    "draw",
    "plain",
    "verify",
    "zodiac",
]
