"""`search_history` and `remember`: what was said and happened, and what is kept for long."""

import pytest

from tests.people import People
from tests.sessions.conftest import answered, called, resulted, said
from tests.tools.conftest import Hand
from weft.kit.errors import CallerError


async def test_the_whole_past_is_searched(hand: Hand) -> None:
    """TOOL-2, WORK-1: texts of every conversation and HISTORY.md, in both languages, but not the turn that asks."""
    other = await hand.another_session()
    (old,) = await hand.says(said("我拿到了 Acme 的ＯＦＦＥＲ，要不要换工作"), session_id=other)
    await hand.says(answered("Let us look at the offer"))
    await hand.workspace.note("用户接受了 Acme 的 offer")
    await hand.says(said("find the acme offer"), turn_id=hand.run_id)
    found = (await hand.call("search_history", query="acme offer"))["found"]
    assert {"where": "memory/HISTORY.md", "text": found[1]["text"]} == found[1]
    assert found[1]["text"].endswith("用户接受了 Acme 的 offer")
    assert found[0]["message"] == str(old.id)
    assert found[0]["where"] == "user"
    assert found[0]["at"].startswith("20")
    assert not any("find the acme offer" in each["text"] for each in found)
    assert any(each["where"] == "assistant" for each in found)


async def test_nothing_found_is_said(hand: Hand) -> None:
    """TOOL-1: with what to try."""
    told = await hand.call("search_history", query="从来没说过")
    assert told == {"found": [], "hint": "nothing says that; try other or fewer words"}


async def test_a_long_text_is_an_excerpt_and_whole_on_demand(hand: Hand) -> None:
    """SKILL-11: the excerpt stands around what was looked for; the whole is read by its id, page by page."""
    text = "\n".join(["前面的话 " * 40] * 20 + ["我的猫叫团子"] + ["后面的话 " * 40] * 20)
    (message,) = await hand.says(said(text))
    (hit,) = (await hand.call("search_history", query="团子"))["found"]
    assert "我的猫叫团子" in hit["text"]
    assert len(hit["text"]) < 400
    page = await hand.call("search_history", message=hit["message"], line=15)
    assert page["message"] == str(message.id)
    assert page["lines"].startswith("15-")
    assert page["next_line"] > 15


async def test_a_shortened_result_can_be_read_whole(hand: Hand) -> None:
    """SKILL-11: a long tool result is shown with a pointer; this is what it points to."""
    messages = await hand.says(said("hi"), called("1"), resulted("1"))
    assert (await hand.call("search_history", message=str(messages[2].id)))["text"] == "ok"


@pytest.mark.parametrize("message", ["5", "0199f3c0-7e1d-7c55-9a43-0f6f1b2d3c4e", "../x"])
async def test_a_message_that_there_is_not_is_told(hand: Hand, message: str) -> None:
    """TOOL-1"""
    with pytest.raises(CallerError, match="message"):
        await hand.call("search_history", message=message)


async def test_nobody_finds_the_past_of_another(hand: Hand, people: People) -> None:
    """SEC-1: in the same business or in another, by words or by id."""
    (message,) = await hand.says(said("a secret wish"))
    await hand.workspace.note("a secret wish was told")
    for actor in (await people.user(hand.actor.business_id, "bob"), await people.user()):
        other = await hand.of(actor)
        assert (await other.call("search_history", query="secret wish"))["found"] == []
        with pytest.raises(CallerError):
            await other.call("search_history", message=str(message.id))


async def test_a_fact_is_remembered_once(hand: Hand) -> None:
    """TOOL-2: in MEMORY.md, which stands in the next prompt."""
    assert await hand.call("remember", fact="养了一只叫团子的猫", section="家人") == {"status": "remembered"}
    assert await hand.call("remember", fact="养了一只叫团子的猫。") == {"status": "already_known"}
    assert (await hand.workspace.prompt_files()).memory == "# Memory\n\n## 家人\n- 养了一只叫团子的猫"


@pytest.mark.parametrize(("fact", "error"), [("x" * 1001, "at most 1000"), (" \n", "is empty")])
async def test_a_fact_that_cannot_be_kept_is_told(hand: Hand, fact: str, error: str) -> None:
    """SEC-4"""
    with pytest.raises(CallerError, match=error):
        await hand.call("remember", fact=fact)
    assert await hand.workspace.list() == []
