"""`weft chat`: at a real terminal, with a vendor over real HTTP."""

import asyncio
import json
import re
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from tests.cli.conftest import Weft
from tests.cli.terminal import BACKSPACE, CHINESE, CTRL_C, CTRL_D, CTRL_U, ENGLISH, TAB, at_a_terminal
from weft.cli.widths import width
from weft.llm.scripted import Answer, Refusal, ScriptedVendor
from weft.llm.types import ToolRequest

PROMPT = "› "
EDITOR = """
import pathlib, sys
path = pathlib.Path(sys.argv[1])
mark = pathlib.Path(__file__).with_suffix(".once")
path.write_text('{"path": "second.md", "content": "y"}' if mark.exists() else "oops")
mark.touch()
"""
TIDES = """
from weft.tools.tool import Effect, Tool, ToolInput, ToolResult

class Asked(ToolInput):
    port: str

class Tides(Tool):
    name = "tides"
    description = "When the water is high in a port, e.g. Qingdao."
    effect = Effect.READ
    input = Asked
    async def run(self, state):
        return ToolResult.of({"port": self.arguments(state).port, "high": "12:00"})

def make(ports):
    return Tides()
"""
PRICED = {"input": "2", "cached_input": "0.2", "output": "3"}


@pytest.fixture
def vendor() -> Iterator[ScriptedVendor]:
    """A vendor that says what the test tells it, and else the same."""
    with ScriptedVendor(default=Answer("It is done.")) as vendor:
        yield vendor


@pytest.fixture
def settings(settings_of_tests: dict[str, str], vendor: ScriptedVendor) -> dict[str, str]:
    """What a chat is started with."""
    return settings_of_tests | {"WEFT_LLM_BASE_URL": vendor.base_url, "WEFT_LLM_MODEL": "scripted"}


def calls(name: str, **arguments: Any) -> Answer:
    """An answer that is a tool call."""
    return Answer(tool_calls=(ToolRequest(f"call_{uuid4().hex[:8]}", name, json.dumps(arguments)),))


def session_in(shown: str) -> str:
    """The conversation that the last line names."""
    found = re.findall(r"--session ([0-9a-f-]{36})", shown)
    assert found, shown
    return str(found[-1])


def test_a_conversation_with_a_tool_and_its_costs(
    settings: dict[str, str], vendor: ScriptedVendor, process: Weft
) -> None:
    """SURF-5: words as they come, tools and what became of them, costs that are the ledger's."""
    priced = [f"{name}={value}" for name, value in PRICED.items()]
    process(
        "infra",
        "prices",
        "set",
        "env/scripted",
        "currency=CNY",
        "valid_from=2026-01-01",
        *priced,
        "source=test",
        **settings,
    )
    with at_a_terminal("chat", **settings, **ENGLISH) as terminal:
        terminal.wait_for("model env/scripted")
        terminal.wait_for(PROMPT)
        vendor.enqueue(Answer("早上好！ How are you today?", gap=0.05))
        terminal.type("good morning")
        terminal.wait_for("早上好！")
        assert "today" not in terminal.shown
        terminal.wait_for("today?")
        terminal.wait_for("1 call · ")
        terminal.wait_for(PROMPT)

        vendor.enqueue(calls("use_skill", skill="tarot"), Answer("Let us draw."))
        terminal.type("I wonder what my cards say")
        terminal.wait_for("✓ use_skill status=activated · skill=tarot")
        terminal.wait_for("◆ skill: tarot")
        terminal.wait_for(PROMPT)

        vendor.enqueue(calls("list_dir", path="."), Answer("Nothing is there yet."))
        terminal.type("what files do I have?")
        terminal.wait_for("→ list_dir path=.")
        terminal.wait_for("✓ list_dir")
        terminal.wait_for("Nothing is there yet.")
        terminal.wait_for(PROMPT)

        terminal.type("/cost")
        terminal.wait_for("scripted ")
        terminal.wait_for(PROMPT)
        cost = terminal.shown.rpartition("/cost")[2]
        terminal.type("/context")
        terminal.wait_for("user_context")
        terminal.wait_for("weft context show ")
        terminal.type("/history")
        terminal.wait_for("Weft  → use_skill skill=tarot")
        terminal.wait_for("Weft  ✓ use_skill status=activated · skill=tarot")
        terminal.wait_for("what files do I have?")
        terminal.type("/quit")
        terminal.ends()
    session = session_in(terminal.shown)
    (total,) = process("sessions", "show", session, "--json", **settings).json()["usage"]["totals"]
    shown = re.search(r"(\d+) calls · ([\d,]+) in .*· (\d+) out · ¥([\d.]+)", cost)
    assert shown is not None, cost
    counted = (int(shown[1]), int(shown[2].replace(",", "")), int(shown[3]))
    assert counted == (total["calls"], total["input_tokens"], total["output_tokens"])
    assert float(shown[4]) == pytest.approx(float(total["cost"]), abs=5e-7)
    assert float(shown[4]) > 0


