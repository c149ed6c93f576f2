"""What both lanes must read alike: answers and failures of every shape, by name."""

from typing import Any

from weft.llm.scripted import Answer, Fault, Framing, Refusal
from weft.llm.types import ToolRequest

TEXT = 'Hello there, 你好，世界 🌍.\n\n  Two  blanks, a \\ and a "quote".'
CALL = ToolRequest("call_a", "get_weather", '{"city": "北京", "days": 3}')
OTHER_CALL = ToolRequest("call_b", "search", '{"query": "umbrella"}')


def piece(
    index: int | None, call_id: str | None = None, name: str | None = None, arguments: Any = ""
) -> dict[str, Any]:
    """One tool-call piece as a vendor sends it; None leaves a field out."""
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    given = {"index": index, "id": call_id, "type": "function", "function": function}
    return {"tool_calls": [{name: value for name, value in given.items() if value is not None}]}


def odd_tools(*deltas: dict[str, Any]) -> Answer:
    return Answer(deltas=deltas, finish="tool_calls")


def event(data: str) -> bytes:
    return f"data: {data}\n\n".encode()


def chunk(text: str, reason: str = "null", usage: str = "") -> str:
    return (
        '{"id":"c1","object":"chat.completion.chunk","created":1,"model":"scripted","choices":[{"index":0,'
        f'"delta":{{"content":"{text}"}},"finish_reason":{reason}}}]{usage}}}'
    )


WHOLE = {
    "text by words": Answer(TEXT),
    "text by characters": Answer(TEXT, by=1),
    "empty text": Answer(""),
    "cut off for length": Answer("Once upon", finish="length"),
    "content filter": Answer("Once upon", finish="content_filter"),
    "reasoning": Answer(TEXT, reasoning="Let me see. 嗯。"),
    "reasoning in the other field": Answer(TEXT, reasoning="Let me see.", reasoning_field="reasoning"),
    "a tool call": Answer(tool_calls=(CALL,)),
    "two tool calls after text": Answer("I look.", tool_calls=(CALL, OTHER_CALL)),
    "a tool call that ends in stop": Answer(tool_calls=(CALL,), finish="stop"),
    "usage of DeepSeek": Answer(TEXT, usage="deepseek"),
    "usage of DeepSeek without details": Answer(TEXT, usage="deepseek_bare"),
    "usage of Qwen": Answer(TEXT, reasoning="Hm.", usage="qwen"),
    "usage of nobody": Answer(TEXT, usage=None),
    "usage on the last chunk": Answer(TEXT, usage_at="finish"),
    "usage on every chunk": Answer(TEXT, usage_at="every_chunk"),
    "slow": Answer("a b c", first_delay=0.05, gap=0.02),
}

ODD_STREAMS = {
    "a call without an id": Answer(tool_calls=(ToolRequest("", "search", "{}"),)),
    "pieces of two calls mixed": odd_tools(
        piece(0, "call_a", "search", '{"q'),
        piece(1, "call_b", "fetch", "{"),
        piece(0, arguments='": 1}'),
        piece(1, arguments="}"),
    ),
    "two pieces in one chunk": odd_tools(
        {"tool_calls": piece(0, "a", "f", "{}")["tool_calls"] + piece(1, "b", "g", "{}")["tool_calls"]}
    ),
    "an id on every piece": odd_tools(
        piece(0, "call_a", "search", ""), piece(0, "call_a", arguments="{"), piece(0, "call_a", arguments="}")
    ),
    "a name on every piece": odd_tools(
        piece(0, "call_a", "search", ""), piece(0, None, "search", "{"), piece(0, None, "search", "}")
    ),
    "no id at all": odd_tools(piece(0, None, "search", "{"), piece(0, arguments="}")),
    "one index for all": odd_tools(piece(0, "call_a", "search", "{}"), piece(0, "call_b", "fetch", "{}")),
    "indexes from one": odd_tools(piece(1, "call_a", "search", "{}"), piece(2, "call_b", "fetch", "{}")),
    "an empty id later": odd_tools(piece(0, "call_a", "search", "{"), piece(0, "", arguments="}")),
    "CRLF": Answer(TEXT, framing=Framing(newline=b"\r\n")),
    "CR": Answer(TEXT, framing=Framing(newline=b"\r")),
    "no space after data:": Answer(TEXT, framing=Framing(space=False)),
    "comments": Answer(TEXT, framing=Framing(comments=True)),
    "several data lines": Answer(TEXT, framing=Framing(lines=True)),
    "no [DONE]": Answer(TEXT, framing=Framing(done=False)),
    "no newline at the end": Answer(TEXT, framing=Framing(last_newline=False)),
    "everything in one write": Answer(TEXT, framing=Framing(per_write=1000)),
    "every byte in its own write": Answer(
        writes=[bytes([byte]) for byte in event(chunk("你好 🌍")) + event(chunk("!", '"stop"')) + event("[DONE]")]
    ),
    "the same words a thousand times": Answer("." * 1000, by=1),
    "lost after the finish": Answer("a b c", fault=Fault("disconnect", after=5)),
}

