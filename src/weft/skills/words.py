"""The words of a text by which it is found: pairs of characters in Chinese, stems in English."""

import re
import unicodedata
from collections.abc import Iterator

_RUN = re.compile(r"[a-z0-9]+(?:['’][a-z]+)*|[\u3400-\u9fff\uf900-\ufaff]+|[^\W_]+")
_CHINESE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")

_STOP = frozenset(
    ["a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been", "before", "being", "but", "by", "can", "could", "did", "do", "does", "doing", "don", "down", "each", "even", "ever", "every", "few", "for", "from", "get", "getting", "go", "going", "got", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his", "how", "i", "if", "im", "in", "into", "is", "isn", "it", "its", "ive", "just", "keep", "know", "let", "like", "ll", "made", "make", "many", "me", "might", "more", "most", "much", "must", "my", "myself", "no", "not", "now", "of", "off", "on", "once", "one", "only", "or", "other", "our", "out", "over", "own", "please", "re", "really", "s", "same", "say", "should", "so", "some", "something", "still", "such", "t", "tell", "than", "that", "the", "their", "them", "then", "there", "these", "they", "thing", "this", "those", "through", "to", "too", "up", "us", "ve", "very", "want", "was", "way", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with", "won", "would", "you", "your", "yours"]
)
# Characters that carry grammar rather than meaning: a pair of two of them says nothing.
_EMPTY = frozenset(
    "的了吗呢吧啊呀嘛是在我你您他她它们这那哪个么什怎样为有没不也都就还又很太会能要想和与跟对把被让给从到上下里着过之其而且或但去来说看做点些得地好多少大小后前时候"
)
_EMPTY_PAIRS = frozenset(
    ["什么", "怎么", "为什", "怎样", "如何", "可以", "应该", "觉得", "知道", "现在", "时候", "一个", "一下", "一直", "自己", "有点", "是不", "不是", "因为", "所以", "但是", "如果", "还是", "已经", "请问", "帮我", "告诉", "么办", "该怎", "办法", "最近", "总是", "特别", "非常", "真的", "需要", "可能", "感觉", "很多", "一些", "这种", "那种", "这样", "那样", "东西", "事情"]
)
_SUFFIXES = (
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("ments", ""),
    ("ment", ""),
    ("ness", ""),
)
_VOWELS = frozenset("aeiouy")


def normal(text: str) -> str:
    """The text in one form: full width and composition made equal, small letters."""
    return unicodedata.normalize("NFKC", text).casefold()


def words_of(text: str) -> Iterator[str]:
    """The words of a text, one by one, those that mean nothing left out."""
    for run in _RUN.findall(normal(text)):
        if _CHINESE.match(run):
            yield from _pairs(run)
        else:
            word = re.sub(r"['’](?:s|m|t|re|ve|ll|d)$", "", run)
            if word not in _STOP and (len(word) > 1 or word.isdigit()):
                yield stem(word)


def stem(word: str) -> str:
    """What forms of an English word have in common; rough, and the same for a question and a case."""
    if not word.isascii() or len(word) <= 3 or not word.isalpha():
        return word
    word = _singular(word)
    for suffix, instead in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word.removesuffix(suffix) + instead
            break
    for suffix in ("ing", "ed", "ly"):
        rest = word.removesuffix(suffix)
        if rest != word and len(rest) >= 3 and not _VOWELS.isdisjoint(rest):
            doubled = suffix != "ly" and rest[-1] == rest[-2] and rest[-1] not in "aeiouls"
            word = rest[:-1] if doubled else rest
            break
    if len(word) > 3 and word[-1] in "ey":
        word = word[:-1]
    return word.removesuffix("i") if len(word) > 4 else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        if run not in _EMPTY:
            yield run
        return
    for first, second in zip(run, run[1:], strict=False):
        pair = first + second
        if pair not in _EMPTY_PAIRS and not (first in _EMPTY and second in _EMPTY):
            yield pair