def test_approvals_are_asked_for_and_edited(settings: dict[str, str], vendor: ScriptedVendor, tmp_path: Path) -> None:
    """TOOL-3: no tool runs before somebody said so: y, n and why, e for other arguments; Ctrl-D leaves it open."""
    files = tmp_path / "home" / "workspaces"
    with at_a_terminal("chat", **settings, **ENGLISH) as terminal:
        terminal.wait_for(PROMPT)
        vendor.enqueue(calls("write_file", path="notes/a.md", content="one\ntwo"))
        terminal.type("write that down")
        terminal.wait_for("write_file needs your word")
        terminal.wait_for("path     notes/a.md")
        terminal.wait_for("allow it?")
        assert not list(files.rglob("a.md"))
        terminal.type("perhaps")
        terminal.wait_for("y, n or e")
        terminal.type("y")
        terminal.wait_for("✓ write_file created notes/a.md")
        terminal.wait_for("It is done.")
        terminal.wait_for(PROMPT)
        assert [each.read_text() for each in files.rglob("a.md")] == ["one\ntwo"]

        vendor.enqueue(calls("write_file", path="notes/b.md", content="no"))
        terminal.type("and this")
        terminal.wait_for("allow it?")
        terminal.type("n I do not want it")
        terminal.wait_for("– write_file")
        terminal.wait_for(PROMPT)
        assert not list(files.rglob("b.md"))

        vendor.enqueue(calls("write_file", path="notes/c.md", content="draft"))
        terminal.type("and that")
        terminal.wait_for("allow it?")
        terminal.type("e")
        terminal.wait_for('arguments (JSON): {"path":"notes/c.md","content":"draft"}')
        terminal.type(BACKSPACE * len('draft"}') + 'better, 更好"}')
        terminal.wait_for("✓ write_file created notes/c.md")
        terminal.wait_for(PROMPT)
        assert [each.read_text() for each in files.rglob("c.md")] == ["better, 更好"]

        vendor.enqueue(calls("write_file", path="notes/d.md", content="later"))
        terminal.type("and one more")
        terminal.wait_for("allow it?")
        terminal.type(CTRL_D, end="")
        terminal.wait_for("it still waits for your word")
        terminal.type("/quit")
        terminal.ends()
    with at_a_terminal("chat", "--session", session_in(terminal.shown), **settings, **ENGLISH) as terminal:
        terminal.wait_for("still under way")
        terminal.wait_for("write_file needs your word")
        terminal.wait_for("allow it?")
        terminal.type("e")
        terminal.wait_for("arguments (JSON): ")
        terminal.type(CTRL_U + '{"path": 7}')
        terminal.wait_for("'content' is a required property")
        terminal.wait_for("allow it?")
        terminal.type("y")
        terminal.wait_for("✓ write_file created notes/d.md")
        terminal.wait_for(PROMPT)
        terminal.type(CTRL_D, end="")
        terminal.ends()


def test_a_word_that_comes_too_late_is_told_so(
    settings: dict[str, str], vendor: ScriptedVendor, tmp_path: Path
) -> None:
    """TOOL-3: what was open until a moment ago is not allowed any more; the run goes on, and so does the chat."""
    with at_a_terminal("chat", **settings, **ENGLISH) as terminal:
        terminal.wait_for(PROMPT)
        vendor.enqueue(calls("write_file", path="late.md", content="x"))
        terminal.type("write that down")
        terminal.wait_for("allow it?")
        run_out_of_time(settings["WEFT_DATABASE_URL"])
        terminal.type("y")
        terminal.wait_for("was open until")
        terminal.wait_for("– write_file")
        terminal.wait_for("It is done.")
        terminal.wait_for(PROMPT)
        terminal.type(CTRL_D, end="")
        terminal.ends()
    assert not list((tmp_path / "home" / "workspaces").rglob("late.md"))


def run_out_of_time(database: str) -> None:
    """Whatever waits for somebody's word has waited long enough."""

    async def let_it() -> None:
        connection = await asyncpg.connect(database)
        await connection.execute("UPDATE agent_approvals SET expires_at = created_at WHERE status = 'pending'")
        await connection.close()

    with ThreadPoolExecutor(1) as thread:  # this one's event loop is the tests' own
        thread.submit(asyncio.run, let_it()).result()


