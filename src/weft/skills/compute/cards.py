"""The 78 cards and the spreads they are laid in, in English and Chinese."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """One card; `key` stays the same for ever, since recorded draws hold it."""

    key: str
    name: str
    name_zh: str
    arcana: str
    suit: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a spread, and what a card there speaks of."""

    key: str
    name: str
    name_zh: str


@dataclass(frozen=True, slots=True)
class Spread:
    """How cards are laid."""

    key: str
    name: str
    name_zh: str
    places: tuple[Place, ...]


_MAJOR = (
    ("The Fool", "愚者"),
    ("The Magician", "魔术师"),
    ("The High Priestess", "女祭司"),
    ("The Empress", "女皇"),
    ("The Emperor", "皇帝"),
    ("The Hierophant", "教皇"),
    ("The Lovers", "恋人"),
    ("The Chariot", "战车"),
    ("Strength", "力量"),
    ("The Hermit", "隐士"),
    ("Wheel of Fortune", "命运之轮"),
    ("Justice", "正义"),
    ("The Hanged Man", "倒吊人"),
    ("Death", "死神"),
    ("Temperance", "节制"),
    ("The Devil", "恶魔"),
    ("The Tower", "高塔"),
    ("The Star", "星星"),
    ("The Moon", "月亮"),
    ("The Sun", "太阳"),
    ("Judgement", "审判"),
    ("The World", "世界"),
)
_SUITS = {"wands": "权杖", "cups": "圣杯", "swords": "宝剑", "pentacles": "星币"}
_RANKS = (
    ("Ace", "王牌"),
    ("Two", "二"),
    ("Three", "三"),
    ("Four", "四"),
    ("Five", "五"),
    ("Six", "六"),
    ("Seven", "七"),
    ("Eight", "八"),
    ("Nine", "九"),
    ("Ten", "十"),
    ("Page", "侍从"),
    ("Knight", "骑士"),
    ("Queen", "王后"),
    ("King", "国王"),
)


def _deck() -> tuple[Card, ...]:
    major = [Card(f"major-{number:02d}", name, zh, "major") for number, (name, zh) in enumerate(_MAJOR)]
    minor = [
        Card(f"{suit}-{number:02d}", f"{rank} of {suit.capitalize()}", f"{suit_zh}{rank_zh}", "minor", suit)
        for suit, suit_zh in _SUITS.items()
        for number, (rank, rank_zh) in enumerate(_RANKS, 1)
    ]
    return (*major, *minor)


DECK = _deck()


def _spread(key: str, name: str, name_zh: str, *places: tuple[str, str, str]) -> Spread:
    return Spread(key, name, name_zh, tuple(Place(*place) for place in places))


_MONTHS_ZH = "一二三四五六七八九十"
_SPREADS = (
    _spread("single", "Single card", "单张牌", ("answer", "The answer", "指引")),
    _spread(
        "three",
        "Past, present, future",
        "时间之流",
        ("past", "Past", "过去"),
        ("present", "Present", "现在"),
        ("future", "Future", "未来"),
    ),
    _spread(
        "choice",
        "Two ways",
        "二择一",
        ("now", "Where you stand", "现状"),
        ("first", "The first way", "选择一"),
        ("second", "The second way", "选择二"),
        ("first_end", "Where the first leads", "选择一的结果"),
        ("second_end", "Where the second leads", "选择二的结果"),
    ),
    _spread(
        "relationship",
        "Relationship",
        "关系牌阵",
        ("self", "You", "自己"),
        ("other", "The other", "对方"),
        ("bond", "What binds you", "连结"),
        ("obstacle", "What stands between", "阻碍"),
        ("advice", "Advice", "建议"),
        ("outcome", "Where it leads", "走向"),
    ),
    _spread(
        "horseshoe",
        "Horseshoe",
        "马蹄铁牌阵",
        ("past", "Past", "过去"),
        ("present", "Present", "现在"),
        ("hidden", "What is hidden", "隐藏的影响"),
        ("obstacle", "Obstacle", "阻碍"),
        ("around", "Those around you", "周围环境"),
        ("advice", "Advice", "建议"),
        ("outcome", "Outcome", "结果"),
    ),
    _spread(
        "celtic_cross",
        "Celtic cross",
        "凯尔特十字",
        ("present", "The heart of the matter", "现状"),
        ("crossing", "What crosses it", "阻碍"),
        ("beneath", "What lies beneath", "根源"),
        ("past", "What passes", "过去"),
        ("above", "What you aim at", "目标"),
        ("future", "What comes", "未来"),
        ("self", "Yourself", "自己"),
        ("around", "Those around you", "环境"),
        ("hopes", "Hopes and fears", "希望与恐惧"),
        ("outcome", "Outcome", "结果"),
    ),
    _spread(
        "year",
        "The twelve months",
        "年运牌阵",
        *((f"month_{n}", f"Month {n}", f"第{'十' * (n > 10)}{_MONTHS_ZH[(n - 1) % 10]}个月") for n in range(1, 13)),
    ),
)
SPREADS = {spread.key: spread for spread in _SPREADS}
