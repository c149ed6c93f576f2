"""Works out a calculation that stands in somebody's words, without ever evaluating them as code."""

import re
from decimal import Decimal, DivisionByZero, InvalidOperation, localcontext

_SPOKEN = {
    "+": ("加上", "加", "plus"),
    "-": ("减去", "减", "minus"),
    "*": ("乘以", "乘", "times", "multiplied by", "×", "x"),
    "/": ("除以", "divided by", "÷"),
}
_OPERATORS = {said: sign for sign, ways in _SPOKEN.items() for said in ways}
_OPERATOR = re.compile(rf"(?<=[\d)\s])\s*({'|'.join(sorted(_OPERATORS, key=len, reverse=True))})\s*(?=[\d(-])")
_SUM = re.compile(r"(?<![\w.])[-(]*\d[\d.\s()+*/-]*[+*/-][\d.\s()+*/-]*[\d)]")
_SUM_TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?|[-+*/()])")
LONGEST_SUM = 200
LONGEST_WORDS = 600  # no calculation that people write stands further in


def sum_in(words: str) -> tuple[str, str] | None:
    """A calculation that stands in the words, and its result as people write it; None without one."""
    written = _OPERATOR.sub(lambda found: _OPERATORS[found[1]], words.lower()[:LONGEST_WORDS])
    found = _SUM.search(written)
    if found is None or len(found[0]) > LONGEST_SUM or _is_label(found[0]):
        return None
    expression = re.sub(r"\s+", "", found[0])
    try:
        with localcontext(prec=28):
            result = _Sum(expression).value()
    except (ValueError, InvalidOperation, DivisionByZero, RecursionError):
        return None
    plain = f"{result:f}"
    return expression, plain.rstrip("0").rstrip(".") if "." in plain else plain


class _Sum:
    """A calculation with + - * / and brackets, read from left to right."""

    def __init__(self, expression: str) -> None:
        self._tokens = _SUM_TOKEN.findall(expression)
        if "".join(self._tokens) != expression:
            raise ValueError(expression)

    def value(self) -> Decimal:
        """What it comes to; raises ValueError if it is none."""
        result = self._terms()
        if self._tokens:
            raise ValueError(self._tokens[0])
        return result

    def _terms(self) -> Decimal:
        result = self._factors()
        while self._tokens and self._tokens[0] in "+-":
            result += self._factors() if self._tokens.pop(0) == "+" else -self._factors()
        return result

    def _factors(self) -> Decimal:
        result = self._atom()
        while self._tokens and self._tokens[0] in "*/":
            result = result * self._atom() if self._tokens.pop(0) == "*" else result / self._atom()
        return result

    def _atom(self) -> Decimal:
        if not self._tokens:
            raise ValueError("it ends too soon")
        mark = self._tokens.pop(0)
        if mark == "-":
            return -self._atom()
        if mark != "(":
            return Decimal(mark)
        inner = self._terms()
        if not self._tokens or self._tokens.pop(0) != ")":
            raise ValueError("a bracket is open")
        return inner


def _is_label(text: str) -> bool:
    """Whether it is a date, a telephone number or the like."""
    return re.fullmatch(r"\s*(\d{4}[-/]\d{1,2}|\d+([-/]\d+){2,})\s*", text) is not None
