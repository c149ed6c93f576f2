"""The vendor's endpoints: chat completions, models, embeddings, pictures and videos."""

from hashlib import sha256
from itertools import count
from math import sqrt
from typing import Any

import orjson

from weft.llm.scripted.answer import Answer, Refusal
from weft.llm.scripted.connection import Connection
from weft.llm.scripted.counting import Counts, PrefixCache, count_tokens, prompt_text, split_tokens
from weft.llm.scripted.journal import Exchange
from weft.llm.scripted.media import Media
from weft.llm.scripted.rendering import Rendered, output_counts, spelled_usage
from weft.llm.scripted.script import Script
from weft.llm.scripted.streaming import stream_events, stream_writes

DIMENSIONS = 8


class Endpoints:
    """Answers one request at a time on a connection; `answer` says whether the connection stays open."""

    def __init__(
        self, script: Script, cache: PrefixCache, key: str | None, models: tuple[str, ...], media: Media
    ) -> None:
        self._script = script
        self._media = media
        self._cache = cache
        self._key = key
        self._models = models
        self._numbers = count(1)

    async def answer(self, exchange: Exchange, connection: Connection) -> bool:
        """Find the endpoint and let it answer."""
        given = (exchange.header("authorization") or "").removeprefix("Bearer ")
        if self._key is not None and given != self._key:
            message = f"Incorrect API key provided: {given}"  # real vendors echo it too
            return await self._refuse(exchange, connection, Refusal(401, _error(message, "invalid_api_key")))
        path = exchange.path.partition("?")[0]
        if path.endswith("/chat/completions"):
            return await self._chat(exchange, connection)
        if path.endswith("/embeddings"):
            return await self._send(exchange, connection, self._embeddings(exchange))
        if path.endswith("/models"):
            listed = [{"id": model, "object": "model", "owned_by": "scripted"} for model in self._models]
            return await self._send(exchange, connection, {"object": "list", "data": listed})
        if self._media.knows(path):
            return await self._picture(exchange, connection, path)
        refusal = Refusal(404, _error(f"there is no {path}", "not_found"))
        return await self._refuse(exchange, connection, refusal)

    async def _chat(self, exchange: Exchange, connection: Connection) -> bool:
        reply = self._script.next(exchange)
        if isinstance(reply, Refusal):
            return await self._refuse(exchange, connection, reply)
        request = exchange.json
        exchange.counts = reply.counts or self._count(exchange, reply)
        usage = spelled_usage(reply, exchange.counts)
        number = f"chatcmpl-{next(self._numbers):06d}"
        rendered = Rendered(reply, number, str(request.get("model")), usage)
        exchange.status = 200
        await connection.pause(reply.first_delay)
        if not request.get("stream"):
            exchange.usage = usage
            return await self._send_whole(exchange, connection, rendered)
        if reply.writes is not None:
            return await stream_writes(exchange, connection, reply)
        wanted = (request.get("stream_options") or {}).get("include_usage") is True
        return await stream_events(exchange, connection, rendered, with_usage=wanted)

    async def _picture(self, exchange: Exchange, connection: Connection, path: str) -> bool:
        made = self._media.answer(exchange, path, f"http://{exchange.header('host')}/v1")
        if isinstance(made, Refusal):
            return await self._refuse(exchange, connection, made)
        if isinstance(made, bytes):
            headers = {"content-type": "application/octet-stream"}
            return await self._send_body(exchange, connection, 200, made, headers)
        return await self._send(exchange, connection, made)

    async def _send_whole(self, exchange: Exchange, connection: Connection, rendered: Rendered) -> bool:
        fault, body = rendered.answer.fault, rendered.whole()
        if rendered.answer.writes is not None:
            body = b"".join(rendered.answer.writes)
        if fault is None:
            return await self._send_body(exchange, connection, 200, body, {})
        if fault.kind == "hang":
            await connection.pause(None)
        elif fault.kind in ("garbage", "error"):
            return await self._send_body(exchange, connection, 200, fault.data, {})
        elif fault.kind != "reset":
            await connection.send_head(200, "application/json")
            await connection.send_piece(body[: len(body) // 2])
            return False
        connection.abort()
        return False

    def _count(self, exchange: Exchange, reply: Answer) -> Counts:
        tokens = split_tokens(prompt_text(exchange.json))
        owner = f"{exchange.header('authorization')}\n{exchange.json.get('model')}".encode()
        output, reasoning = output_counts(reply)
        return Counts(len(tokens), self._cache.hit(owner, tokens), output, reasoning)

    def _embeddings(self, exchange: Exchange) -> dict[str, Any]:
        request = exchange.json
        texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
        size = request.get("dimensions") or DIMENSIONS
        vectors = [
            {"object": "embedding", "index": index, "embedding": _vector(str(text), size)}
            for index, text in enumerate(texts)
        ]
        tokens = sum(count_tokens(str(text)) for text in texts)
        exchange.counts = Counts(tokens)
        exchange.usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "model": request.get("model"), "data": vectors, "usage": exchange.usage}

    async def _refuse(self, exchange: Exchange, connection: Connection, refusal: Refusal) -> bool:
        await connection.pause(refusal.delay)
        if refusal.status == 0:
            connection.abort()
            return False
        return await self._send_body(exchange, connection, refusal.status, refusal.body, refusal.headers)

    async def _send(self, exchange: Exchange, connection: Connection, body: Any) -> bool:
        return await self._send_body(exchange, connection, 200, orjson.dumps(body), {})

    async def _send_body(
        self, exchange: Exchange, connection: Connection, status: int, body: bytes, headers: Any
    ) -> bool:
        exchange.status = status
        await connection.send_whole(status, body, headers)
        exchange.complete = True
        return True


def _vector(text: str, size: int) -> list[float]:
    # The same text is the same vector, in every process; lengths are 1, as of real embeddings.
    raw = [sha256(f"{number}:{text}".encode()).digest()[0] - 127.5 for number in range(size)]
    length = sqrt(sum(value * value for value in raw))
    return [value / length for value in raw]


def _error(message: str, code: str) -> bytes:
    return orjson.dumps({"error": {"message": message, "type": "invalid_request_error", "code": code}})