def test_an_editor_changes_arguments(settings: dict[str, str], vendor: ScriptedVendor, tmp_path: Path) -> None:
    """TOOL-3: in $EDITOR, where there is one; what is no JSON decides nothing."""
    editor = tmp_path / "editor"
    editor.write_text(f"#!{sys.executable}\n{EDITOR}")
    editor.chmod(0o755)
    with at_a_terminal("chat", "write it", **settings, **ENGLISH, EDITOR=str(editor)) as terminal:
        vendor.enqueue(calls("write_file", path="first.md", content="x"))
        terminal.wait_for("allow it?")
        terminal.type("e")
        terminal.wait_for("this is no JSON object")
        terminal.wait_for("allow it?")
        terminal.type("e")
        terminal.wait_for("✓ write_file created second.md")
        terminal.wait_for("It is done.")
        terminal.ends()
    assert [each.name for each in (tmp_path / "home" / "workspaces").rglob("*.md")] == ["second.md"]


def test_an_interrupt_ends_the_answer_and_not_the_chat(
    settings: dict[str, str], vendor: ScriptedVendor, process: Weft
) -> None:
    """Issue 5.9: Ctrl-C cancels the run, what was said is kept as incomplete, and at the prompt it leaves."""
    with at_a_terminal("chat", **settings, **ENGLISH) as terminal:
        terminal.wait_for(PROMPT)
        vendor.enqueue(Answer("It begins here. " + "And on and on. " * 400, gap=0.05))
        terminal.type("tell me a long story")
        terminal.wait_for("And on and on.")
        terminal.type(CTRL_C, end="")
        terminal.wait_for("stopped; what was said so far is kept")
        terminal.wait_for("1 call · ")
        terminal.wait_for(PROMPT)
        vendor.wait_settled()
        assert vendor.log[-1].disconnected
        vendor.enqueue(calls("write_file", path="f.md", content="x"))
        terminal.type("write it down")
        terminal.wait_for("allow it?")
        terminal.type(CTRL_C, end="")
        terminal.wait_for("stopped; what was said so far is kept")
        terminal.wait_for(PROMPT)
        vendor.enqueue(Answer("Gladly, something else."))
        terminal.type("something else")
        terminal.wait_for("Gladly, something else.")
        terminal.wait_for(PROMPT)
        terminal.type("half a thought", end="")
        terminal.wait_for("half a thought")
        terminal.type(CTRL_C, end="")
        terminal.wait_for(PROMPT)
        terminal.type(CTRL_C, end="")
        terminal.ends()
    found = process("sessions", "show", session_in(terminal.shown), "--json", **settings).json()
    answers = [each for each in found["messages"] if each["metadata"]["type"] == "assistant_output"]
    assert [each["metadata"]["incomplete"] for each in answers] == [True, False]
    assert answers[0]["content"].startswith("It begins here. And on")
    assert len(answers[0]["content"]) < 5_000
    assert [turn["run"]["status"] for turn in found["turns"]] == ["cancelled", "cancelled", "completed"]
    assert [tool["status"] for tool in found["turns"][1]["tools"]] == ["denied"]


def test_a_chat_in_chinese_fits_its_lines(settings: dict[str, str], vendor: ScriptedVendor) -> None:
    """SURF-5: in the language of the terminal; no line is wider than it, and none begins with a full stop."""
    elsewhere = {"COLUMNS": "80"}  # as a shell may have left it that was in a wider window
    with at_a_terminal("chat", columns=40, **settings, **CHINESE, **elsewhere) as terminal:
        terminal.wait_for("退出")
        terminal.wait_for(PROMPT)
        vendor.enqueue(Answer("小雨，你好。" * 30, reasoning="先想一想。"))
        terminal.type("你好")
        answer = terminal.wait_for("1 次调用 · 输入 ").partition("先想一想。")[2]
        lines = answer.strip().split("\n")
        assert len(lines) > 5
        assert all(20 < width(line) <= 40 for line in lines[:-2]), lines
        assert not any(line.startswith(("，", "。")) for line in lines)
        terminal.wait_for(PROMPT)
        for command, shown in (("/help", "/sessions [N]"), ("/skill", "zodiac"), ("/sessions", "/sessions 序号")):
            terminal.type(command)
            terminal.wait_for(shown)
            terminal.wait_for(PROMPT)
        terminal.type("/con" + TAB)
        terminal.wait_for("weft context show ")
        told = terminal.shown.partition("/help")[2].split("\n")
        assert [line for line in told if width(line) > 40 and "weft context show" not in line] == []
        terminal.type("/nonsense")
        terminal.wait_for("没有 /nonsense 这个命令")
        terminal.type("/skill nonsense")
        terminal.wait_for("没有这个技能（the skill 'nonsense'")
        terminal.wait_for(PROMPT)
        vendor.enqueue(*[Refusal(402)] * 9)
        terminal.type("再说一次")
        terminal.wait_for("失败：模型厂商的账户余额不足（")
        terminal.wait_for(PROMPT)
        terminal.signal(signal.SIGHUP)
        terminal.ends(128 + signal.SIGHUP)


