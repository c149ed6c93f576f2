"""How stems and branches stand to each other: 合, 冲, 刑, 害, and the three that make a frame (三合)."""

from collections.abc import Iterator, Mapping
from itertools import combinations

from weft.skills.compute.ganzhi import BRANCHES, STEMS, Pillar

_STEM_BONDS = {"甲己": "土", "乙庚": "金", "丙辛": "水", "丁壬": "木", "戊癸": "火"}
_STEM_CLASHES = ("甲庚", "乙辛", "丙壬", "丁癸")
_BRANCH_BONDS = ("子丑", "寅亥", "卯戌", "辰酉", "巳申", "午未")
_HARMS = ("子未", "丑午", "寅巳", "卯辰", "申亥", "酉戌")
_PUNISHMENTS = ("子卯", "寅巳", "巳申", "寅申", "丑戌", "未戌", "丑未")
_SELF_PUNISHED = "辰午酉亥"
_FRAMES = {"申子辰": "水", "亥卯未": "木", "寅午戌": "火", "巳酉丑": "金"}


def relations(pillars: Mapping[str, Pillar]) -> list[str]:
    """Every relation among the named pillars, for example `year-day 子午冲`, in the order of the pillars."""
    found = [
        f"{first}-{second} {said}"
        for (first, one), (second, other) in combinations(pillars.items(), 2)
        for said in between(one, other)
    ]
    return [*found, *_frames(pillars)]


def across(ours: Mapping[str, Pillar], theirs: Mapping[str, Pillar]) -> list[str]:
    """The relations from one chart's pillars to another's, and none within either."""
    return [
        f"{first}-{second} {said}"
        for first, one in ours.items()
        for second, other in theirs.items()
        for said in between(one, other)
    ]


def between(one: Pillar, other: Pillar) -> Iterator[str]:
    """What two pillars are to each other."""
    stems, branches = _ordered(one.stem + other.stem, STEMS), _ordered(one.branch + other.branch, BRANCHES)
    if stems in _STEM_BONDS:
        yield f"{stems}合{_STEM_BONDS[stems]}"
    if stems in _STEM_CLASHES:
        yield f"{stems}冲"
    if branches in _BRANCH_BONDS:
        yield f"{branches}合"
    if BRANCHES.index(branches[1]) - BRANCHES.index(branches[0]) == 6:
        yield f"{branches}冲"
    if branches in _PUNISHMENTS:
        yield f"{branches}刑"
    if branches[0] == branches[1] and branches[0] in _SELF_PUNISHED:
        yield f"{branches}自刑"
    if branches in _HARMS:
        yield f"{branches}害"


def _frames(pillars: Mapping[str, Pillar]) -> Iterator[str]:
    there = {pillar.branch for pillar in pillars.values()}
    yield from (f"{frame}三合{element}" for frame, element in _FRAMES.items() if there.issuperset(frame))


def _ordered(pair: str, order: str) -> str:
    return "".join(sorted(pair, key=order.index))
