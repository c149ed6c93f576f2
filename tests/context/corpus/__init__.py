"""The corpus of SAFE-5: what is written into a field to be obeyed, in Chinese and in English."""

from tests.context.attacks import ATTACKS
from tests.context.corpus import disguise, structure, syntax, words

KINDS: dict[str, list[str]] = {
    "role play": words.ROLE_PLAY,
    "hidden tasks": words.HIDDEN_TASKS,
    "fake blocks": structure.FAKE_BLOCKS,
    "fake messages": structure.FAKE_MESSAGES,
    "fake tool results": structure.FAKE_TOOL_RESULTS,
    "break-outs": structure.BREAK_OUTS,
    "nested": structure.NESTED,
    "templates": syntax.TEMPLATES,
    "shell": syntax.SHELL,
    "markup": syntax.MARKUP,
    "chat tokens": syntax.CHAT_TOKENS,
    "lines": disguise.LINES,
    "invisible": disguise.INVISIBLE,
    "look-alikes": disguise.LOOK_ALIKES,
    "halves": disguise.HALVES,
    "outside": disguise.OUTSIDE,
    "terminal": disguise.TERMINAL,
    "long": disguise.LONG,
    "earlier": ATTACKS,
}
CORPUS: list[str] = list(dict.fromkeys(payload for kind in KINDS.values() for payload in kind))
