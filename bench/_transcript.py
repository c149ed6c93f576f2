"""A conversation of fifty turns as it happened: two languages, skill switches, memory edits, tool calls, a restart.

Plain data, so that any builder of contexts can be given the very same: no type of Weft's stands in it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

TURNS = 50
SKILLS = {1: "core", 15: "bazi", 35: "career"}  # from which turn on; the turn begins without it and takes it on
MEMORY_EDITS = (8, 20, 28, 42)  # the file is another one from this turn on
TOOL_TURNS = (3, 6, 11, 15, 19, 23, 26, 31, 36, 40, 45, 48)  # 15: the new skill computes its chart
PLANNED = (11, 26, 40)  # of those, the ones whose steps cannot be named at once
RESTART = 25  # all that was in memory is gone, the database is not

FILES = {
    "AGENTS.md": "# How we work together\n- 先听我说完，再给建议。\n- Keep answers short; ask at most one question.\n"
    "- 需要我做决定的时候，把选项和代价列清楚。\n",
    "SOUL.md": "# Soul\n温和、直接，不说教。You may disagree with me, and you say so kindly.\n",
    "USER.md": "# About me\n- 小雨，产品经理，住在上海，喜欢徒步。\n- 1990-05-17 08:30 出生于昆明。\n"
    "- I read English at work; 聊心事的时候用中文。\n",
}
PROFILE = {"username": "小雨", "bio": "产品经理，喜欢徒步"}
BIRTH = {
    "calendar": "solar",
    "date": "1990-05-17",
    "time": "08:30",
    "gender": "female",
    "place": {"name": "昆明", "latitude": 25.04, "longitude": 102.71, "timezone": "Asia/Shanghai"},
}
LIFE = {
    "occupation": "产品经理",
    "industry": "互联网",
    "stage": "工作第八年，考虑转岗",
    "goals": ["两年内带一个自己的小团队", "每周至少三天准点下班"],
    "concerns": ["收入会不会下降", "家里人不支持"],
}

# What is talked about under each skill: what the user says, and what is answered.
_TALK = {
    "core": (
        (
            "我最近在考虑要不要换一份工作，家里人觉得现在这份很稳定，可是我每天都觉得很累，也看不到成长的空间。",
            "听起来你一直在稳定和成长之间拉扯。这种疲惫不是懒，而是你在意自己把时间花在了哪里。"
            "我们先不急着做决定，你能不能说说，最近哪一天下班的时候，心里是松一点的？那天做了什么？",
        ),
        (
            "昨天又跟他吵了一架，其实只是因为谁洗碗这种小事，可是我就是觉得特别委屈。",
            "委屈往往不是因为那只碗，而是因为在那一刻你觉得自己一个人。可以先告诉我，当时你最希望他说的一句话是什么吗？"
            "等你想清楚这句话，我们再看怎么让他听见，而不是让他听成指责。",
        ),
        (
            "I keep going back and forth: the new team is smaller, the work sounds better, the pay is lower.",
            "It sounds as if two things you care about are pulling at each other. Let us look at them one by one. "
            "If the money were the same, would you still hesitate? And if you stayed, what would you say a year on?",
        ),
        (
            "你上次说让我先把最怕的那件事写下来，我写了，看着还是心里发紧。",
            "写下来还发紧，说明它是真的要紧。我们把它拆成两半：一半是已经发生的，一半是你在担心会发生的。"
            "已经发生的那一半，今天能做的最小一步是什么？另一半，先让它在纸上待着，不用现在解决。",
        ),
        (
            "妈妈又打电话来催，说同学的孩子都上小学了，我不知道怎么回她。",
            "先不用想怎么说服她。你可以只回一句：我知道你担心我，这件事我心里有数，有消息第一个告诉你。"
            "说完就换话题，不用解释。她急的也许不是孩子，是怕你一个人。你听到她催的时候，心里最先冒出来的是什么？",
        ),
    ),
    "bazi": (
        (
            "那你帮我看看我的八字吧，我想知道自己到底适合安稳还是适合折腾。",
            "先说结论：你的盘里，「想自己做主」的力量比「守成」的力量大一些，但根不算深，折腾要有准备。日主得月令之气，"
            "食伤又透出来，像是有想法、闲不住；只是财星偏弱，动之前要先把退路铺好。你看这像不像你？",
        ),
        (
            "那接下来这一两年，我适合动，还是适合守？",
            "从大运流年看，变化已经在酝酿，不必抢在它前面。今年宜把能力和人脉先放好位置，明年春天再看一次。"
            "这不是说今年动就一定不好，而是现在动会更费力。你手上有没有一件事，是无论走不走都用得上的？",
        ),
        (
            "My mother says my chart lacks water and wants me to wear blue and move my bed. Does that make any sense?",
            "Counting elements is the crudest way to read a chart; one that is missing need not be added. Your chart "
            "shows heat without much rest. Blue sheets change little; a slower evening may change more. "
            "What would she stop worrying about if you did as she says?",
        ),
        (
            "我和他的八字合不合？他是八八年十一月的，时辰不知道。",
            "只有三柱，所以我只说看得到的。你们的日支有一点冲，意思是节奏不同：你想今天说清楚，他要缓两天。"
            "这不等于不合适，合不合看的是吵完之后谁先伸手。不如说说，你们上一次和好是怎么和好的？",
        ),
        (
            "网上说我今年犯太岁，要不要去请个符化解一下？",
            "不用花这个钱。所谓犯太岁，是流年和生肖的一种对照，传统上提醒人今年多留心变化，并不是说一定出事。"
            "你今年的课题更像是「位置变动」：岗位、住处、关系里的角色。想一想，哪一样你其实也盼着它变？",
        ),
    ),
    "career": (
        (
            "聊回工作吧。那边给了录用通知，薪水比现在低百分之十五，可是团队我很喜欢，周五前要答复。",
            "先把两边写在一张纸上，各列三样：你得到什么、付出什么、半年后最可能后悔什么。薪水低的部分，算成每个月"
            "具体少多少，再看你的固定开销能不能接住。还有一件事值得问对方：半年后的调薪规则写不写进合同。",
        ),
        (
            "如果真的辞职，我的存款大概能撑八个月，这样算不算太冒险？",
            "八个月是一个不短的缓冲。冒不冒险要看两件事：每个月的固定开销，还有你打算用前三个月做什么。"
            "给自己定一个检查点，比如第四个月还没有稳定收入，就做什么。有了这条线，心里会安一些。",
        ),
        (
            "My manager moved the deadline again and told the whole room that it was my estimate.",
            "That must have felt unfair in front of everyone. Before you answer him, write down what you did say, and "
            "when. Then ask for ten minutes alone: say what happened, what it cost you, and what you need next time. "
            "Keep it to one instance; a list turns into a trial.",
        ),
        (
            "我想跟现在的领导谈一次，看他愿不愿意给我换一个方向，但一想到开口就紧张。",
            "紧张说明这件事重要。把要说的话写成三句：我做成了什么，我想往哪里走，我希望你帮我哪一件。先对着手机说两遍。"
            "选一个他不赶时间的下午，开头就说「我想请你帮个忙」，会比「我想谈谈我的发展」轻一点。",
        ),
        (
            "简历改了三版，还是觉得自己什么都没做成，别人都写得好厉害。",
            "别人写的是结果，你看到的是自己的过程，这不公平。挑一个项目，按「遇到什么、我做了什么、后来有什么不同」写三行，"
            "最后一行尽量有数字。写不出数字就写谁因此轻松了。写完发我，我们一起删到一行。",
        ),
    ),
}
_NOTE = (
    "note {turn}.{line}: talked about the offer, the commute and the sleep; mood {mood} of 10, wants to decide later."
)


@dataclass(frozen=True)
class Turn:
    """One turn as it happens: what is said, and what a tool gave, if one was called."""

    number: int
    words: str
    answer: str
    result: str | None = None

    @property
    def skill(self) -> str:
        """The active skill at its end."""
        return SKILLS[max(turn for turn in SKILLS if turn <= self.number)]

    @property
    def switches(self) -> bool:
        """Whether the skill is taken on in this turn."""
        return self.number in SKILLS and self.number > 1

    @property
    def planned(self) -> bool:
        """Whether a planner is asked before the tool is called."""
        return self.number in PLANNED

    @property
    def tool(self) -> str:
        """What is called."""
        return "compute" if self.switches else "search_history"

    @property
    def memory(self) -> str:
        """MEMORY.md as it is in this turn."""
        edits = sum(edit <= self.number for edit in MEMORY_EDITS)
        lines = [f"- 第 {line} 条：{_TALK['core'][line % 5][0]}" for line in range(14)]
        for edit in range(edits):
            lines[edit * 3] = f"- 用户改了主意（{edit}）：想先和现在的上级谈一次。"
        return "\n".join(lines)


def turns(chart: str) -> Iterator[Turn]:
    """The fifty; `chart` is what the computation gives."""
    for number in range(1, TURNS + 1):
        talk = _TALK[SKILLS[max(turn for turn in SKILLS if turn <= number)]]
        words = " ".join(talk[(number + at * 2) % 5][0] for at in range(1 + (number % 4 == 0)))
        answer = "\n".join(talk[(number + at) % 5][1] for at in range(2 + number % 2))
        notes = "\n".join("- " + _NOTE.format(turn=number, line=line, mood=line % 7) for line in range(24))
        result = chart if number in SKILLS else notes
        yield Turn(number, f"{words}（{number}）", f"{answer}（{number}）", result if number in TOOL_TURNS else None)
