"""What the offline model says: short, about what it was told, and clear about what it is."""

import re
from collections.abc import Mapping
from typing import Any

from weft.llm.offline_scene import Scene, briefly
from weft.llm.offline_sums import sum_in
from weft.llm.types import ToolSpec

LABEL_CHINESE = "【离线模型】"
LABEL_ENGLISH = "[offline model] "

_GREETING = re.compile(
    r"^\W*(你好|您好|嗨|哈喽|早上好|晚上好|早安|hello|hi|hey|good (morning|evening|afternoon))", re.IGNORECASE
)
_THANKS = re.compile(r"谢谢|多谢|感谢|thank|thanks", re.IGNORECASE)
_BYE = re.compile(r"再见|拜拜|晚安|goodbye|\bbye\b|good night", re.IGNORECASE)
_WHO = re.compile(r"你是谁|你叫什么|你是什么|who are you|what are you|your name", re.IGNORECASE)
_ABLE = re.compile(r"你(能|会|可以)([为帮给]我)?(做|干)?(些|点)?(什么|啥)|what can you do|\bhelp\b", re.IGNORECASE)
_CLOCK = re.compile(
    r"几点|现在.{0,4}时间|今天(是)?(几号|星期几|周几)|what time|what('s| is) the (time|date)|what day", re.IGNORECASE
)
_QUESTION = re.compile(r"[?？]|吗|呢|什么|怎么|为什么|how|why|what|should|which", re.IGNORECASE)
_SHORT = 24


def talk(scene: Scene, tools: tuple[ToolSpec, ...] = ()) -> str:
    """An answer in the user's language, with a label at its head."""
    label = scene.say(LABEL_CHINESE, LABEL_ENGLISH)
    parts = (
        [_report(scene)]
        if scene.answers or scene.facts()
        else [_sum(scene) or _small_talk(scene, tools) or _echo(scene)]
    )
    if scene.pictures:
        pictures = scene.pictures
        parts.append(
            scene.say(
                f"（附了 {pictures} 张图片，我看不见图片。）", f"({pictures} picture(s) came along; I cannot see them.)"
            )
        )
    return label + scene.say("", " ").join(parts)


def _report(scene: Scene) -> str:
    facts = scene.facts()
    skill = facts.pop("use_skill", None)
    said = [_taken_on(scene, skill)] if isinstance(skill, Mapping) else []
    if facts or not said:
        said.append(
            scene.say(f"关于「{_quoted(scene)}」，得到的结果是：", f'On "{_quoted(scene)}", this is what was found:')
        )
    return "\n".join([*said, *(f"- {name}: {briefly(value)}" for name, value in facts.items())])


def _taken_on(scene: Scene, told: Mapping[str, Any]) -> str:
    """What became of an expert that was called in."""
    name, missing = told.get("skill"), told.get("missing")
    if name == "core":
        return scene.say("已离开技能，回到平常的对话。", "No expert is active any more; we talk as before.")
    if "status" not in told:
        return scene.say(f"技能没有启用：{briefly(told)}。", f"The skill was not taken up: {briefly(told)}.")
    if missing:
        return scene.say(
            f"技能 {name} 已启用，还缺少：{briefly(missing)}。真正的模型会在这里请你补上。",
            f"The skill {name} is active; {briefly(missing)} is missing. Here a real model would ask you for it.",
        )
    return scene.say(
        f"技能 {name} 已启用。真正的模型会从这里以它的身份回答。",
        f"The skill {name} is active. From here on a real model would answer as this expert.",
    )


def _sum(scene: Scene) -> str | None:
    found = sum_in(scene.words)
    return f"{found[0]} = {found[1]}" if found else None


def _small_talk(scene: Scene, tools: tuple[ToolSpec, ...]) -> str | None:
    words = scene.words
    if not words:
        return scene.say("你还没有说什么，想聊点什么？", "You have not said anything yet. What is on your mind?")
    if _WHO.search(words):
        return scene.say(
            "我是 Weft 自带的离线模型：不联网、不需要密钥，只按规则回答，供你试用各项功能。配置真正的模型后由它回答。",
            "I am the offline model that comes with Weft: no network, no key, answers by rules, so that everything can "
            "be tried. Register a real model and it will answer instead.",
        )
    if _ABLE.search(words):
        return _abilities(scene, tools)
    if _CLOCK.search(words):
        return scene.say("我没有时钟，不知道现在的时间。", "I have no clock, so I do not know the time.")
    if _THANKS.search(words) and len(words) < _SHORT:
        return scene.say("不客气。还有什么要试的吗？", "You are welcome. Is there anything else to try?")
    if _BYE.search(words) and len(words) < _SHORT:
        return scene.say("再见，随时回来。", "Goodbye, come back whenever you like.")
    if _GREETING.search(words) and len(words) < _SHORT:
        again = scene.say("又见面了，", "Good to hear from you again. ") if scene.earlier else ""
        return again + scene.say(
            "你好！想聊些什么，或者想试哪个功能？", "Hello! What would you like to talk about, or to try?"
        )
    return None


def _abilities(scene: Scene, tools: tuple[ToolSpec, ...]) -> str:
    names = ", ".join(tool.name for tool in tools)
    offered = scene.say(f"这次可用的工具有：{names}。", f"The tools at hand: {names}. ") if names else ""
    return scene.say(
        f"我能复述我的理解、做四则运算、按你的话调用工具并汇报结果。{offered}",
        f"I can say what I understood, work out sums, call tools when your words ask for it and report. {offered}",
    ).strip()


def _echo(scene: Scene) -> str:
    quoted = _quoted(scene)
    if _QUESTION.search(scene.words):
        said = scene.say(f"你问的是：「{quoted}」。", f'You ask: "{quoted}".')
        honest = scene.say("离线时我没有知识可以回答它，", "Offline I know nothing that would answer it; ")
    else:
        said = scene.say(f"我听到的是：「{quoted}」。", f'I hear: "{quoted}".')
        honest = scene.say("离线时我只能理解到这里，", "Offline this is as far as I understand; ")
    count = len(scene.earlier)
    before = scene.say(f"这之前你说过 {count} 次话。", f" You spoke {count} time(s) before.") if count else ""
    return (
        said
        + scene.say("", " ")
        + honest
        + scene.say("接上真正的模型后再问我一次。", "ask again with a real model.")
        + before
    )


def _quoted(scene: Scene) -> str:
    return briefly(" ".join(scene.words.split()), 160)
