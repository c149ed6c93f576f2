"""Decides what the vendor says next: a queue, rules on words, a function, a default."""

from collections import deque
from collections.abc import Callable, Iterable

from weft.llm.scripted.answer import Answer, Refusal
from weft.llm.scripted.journal import Exchange

Reply = Answer | Refusal
Decide = Callable[[Exchange], Reply | None]

_EXHAUSTED = Refusal(500, b'{"error": {"message": "the script has no answer to this", "type": "script_error"}}')


class Script:
    """Asked in this order: the queue, the rules in the order they were given, the function, the default."""

    def __init__(self, answers: Iterable[Reply], default: Reply | None) -> None:
        self._queue: deque[Reply] = deque(answers)
        self._rules: list[tuple[str, Reply]] = []
        self._decide: Decide | None = None
        self._default = default

    def enqueue(self, *answers: Reply) -> None:
        """Give these to the next requests, one each."""
        self._queue.extend(answers)

    def when(self, words: str, answer: Reply) -> None:
        """Answer so whenever the newest user message contains the words, in any case of letters."""
        self._rules.append((words.lower(), answer))

    def decide_with(self, decide: Decide) -> None:
        """Ask this function; None leaves it to the default."""
        self._decide = decide

    def next(self, exchange: Exchange) -> Reply:
        """The answer to this request."""
        if self._queue:
            return self._queue.popleft()
        said = exchange.last_words.lower() if self._rules else ""
        for words, answer in self._rules:
            if words in said:
                return answer
        decided = self._decide(exchange) if self._decide else None
        return decided or self._default or _EXHAUSTED
