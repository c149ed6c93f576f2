"""The vendor's pictures and videos: at once, or as a task that is asked for, looked at and fetched."""

import base64
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from weft.llm.scripted.answer import Refusal
from weft.llm.scripted.journal import Exchange

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
VIDEO = b"\x00\x00\x00\x18ftypmp42" + bytes(64)
_SUBMIT = {"image-synthesis": "image", "video-synthesis": "video"}
_STATES = ("PENDING", "RUNNING")


@dataclass(slots=True)
class _Task:
    kind: str
    made: int
    seconds: int
    looks: int = 0


@dataclass(slots=True)
class Media:
    """What the script says of pictures and videos; set it on `vendor.media`.

    A task is over after `looks` looks at it: done, or failed with the words of `failure`. `refusals` are given
    first, one to each request of these endpoints; `replace` stands in for the next whole answers.
    """

    looks: int = 2
    failure: str = ""
    as_bytes: bool = False
    refusals: list[Refusal] = field(default_factory=list)
    replace: list[Any] = field(default_factory=list)
    _tasks: dict[str, _Task] = field(default_factory=dict)
    _numbers: Any = field(default_factory=lambda: count(1))

    def knows(self, path: str) -> bool:
        """Whether this is one of its endpoints."""
        last = path.rpartition("/")[2]
        return path.endswith("/images/generations") or last in _SUBMIT or "/tasks/" in path or "/files/" in path

    def answer(self, exchange: Exchange, path: str, base: str) -> dict[str, Any] | bytes | Refusal:
        """A JSON object, a file, or a refusal."""
        if self.refusals:
            return self.refusals.pop(0)
        if self.replace:
            replaced: dict[str, Any] = self.replace.pop(0)
            return replaced
        last = path.rpartition("/")[2]
        if "/files/" in path:
            return VIDEO if last.endswith(".mp4") else PIXEL
        if "/tasks/" in path:
            return self._look(last, base)
        if last in _SUBMIT:
            return self._submit(exchange, _SUBMIT[last])
        return self._images(exchange, base)

    def _images(self, exchange: Exchange, base: str) -> dict[str, Any]:
        number = exchange.json.get("n") or 1
        encoded = base64.b64encode(PIXEL).decode()
        pictures = [{"b64_json": encoded} if self.as_bytes else {"url": f"{base}/files/{n}.png"} for n in range(number)]
        return {"created": 1_700_000_000, "data": pictures}

    def _submit(self, exchange: Exchange, kind: str) -> dict[str, Any] | Refusal:
        if exchange.header("x-dashscope-async") != "enable":
            return Refusal(
                403, b'{"code": "AccessDenied", "message": "current user api does not support synchronous calls."}'
            )
        options = exchange.json.get("parameters") or {}
        name = f"task-{next(self._numbers):06d}"
        self._tasks[name] = _Task(kind, options.get("n", 1), options.get("duration", 5))
        return {"request_id": f"request-{name}", "output": {"task_id": name, "task_status": "PENDING"}}

    def _look(self, name: str, base: str) -> dict[str, Any]:
        task = self._tasks.get(name)
        if task is None:
            return {"output": {"task_id": name, "task_status": "UNKNOWN"}}
        task.looks += 1
        output: dict[str, Any] = {"task_id": name, "task_status": _STATES[min(task.looks, 2) - 1]}
        if task.looks < self.looks:
            return {"output": output}
        if self.failure:
            return {"output": {**output, "task_status": "FAILED", "code": "InternalError", "message": self.failure}}
        output["task_status"] = "SUCCEEDED"
        if task.kind == "video":
            output["video_url"] = f"{base}/files/{name}.mp4"
            return {"output": output, "usage": {"video_duration": task.seconds, "video_count": 1}}
        output["results"] = [{"url": f"{base}/files/{name}-{number}.png"} for number in range(task.made)]
        return {"output": output, "usage": {"image_count": task.made}}
