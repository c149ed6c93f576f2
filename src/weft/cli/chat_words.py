"""What the terminal itself says in a chat, in Chinese and in English: in the language of the terminal it stands in."""

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """All of it in one language."""

    starting: str
    talks_to: str
    goes_on: str
    hints: str
    offline: str
    prompt_more: str
    thinking: str
    working: str
    writing: str
    running: str
    stopping: str
    can_stop: str
    skill: str
    scenario: str
    no_skill: str
    succeeded: str
    failed: str
    denied: str
    unknown: str
    expired: str
    wants: str
    allow: str
    say_y_n_e: str
    edit_inline: str
    not_json: str
    not_asked: str
    left_waiting: str
    stopped: str
    broke_off: str
    run_failed: str
    interrupted: str
    rejoined: str
    one_call: str
    calls: str
    tokens_in: str
    cached: str
    tokens_out: str
    seconds: str
    total: str
    unpriced: str
    unpriced_calls: str
    estimated: str
    nothing_spent: str
    context_head: str
    context_cache: str
    context_columns: tuple[str, ...]
    block_cached: str
    block_partly: str
    block_new: str
    block_left_out: str
    context_more: str
    no_call: str
    cost_columns: tuple[str, ...]
    skill_columns: tuple[str, ...]
    skill_missing: str
    skill_next: str
    skill_none: str
    session_columns: tuple[str, ...]
    no_sessions: str
    which_session: str
    new_session: str
    nothing_said: str
    you: str
    no_command: str
    bye: str
    help: tuple[tuple[str, str], ...]
    help_more: str