FAILING_STREAMS = {
    "an error object at once": Answer("a b", fault=Fault("error", after=0)),
    "an error object in the middle": Answer("a b", fault=Fault("error", after=2)),
    "a rate limit in the middle": Answer(
        "a b", fault=Fault("error", 2, b'{"error": {"message": "slow down", "type": "rate_limit_error"}}')
    ),
    "an error that is only text": Answer("a b", fault=Fault("error", 2, b'{"error": "out of memory"}')),
    "disconnected at once": Answer("a b", fault=Fault("disconnect", after=0)),
    "disconnected in the middle": Answer("a b", fault=Fault("disconnect", after=2)),
    "reset in the middle": Answer("a b", gap=0.02, fault=Fault("reset", after=2)),
    "closed as if it were whole": Answer("a b", fault=Fault("close", after=2)),
    "closed before anything": Answer("a b", fault=Fault("close", after=0)),
    "silent from the start": Answer("a b", fault=Fault("hang", after=0)),
    "silent in the middle": Answer("a b", fault=Fault("hang", after=2)),
    "no JSON": Answer("a b", fault=Fault("garbage", 2, b"data: {oops\n\n")),
}


def _error(message: str, code: str = "", kind: str = "invalid_request_error") -> bytes:
    return f'{{"error": {{"message": "{message}", "type": "{kind}", "code": "{code}"}}}}'.encode()


REFUSALS = {
    "400": Refusal(400, _error("messages: expected a list")),
    "400 of an unknown shape": Refusal(400, b"Bad Request"),
    "401": Refusal(401, _error("Incorrect API key provided", "invalid_api_key")),
    "402": Refusal(402, _error("Insufficient Balance", "invalid_request_error", "unknown_error")),
    "403": Refusal(403, _error("not allowed in your country", "unsupported_country")),
    "404": Refusal(404, _error("The model does not exist", "model_not_found")),
    "408": Refusal(408, _error("timeout")),
    "422": Refusal(422, _error("unprocessable")),
    "429": Refusal(429, _error("Rate limit reached", "rate_limit_exceeded"), {"retry-after": "7"}),
    "429 without a time": Refusal(429, b""),
    "429 without quota": Refusal(429, _error("You exceeded your current quota", "insufficient_quota")),
    "500": Refusal(500),
    "502 in HTML": Refusal(502, b"<html>Bad Gateway</html>", {"content-type": "text/html"}),
    "503": Refusal(503, _error("overloaded", kind="server_error"), {"retry-after": "2"}),
    "504": Refusal(504, b""),
    "529": Refusal(529, _error("Overloaded", kind="overloaded_error")),
    "context too long": Refusal(
        400, _error("This model's maximum context length is 8192 tokens", "context_length_exceeded")
    ),
    "context too long for Qwen": Refusal(400, _error("Range of input length should be [1, 30720]")),
    "content refused": Refusal(400, _error("Content Exists Risk")),
    "content refused by Qwen": Refusal(
        400, _error("Input data may contain inappropriate content.", "data_inspection_failed")
    ),
    "no response": Refusal(0),
}
