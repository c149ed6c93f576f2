"""The sixty pairs: every one against lunar_python's tables, and ten gods by the rule itself."""

import pytest
from lunar_python import Solar

from weft.skills.compute.ganzhi import (
    BRANCHES,
    ELEMENTS,
    STEMS,
    TEN_GOD_NAMES,
    Pillar,
    is_yang,
    pillar_of,
    stem_element,
    ten_god,
)


def test_sixty_pairs_and_what_belongs_to_them() -> None:
    """SKILL-7"""
    for number in range(60):
        pillar = Pillar(number)
        # 2000-01-01 was 戊午, the 55th; lunar_python writes some sounds with another character.
        theirs = Solar.fromYmdHms(2000, 1, 1, 12, 0, 0).next((number - 54) % 60).getLunar().getEightChar()
        assert theirs.getDay() == pillar.name
        assert theirs.getDayNaYin().replace("砂", "沙").replace("沙石金", "沙中金")[-1] == pillar.nayin[-1]
        assert sorted(theirs.getDayHideGan()) == sorted(pillar.hidden)
        assert theirs.getDayHideGan()[0] == pillar.hidden[0]
        assert theirs.getDayXunKong() == pillar.void
        assert pillar_of(STEMS.index(pillar.stem), BRANCHES.index(pillar.branch)) == pillar
    assert len({Pillar(number).nayin for number in range(60)}) == 30


def test_a_sound_s_element_ends_its_name() -> None:
    """SKILL-7"""
    assert {Pillar(number).nayin[-1] for number in range(60)} == set("木火土金水")


@pytest.mark.parametrize("own", STEMS)
def test_ten_gods_follow_from_elements_and_yin_and_yang(own: str) -> None:
    """SKILL-7"""
    assert ten_god(own, own) == "比肩"
    assert {ten_god(own, other) for other in STEMS} == set(TEN_GOD_NAMES)
    for other in STEMS:
        ahead = (ELEMENTS.index(stem_element(other)) - ELEMENTS.index(stem_element(own))) % 5
        same = is_yang(own) == is_yang(other)
        wanted = {
            0: ("比肩", "劫财"),
            1: ("食神", "伤官"),
            2: ("偏财", "正财"),
            3: ("七杀", "正官"),
            4: ("偏印", "正印"),
        }[ahead][not same]
        assert ten_god(own, other) == wanted


def test_steps_go_round() -> None:
    """SKILL-7"""
    assert Pillar(59).step(1) == Pillar(0)
    assert Pillar(0).step(-1).name == "癸亥"
