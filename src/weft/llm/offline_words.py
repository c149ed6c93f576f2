"""Understands words as far as can be without a model: their language, what they share with a text, what is in them."""

import re

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_LETTERS = re.compile(r"[A-Za-z]")
_ENGLISH_WORD = re.compile(r"[a-z][a-z']+")
_CHINESE_RUN = re.compile(r"[\u3400-\u9fff]+")
_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an the and or of to in on at is are be it its this that for with as by from you your i me my we us can "
        "could would should please will do does did not no if when what how who which have has had was were about "
        "one any all into there here so but than then them they he she his her just only some use used using user "
        "want need tell give get make let know like",
    )
)
_STOP_CHINESE = frozenset(
    re.findall(
        r"\w+", "我们 你们 他们 一个 一下 这个 那个 什么 怎么 可以 能不 不能 请你 请帮 帮我 我想 想要 现在 还是 用户"
    )
)
# What people say for what tools and skills are called, in both languages.
_HINTS: dict[str, tuple[str, ...]] = {
    "read": ("读", "打开", "看看", "open", "show"), "write": ("写", "create"), "edit": ("改", "change", "replace"),
    "list": ("列出", "目录", "有哪些", "有什么", "what files", "which files", "ls"),
    "search": ("搜", "查找", "查一查", "find", "look for"),
    "file": ("文件", "文档"), "dir": ("目录", "文件夹", "文件", "file", "folder", "directory"),
    "remember": ("记住", "记下", "别忘"),
    "memory": ("记忆", "记得"), "history": ("历史", "之前", "上次", "earlier", "last time"),
    "schedule": ("提醒", "定时", "每天", "每周", "remind", "every day", "every morning"),
    "weather": ("天气", "气温", "下雨", "rain", "temperature"), "compute": ("计算", "排盘", "起盘", "calculate"),
    "message": ("发消息", "通知", "转告", "send"), "save": ("保存", "存一下", "store"), "delete": ("删除", "remove"),
    "bazi": ("八字", "命盘", "四柱", "生辰", "命理"), "zodiac": ("星座", "星盘", "占星", "horoscope", "astrology"),
    "tarot": ("塔罗", "抽牌", "占卜", "draw a card"),
    "career": ("职业", "跳槽", "换工作", "升职", "面试", "job", "promotion"),
    "lifecoach": ("人生", "习惯", "成长", "habit"), "core": ("退出", "leave the skill", "back to normal"),
    "team": ("并行", "分头", "parallel"), "subagent": ("子任务", "助手去", "delegate"), "image": ("图片", "picture"),
    "user": ("我的资料", "profile"), "report": ("汇报", "总结"), "command": ("命令", "shell"), "run": ("运行", "执行"),
}  # fmt: skip
TOPICS = frozenset({"career", "lifecoach"})  # what people say for these, they say in any conversation
_NOT_BEFORE = re.compile(
    r"\b(don't|do not|never|without)\W+(\w+\W+){0,2}$|((?<!要)不要|不用|别)[\u3400-\u9fff]{0,2}$", re.IGNORECASE
)


def is_chinese(text: str, otherwise: bool = False) -> bool:
    """Whether somebody who writes this reads Chinese."""
    if _CHINESE.search(text):
        return True
    return otherwise and not _LETTERS.search(text)


def terms(text: str) -> frozenset[str]:
    """What a text is about: its English words without their endings, its Chinese pairs of characters."""
    found = {_stem(word) for word in _ENGLISH_WORD.findall(text.lower()) if word not in _STOP and len(word) > 2}
    for run in _CHINESE_RUN.findall(text):
        found.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(found - _STOP_CHINESE)


def mentions(words: str, name: str) -> bool:
    """Whether the words name a thing, by its own name or as people call it, and do not refuse it."""
    lowered = words.lower()
    for said in (name.lower(), *_HINTS.get(name.lower(), ())):
        pattern = rf"(?<![a-z]){re.escape(said)}(s|es|ing|ed)?(?![a-z])" if said.isascii() else re.escape(said)
        found = re.search(pattern, lowered)
        if found and not _NOT_BEFORE.search(lowered[: found.start()]):
            return True
    return False


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