ENGLISH = Words(
    starting="starting",
    talks_to="Weft {version} · model {model}",
    goes_on="conversation {session} · {title}",
    hints="/help shows what there is, Ctrl-C stops an answer, /quit leaves",
    offline="This is Weft's own offline model: it tries things out and knows nothing. A real one: weft infra --help",
    prompt_more="… ",
    thinking="thinking",
    working="working",
    writing="writing",
    running="running {tool}",
    stopping="stopping",
    can_stop="Ctrl-C stops",
    skill="skill: {skill}",
    scenario="skill: {skill} · {scenario}",
    no_skill="no skill any more",
    succeeded="done",
    failed="failed",
    denied="not allowed",
    unknown="nobody knows whether it happened; it was not repeated",
    expired="nobody decided in time; it is not allowed",
    wants="{tool} needs your word",
    allow="allow it? [y]es · [n]o, and why · [e]dit: ",
    say_y_n_e="y, n or e; after n you may say why",
    edit_inline="arguments (JSON): ",
    not_json="this is no JSON object ({error}); nothing was decided",
    not_asked="{tool} needs somebody's word, and nobody can be asked here; go on with: weft chat --session {session}",
    left_waiting="it still waits for your word; go on with: weft chat --session {session}",
    stopped="stopped; what was said so far is kept, marked as incomplete",
    broke_off="the answer broke off; what was said so far is kept",
    run_failed="failed: {message}",
    interrupted="the error is {error_id}; more stands in {log}",
    rejoined="a turn of this conversation is still under way",
    one_call="1 call",
    calls="{count} calls",
    tokens_in="{count} in",
    cached="{share} cached",
    tokens_out="{count} out",
    seconds="{seconds} s",
    total="conversation {cost}",
    unpriced="no price known",
    unpriced_calls="{count} without a price",
    estimated="estimated",
    nothing_spent="nothing so far",
    context_head="{purpose} · {model} · {total} tokens in {count} blocks",
    context_cache="cache: {expected} expected, {reported} reported",
    context_columns=("block", "source", "place", "tokens", "cache"),
    block_cached="known",
    block_partly="partly",
    block_new="new",
    block_left_out="left out",
    context_more="all of it: weft context show {call}",
    no_call="no model has been called in this conversation yet",
    cost_columns=("model", "calls", "in", "cached", "out", "cost"),
    skill_columns=("", "skill", "what it is for"),
    skill_missing="missing: {missing}",
    skill_next="the next message takes up: {skill}",
    skill_none="there is no skill yet",
    session_columns=("", "conversation", "touched", "skill", "title"),
    no_sessions="there is no conversation yet",
    which_session="/sessions NUMBER goes on with one of them",
    new_session="a new conversation",
    nothing_said="nothing has been said here yet",
    you="you",
    no_command="there is no {command}; /help shows what there is",
    bye="go on with: weft chat --session {session}",
    help=(
        ("/skill [NAME]", "show the skills, or take one up with the next message"),
        ("/context", "what the last call was sent: blocks, tokens, what the cache knew"),
        ("/cost", "what this conversation has cost"),
        ("/history [N]", "what was said, the last N messages"),
        ("/new", "begin a new conversation"),
        ("/sessions [N]", "your conversations; with a number, go on with that one"),
        ("/help", "this list"),
        ("/quit", "leave; Ctrl-C or Ctrl-D at an empty prompt does too"),
    ),
    help_more="A line that ends with \\ goes on; // at its beginning sends a message that begins with /.",
)
CHINESE = Words(
    starting="正在启动",
    talks_to="Weft {version} · 模型 {model}",
    goes_on="会话 {session} · {title}",
    hints="/help 查看命令，Ctrl-C 停止回答，/quit 退出",
    offline="这是 Weft 自带的离线模型，只供试用，不懂世事。接入真实模型：weft infra --help",
    prompt_more="… ",
    thinking="思考中",
    working="执行中",
    writing="整理中",
    running="正在运行 {tool}",
    stopping="正在停止",
    can_stop="Ctrl-C 停止",
    skill="技能：{skill}",
    scenario="技能：{skill} · {scenario}",
    no_skill="已离开技能",
    succeeded="完成",
    failed="失败",
    denied="未获允许",
    unknown="无人知道是否已经发生，没有重复执行",
    expired="没有人及时决定，视为不允许",
    wants="{tool} 需要你同意",
    allow="允许吗？[y] 是 · [n] 否，可附理由 · [e] 修改：",
    say_y_n_e="请输入 y、n 或 e；n 后面可以写理由",
    edit_inline="参数（JSON）：",
    not_json="这不是 JSON 对象（{error}），没有做出决定",
    not_asked="{tool} 需要有人同意，而这里无人可问；继续请运行：weft chat --session {session}",
    left_waiting="它还在等你的决定；继续请运行：weft chat --session {session}",
    stopped="已停止；已说出的部分保留，并标为未完成",
    broke_off="回答中断；已说出的部分保留",
    run_failed="失败：{message}",
    interrupted="错误编号 {error_id}，详情见 {log}",
    rejoined="这个会话有一轮还在进行",
    one_call="1 次调用",
    calls="{count} 次调用",
    tokens_in="输入 {count}",
    cached="缓存 {share}",
    tokens_out="输出 {count}",
    seconds="{seconds} 秒",
    total="本会话 {cost}",
    unpriced="价格未知",
    unpriced_calls="{count} 次没有价格",
    estimated="估算",
    nothing_spent="尚无花费",
    context_head="{purpose} · {model} · {total} 个 token，{count} 块",
    context_cache="缓存：预期 {expected}，上报 {reported}",
    context_columns=("块", "来源", "位置", "token", "缓存"),
    block_cached="已知",
    block_partly="部分",
    block_new="新",
    block_left_out="未放入",
    context_more="查看全部：weft context show {call}",
    no_call="这个会话还没有调用过模型",
    cost_columns=("模型", "调用", "输入", "缓存", "输出", "费用"),
    skill_columns=("", "技能", "用途"),
    skill_missing="缺少：{missing}",
    skill_next="下一条消息将启用：{skill}",
    skill_none="还没有技能",
    session_columns=("", "会话", "最近", "技能", "标题"),
    no_sessions="还没有会话",
    which_session="/sessions 序号 可以继续其中一个",
    new_session="新会话",
    nothing_said="这里还没有说过话",
    you="你",
    no_command="没有 {command} 这个命令；/help 查看命令",
    bye="继续请运行：weft chat --session {session}",
    help=(
        ("/skill [名称]", "查看技能，或在下一条消息启用一个"),
        ("/context", "上一次调用发送了什么：块、token、缓存"),
        ("/cost", "这个会话的花费"),
        ("/history [N]", "说过的话，最近 N 条"),
        ("/new", "开始新会话"),
        ("/sessions [N]", "你的会话；给出序号则继续那一个"),
        ("/help", "这个列表"),
        ("/quit", "退出；空行时 Ctrl-C 或 Ctrl-D 亦可"),
    ),
    help_more="行尾的 \\ 表示续行；以 // 开头可发送以 / 开头的消息。",
)


def words_for(interface_language: str) -> Words:
    """The language that the terminal's locale names; where it names none, that of the user's profile."""
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    language = locale.partition(".")[0]
    if language in ("", "C", "POSIX"):
        language = interface_language
    return CHINESE if language.lower().startswith("zh") else ENGLISH
