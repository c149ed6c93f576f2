"""Finding the cases that fit what somebody says: an inverted index, ranked by BM25, telling why each one matched."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import log

from weft.skills.cases import Case
from weft.skills.synonyms import Synonyms, shipped
from weft.skills.words import characters_of, words_of

# What names a case says more of it than what tells it; `when` was written to be found.
_WEIGHTS = {"when": 3.0, "title": 2.5, "situation": 1.0, "advice": 0.4}
_SATURATION, _LENGTH = 1.2, 0.6  # BM25's k1 and b
_CONCEPT = 0.9  # a word of the same group
_CONCEPT_AND_WORD = 0.3  # where the case has the very word too, which counts by itself
_NOTHING: frozenset[str] = frozenset()
_MARK = "~"  # stands before the name of a group; no word begins so
_CHARACTER = 0.2  # one Chinese character, where a pair counts 1
_LEAST_SHARE = 0.45  # of the best score: what scores less shares a chance word, and costs its tokens in every call


@dataclass(frozen=True, slots=True, order=True)
class Why:
    """One reason for a match: what was asked, what the case says, and what it counted for."""

    weight: float
    asked: str
    says: str


@dataclass(frozen=True, slots=True)
class Match:
    """A case that fits, and why."""

    case: Case
    score: float
    why: tuple[Why, ...]  # the weightiest first


@dataclass(frozen=True, slots=True)
class _Indexed:
    case: Case
    terms: dict[str, float]  # how often, weighted by where
    length: float
    said: dict[str, str]  # the words by which a group was found


class CaseIndex:
    """The cases of one skill."""

    def __init__(self, cases: Iterable[Case] = (), synonyms: Synonyms | None = None) -> None:
        self._synonyms = shipped() if synonyms is None else synonyms
        self._cases: dict[str, _Indexed] = {}
        self._postings: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self._total = 0.0
        for case in cases:
            self.add(case)

    def __len__(self) -> int:
        return len(self._cases)

    def add(self, case: Case) -> None:
        """Make a case findable; one of the same id is replaced."""
        self.remove(case.id)
        terms: defaultdict[str, float] = defaultdict(float)
        said: dict[str, str] = {}
        length = 0.0
        for text, weight in _parts(case):
            for word in words_of(text):
                terms[word] += weight
                length += weight
            for character in characters_of(text):
                terms[character] += weight
            for concept in self._synonyms.find(text):
                terms[_MARK + concept.name] += weight
                said.setdefault(concept.name, concept.said)
        self._cases[case.id] = _Indexed(case, dict(terms), length, said)
        self._total += length
        for term, count in terms.items():
            self._postings[term][case.id] = count

    def remove(self, case_id: str) -> None:
        """Forget a case; forgetting one that is not there is no mistake."""
        if (indexed := self._cases.pop(case_id, None)) is None:
            return
        self._total -= indexed.length
        for term in indexed.terms:
            posting = self._postings[term]
            del posting[case_id]
            if not posting:
                del self._postings[term]

    def replace(self, cases: Iterable[Case]) -> None:
        """Hold exactly these cases; those that are the same are left alone."""
        wanted = {case.id: case for case in cases}
        for case_id in [each for each in self._cases if each not in wanted]:
            self.remove(case_id)
        for case_id, case in wanted.items():
            if case_id not in self._cases or self._cases[case_id].case != case:
                self.add(case)

    def match(self, text: str, limit: int = 5) -> list[Match]:
        """The cases that fit best, the best first; equal ones in the order of their ids."""
        asked, said = self._asked(text)
        said_words = {_MARK + name: frozenset(words_of(words)) for name, words in said.items()}
        reasons: defaultdict[str, list[Why]] = defaultdict(list)
        for term, weight in asked.items():
            for case_id, count in self._postings.get(term, {}).items():
                indexed = self._cases[case_id]
                twice = not said_words.get(term, _NOTHING).isdisjoint(indexed.terms)
                gained = (_CONCEPT_AND_WORD if twice else weight) * self._score(term, count, indexed.length)
                reasons[case_id].append(self._why(term, gained, case_id, said))
        matches = [self._match(case_id, why) for case_id, why in reasons.items()]
        matches.sort(key=lambda match: (-match.score, match.case.id))
        return [match for match in matches[:limit] if match.score >= matches[0].score * _LEAST_SHARE]

    def _asked(self, text: str) -> tuple[dict[str, float], dict[str, str]]:
        """The terms to look for, each with what it counts: a word said thrice counts little more than once."""
        asked = dict.fromkeys(characters_of(text), _CHARACTER)
        asked |= {word: 1 + log(count) for word, count in Counter(words_of(text)).items()}
        said: dict[str, str] = {}
        for concept in self._synonyms.find(text):
            said.setdefault(concept.name, concept.said)
        return asked | {_MARK + name: _CONCEPT for name in said}, said

    def _score(self, term: str, count: float, length: float) -> float:
        holding, number = len(self._postings[term]), len(self._cases)
        rarity = log(1 + (number - holding + 0.5) / (holding + 0.5))
        average = self._total / number or 1.0
        return rarity * count * (_SATURATION + 1) / (count + _SATURATION * (1 - _LENGTH + _LENGTH * length / average))

    def _why(self, term: str, weight: float, case_id: str, said: dict[str, str]) -> Why:
        name = term.removeprefix(_MARK)
        if name == term:
            return Why(weight, term, term)
        return Why(weight, said[name], self._cases[case_id].said[name])

    def _match(self, case_id: str, why: list[Why]) -> Match:
        ordered = sorted(why, key=lambda each: (-each.weight, each.asked, each.says))
        # Summed in a fixed order: the same question gives the same score in every process.
        return Match(self._cases[case_id].case, sum(each.weight for each in ordered), tuple(ordered))


def _parts(case: Case) -> Iterable[tuple[str, float]]:
    yield from ((phrase, _WEIGHTS["when"]) for phrase in case.when)
    yield from ((case.title, _WEIGHTS["title"]), (case.situation, _WEIGHTS["situation"]))
    yield case.advice, _WEIGHTS["advice"]
