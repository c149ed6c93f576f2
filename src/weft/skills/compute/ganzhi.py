"""Stems, branches and what follows from them: elements, hidden stems, ten gods, nayin."""

from dataclasses import dataclass

STEMS = "甲乙丙丁戊己庚辛壬癸"
BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
ELEMENTS = ("wood", "fire", "earth", "metal", "water")
ELEMENT_NAMES = {"wood": "木", "fire": "火", "earth": "土", "metal": "金", "water": "水"}
ANIMALS = "鼠牛虎兔龙蛇马羊猴鸡狗猪"

STEM_PINYIN = ("jia", "yi", "bing", "ding", "wu", "ji", "geng", "xin", "ren", "gui")
BRANCH_PINYIN = ("zi", "chou", "yin", "mao", "chen", "si", "wu", "wei", "shen", "you", "xu", "hai")
_BRANCH_ELEMENTS = (4, 2, 0, 0, 2, 1, 1, 2, 3, 3, 2, 4)

# The main one first: it gives the branch its ten god.
_HIDDEN = ("癸", "己癸辛", "甲丙戊", "乙", "戊乙癸", "丙庚戊", "丁己", "己丁乙", "庚壬戊", "辛", "戊辛丁", "壬甲")

# Three characters for each two pairs.
_NAYIN = (
    "海中金炉中火大林木路旁土剑锋金山头火涧下水城头土白蜡金杨柳木泉中水屋上土霹雳火松柏木长流水"
    "沙中金山下火平地木壁上土金箔金覆灯火天河水大驿土钗钏金桑柘木大溪水沙中土天上火石榴木大海水"
)

# By how the other's element stands to the day's (same, born of it, overcome by it, overcoming it, bearing it),
# first where yin and yang are the same, then where they differ.
_TEN_GODS = (("比肩", "劫财"), ("食神", "伤官"), ("偏财", "正财"), ("七杀", "正官"), ("偏印", "正印"))
TEN_GOD_NAMES = {
    "比肩": "Friend",
    "劫财": "Rob Wealth",
    "食神": "Eating God",
    "伤官": "Hurting Officer",
    "偏财": "Indirect Wealth",
    "正财": "Direct Wealth",
    "七杀": "Seven Killings",
    "正官": "Direct Officer",
    "偏印": "Indirect Resource",
    "正印": "Direct Resource",
}


@dataclass(frozen=True, slots=True, order=True)
class Pillar:
    """One of the sixty pairs of a stem and a branch, 甲子 being number 0."""

    number: int

    @property
    def stem(self) -> str:
        """The heavenly stem."""
        return STEMS[self.number % 10]

    @property
    def branch(self) -> str:
        """The earthly branch."""
        return BRANCHES[self.number % 12]

    @property
    def name(self) -> str:
        """Stem and branch, as they are written."""
        return self.stem + self.branch

    @property
    def pinyin(self) -> str:
        """Stem and branch, as they are said."""
        return f"{STEM_PINYIN[self.number % 10]} {BRANCH_PINYIN[self.number % 12]}"

    @property
    def nayin(self) -> str:
        """The sound element of the pair."""
        first = self.number // 2 * 3
        return _NAYIN[first : first + 3]

    @property
    def hidden(self) -> str:
        """The stems hidden in the branch, the main one first."""
        return _HIDDEN[self.number % 12]

    @property
    def void(self) -> str:
        """The two branches that this pair's ten leave out (空亡)."""
        first = (self.number - self.number % 10 - 2) % 12
        return BRANCHES[first : first + 2]

    def step(self, steps: int) -> "Pillar":
        """The pair so many steps later."""
        return Pillar((self.number + steps) % 60)


def pillar_of(stem: int, branch: int) -> Pillar:
    """The pair of a stem and a branch by their places; both are even or both odd."""
    return Pillar((6 * stem - 5 * branch) % 60)


def stem_element(stem: str) -> str:
    """The element of a stem."""
    return ELEMENTS[STEMS.index(stem) // 2]


def branch_element(branch: str) -> str:
    """The element of a branch."""
    return ELEMENTS[_BRANCH_ELEMENTS[BRANCHES.index(branch)]]


def is_yang(stem: str) -> bool:
    """Whether a stem is yang."""
    return STEMS.index(stem) % 2 == 0


def ten_god(day_stem: str, other: str) -> str:
    """What another stem is to the day's stem."""
    own, its = STEMS.index(day_stem), STEMS.index(other)
    return _TEN_GODS[(its // 2 - own // 2) % 5][(its - own) % 2]
