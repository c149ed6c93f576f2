"""Finding lines that say what somebody looks for, in Chinese and in English: any case, any width, best first."""

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

MOST_TERMS = 24
_RUN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+|[^\W_]+")
_CHINESE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
# Words that stand in nearly every sentence find nothing; they count only where nothing else was asked for.
_COMMON_WORDS = """
a an and are at be did do does for from had has have how i in is it me my of on or that the this to was we were
what when where which who why with you your 的 了 是 我 你 他 她 在 和 有 什么 怎么 吗 呢 吧 就 都 也
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_WHOLE, _WORD, _PAIR = 6.0, 2.0, 1.0


def plain(text: str) -> str:
    """The text in one form: full width and composition made equal, small letters."""
    return unicodedata.normalize("NFKC", text).casefold()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: the whole of it, and its parts by how much each tells."""

    whole: str
    terms: tuple[tuple[str, float], ...]

    @classmethod
    def of(cls, query: str) -> "Wanted":
        """The parts of a query: words as they are, Chinese also in pairs of characters."""
        whole = " ".join(plain(query).split())
        terms: dict[str, float] = {}
        for run in _RUN.findall(whole):
            if run in _COMMON:
                continue
            terms[run] = _WORD + len(run) / 10
            if _CHINESE.match(run) and len(run) > 2:
                terms |= {pair: _PAIR for first, second in pairwise(run) if (pair := first + second) not in terms}
        terms = terms or dict.fromkeys(_RUN.findall(whole), _PAIR)
        return cls(whole, tuple(list(terms.items())[:MOST_TERMS]))

    def score(self, text: str) -> float:
        """How well a text says it; 0 where it says nothing of it."""
        return self.score_plain(plain(text))

    def score_plain(self, within: str) -> float:
        """The same of a text that is in plain form already."""
        found = sum(weight for term, weight in self.terms if term in within)
        return found + _WHOLE if found and self.whole in within else found