def test_without_a_terminal_answers_and_what_surrounds_them_are_apart(
    settings: dict[str, str], vendor: ScriptedVendor, process: Weft
) -> None:
    """SURF-5: the answer alone on standard output; with --json, a line an event, as they are stored."""
    vendor.enqueue(Answer("一加一等于二。"))
    plain = process("chat", "一加一等于几？", **settings | ENGLISH)
    assert (plain.code, plain.out) == (0, "一加一等于二。\n")
    assert plain.err.startswith("  1 call · ")
    assert "\x1b" not in plain.err

    vendor.enqueue(calls("write_file", path="e.md", content="x"), Answer("Written."))
    told = process("chat", "--json", "write", **settings)
    assert told.code == 0
    lines = [json.loads(line) for line in told.out.splitlines()]
    assert {"type", "session_id", "run_id"} <= set.intersection(*(set(line) for line in lines))
    kinds = [line["type"] for line in lines]
    assert (kinds[0], kinds[1], kinds[-2], kinds[-1]) == ("accepted", "run_started", "run_finished", "spent")
    assert {"tool_called", "tool_ended", "text_grew", "call_made"} <= set(kinds)
    assert "".join(line["text"] for line in lines if line["type"] == "text_grew") == "Written."
    assert [line["seq"] for line in lines if "seq" in line] == sorted({line["seq"] for line in lines if "seq" in line})
    made = [line for line in lines if line["type"] == "call_made"]
    assert lines[-1]["turn"]["calls"] == len(made)
    assert lines[-1]["turn"]["input_tokens"] == sum(line["input_tokens"] for line in made)


def test_tools_of_others_are_there_as_they_are_on_the_server(
    settings: dict[str, str], vendor: ScriptedVendor, process: Weft, tmp_path: Path
) -> None:
    """TOOL-2: what is installed beside Weft under `weft.tools` is offered and carried out in the terminal too."""
    package = tmp_path / "plugin" / "weft_tides-1.0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: weft-tides\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[weft.tools]\ntides = weft_tides:make\n")
    (package.parent / "weft_tides.py").write_text(TIDES)
    vendor.enqueue(calls("tides", port="Qingdao"), Answer("High at noon."))
    told = process("chat", "When is high water?", **settings | ENGLISH, PYTHONPATH=str(package.parent))
    assert (told.code, told.out) == (0, "High at noon.\n")
    assert "→ tides port=Qingdao" in told.err
    assert "✓ tides" in told.err


def test_what_fails_or_is_not_there_is_told(settings: dict[str, str], vendor: ScriptedVendor, process: Weft) -> None:
    """DESIGN 4: in one line, exit code 1."""
    missing = str(uuid4())
    assert (
        process("chat", "hello", "--session", missing, **settings).refused() == f"weft: there is no session {missing}\n"
    )
    told = process("chat", "hello", "--session", missing, "--json", **settings)
    assert (told.code, json.loads(told.err)["code"]) == (1, "session_unknown")
    assert "whisper" in process("chat", "hello", "--voice", "whisper", **settings).refused()
    vendor.enqueue(Refusal(401))
    failed = process("chat", "hello", **settings | ENGLISH)
    assert (failed.code, failed.out) == (1, "")
    assert "failed: " in failed.err
    assert "chat.log" in failed.err
    with at_a_terminal("chat", "--session", missing, **settings, **ENGLISH) as terminal:
        terminal.wait_for(f"there is no session {missing}")
        terminal.ends(1)


def test_the_offline_model_answers_at_once_and_says_what_it_is(
    settings_of_tests: dict[str, str], tmp_path: Path
) -> None:
    """SURF-5: a fresh machine without any key or database."""
    given = {"WEFT_HOME": str(tmp_path / "fresh"), "LANG": "C.UTF-8"}
    with at_a_terminal("chat", **given) as terminal:
        terminal.wait_for("Weft 自带的离线模型")
        terminal.wait_for(PROMPT)
        terminal.type("hello")
        terminal.wait_for("[offline model]")
        terminal.wait_for(PROMPT)
        terminal.type("/new")
        terminal.wait_for(PROMPT)
        terminal.type("/sessions")
        terminal.wait_for("hello")
        terminal.wait_for(PROMPT)
        terminal.type("/sessions 1")
        terminal.wait_for("会话 ")
        terminal.wait_for(PROMPT)
        terminal.type("/skill tarot")
        terminal.wait_for("启用：tarot")
        terminal.wait_for(PROMPT)
        terminal.type("/quit")
        terminal.ends()
    assert "warning" not in terminal.shown, "no log disturbs the terminal"
    assert oct((tmp_path / "fresh" / "chat_history").stat().st_mode)[-3:] == "600"
