"""What a chat says in Chinese of what goes wrong."""

from tests.docs.test_documents import _codes, _import_everything
from weft.cli.chat_chinese import CHINESE
from weft.cli.chat_english import ENGLISH
from weft.cli.chat_problems import CHINESE_PROBLEMS
from weft.kit.errors import WeftError


def test_it_explains_errors_that_there_are() -> None:
    """PRO-6: Weft's own texts and errors are in the language of the interface."""
    _import_everything()
    assert set(CHINESE_PROBLEMS) <= _codes(WeftError)


def test_the_errors_own_words_are_always_there() -> None:
    """DESIGN 4: an error says what, where, and what would be right, in whichever language."""
    assert CHINESE.explained("skill_not_found", "no 'x'; there are a, b") == "没有这个技能（no 'x'; there are a, b）"
    assert CHINESE.explained("of_a_plugin", "its words") == "its words"
    assert ENGLISH.explained("skill_not_found", "no 'x'") == "no 'x'"
