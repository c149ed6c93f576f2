"""What a chat does besides talking: lines that begin with a slash."""

from collections.abc import Callable, Mapping, Sequence
from uuid import UUID

from weft.calls.schemas import GroupBy
from weft.cli.chat_briefs import MARKS, asked, error, given
from weft.cli.chat_looks import Looks
from weft.cli.chat_paper import Paper
from weft.cli.chat_tables import show_context, show_costs, show_sessions, show_skills
from weft.cli.chat_talk import Talk
from weft.cli.chat_words import Words
from weft.cli.widths import cut, harmless, padded, width
from weft.context.situation import CORE
from weft.sessions.metadata import AssistantOutput, ToolCallMade, ToolResultGiven, UserInput
from weft.sessions.schemas import MessageView, SessionView
from weft.skills.activation import choosable, usable

_HISTORY, _SESSIONS, _MOST = 20, 15, 500  # lines, where no number is given; and the most
_LAST = 4  # messages that remind of a conversation that goes on
_QUIT = ("/quit", "/exit")


class Commands:
    """Does them; the talk goes on as they leave it."""

    def __init__(self, talk: Talk, looks: Looks, paper: Paper, words: Words) -> None:
        self._talk, self._looks, self._paper, self._words = talk, looks, paper, words
        self._listed: Sequence[SessionView] = ()
        self._skills: tuple[str, ...] = ()
        self.leaving = False
        self._known: Mapping[str, Callable[[str], None]] = {
            "/skill": self._skill,
            "/context": self._context,
            "/cost": self._cost,
            "/history": self._history,
            "/new": self._new,
            "/sessions": self._sessions,
            "/help": self._help,
        }

    def complete(self, begun: str) -> Sequence[str]:
        """What a line that begins so may become."""
        named = [f"/skill {name}" for name in self._skills] if begun.startswith("/skill ") else []
        return [each for each in (*named, *self._known, _QUIT[0]) if begun and each.startswith(begun)]

    def do(self, line: str) -> None:
        """Do what the line says."""
        name, _, rest = line.strip().partition(" ")
        if name in _QUIT:
            self.leaving = True
        elif (command := self._known.get(name)) is not None:
            command(rest.strip())
        else:
            self._paper.line(self._words.no_command.format(command=cut(name, 40)), fg="yellow")

    def _skill(self, name: str) -> None:
        catalogue = self._looks.skills()
        self._skills = (*choosable(catalogue), CORE)
        if name:
            if name != CORE:
                usable(catalogue, name)
            self._talk.skill = name
            self._paper.line(self._words.skill_next.format(skill=name), dim=True)
            return
        session_id = self._talk.session_id
        active = self._talk.skill or (None if session_id is None else self._looks.session(session_id).skill)
        listed = [each for each in catalogue.skills.values() if each.name != CORE]
        show_skills(self._paper, self._words, listed, active)

    def _context(self, _rest: str) -> None:
        session_id = self._talk.session_id
        view = None if session_id is None else self._looks.last_context(session_id)
        if view is None:
            self._paper.line(self._words.no_call, dim=True)
        else:
            show_context(self._paper, self._words, view)

    def _cost(self, _rest: str) -> None:
        session_id = self._talk.session_id
        if session_id is None:
            self._paper.line(self._words.nothing_spent, dim=True)
            return
        total, by_model = (self._looks.usage(session_id, by) for by in (GroupBy.TOTAL, GroupBy.MODEL))
        show_costs(self._paper, self._words, total, by_model)

    def _history(self, rest: str) -> None:
        self._show_last(_number(rest) or _HISTORY)

    def _show_last(self, messages: int) -> None:
        session_id = self._talk.session_id
        said = [] if session_id is None else self._looks.said(session_id, messages)
        if not said:
            self._paper.line(self._words.nothing_said, dim=True)
        names = {"user": self._words.you, "assistant": "Weft", "tool": "Weft"}
        longest = max(map(width, names.values()))
        for message in said:
            head = padded(names[message.role], longest)
            text = cut(_told(message), self._paper.columns - longest - 2)
            self._paper.line(f"{self._paper.styled(head, fg='cyan')}  {text}")

    def _new(self, _rest: str) -> None:
        self._talk.session_id = None
        self._paper.line(self._words.new_session, dim=True)

    def _sessions(self, rest: str) -> None:
        number = _number(rest)
        if number is None:
            self._listed = self._looks.sessions(_SESSIONS)
            show_sessions(self._paper, self._words, self._listed, self._talk.session_id, self._looks.zone())
            return
        self._listed = self._listed or self._looks.sessions(_SESSIONS)
        if number > len(self._listed):
            self._paper.line(self._words.which_session, fg="yellow")
            return
        self.go_on(self._listed[number - 1].id)

    def go_on(self, session_id: UUID) -> None:
        """Go on with this conversation: say which it is, and see a turn through that is still under way."""
        session = self._looks.session(session_id)
        self._talk.session_id = session_id
        title = cut(session.title or self._words.nothing_said, 40)
        self._paper.line(self._words.goes_on.format(session=session_id, title=title), dim=True)
        run = self._looks.newest_run(session_id)
        if run is not None and run.ended_at is None:
            self._paper.line(self._words.rejoined, dim=True)
            self._talk.see_through(run)
        else:
            self._show_last(_LAST)

    def _help(self, _rest: str) -> None:
        longest = max(width(name) for name, _ in self._words.help)
        for name, what in self._words.help:
            self._paper.item(f"  {name}", what, longest)
        self._paper.paragraph(self._words.help_more, indent=2, dim=True)


def _told(message: MessageView) -> str:
    match message.metadata:
        case ToolCallMade() as call:
            return f"{message.content or ''} → {call.name} {asked(call.arguments)}".strip()
        case ToolResultGiven() as result:
            told = error if result.status == "failed" else given
            return f"{MARKS[result.status]} {result.name} {told(message.content or '')}"
        case AssistantOutput(incomplete=True):
            return f"{message.content or ''} …"
        case UserInput(attachments=files) if files:
            return f"{message.content or ''} [{', '.join(each.name for each in files)}]"
    return harmless(message.content or "")


def _number(text: str) -> int | None:
    return min(int(text), _MOST) if text.isdecimal() and int(text) > 0 else None
