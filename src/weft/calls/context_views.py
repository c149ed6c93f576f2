"""From what is stored of a call to what is shown of it."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from weft.calls.cache_alarms import Compared
from weft.calls.context_schemas import AlarmView, BlockView, Cached, CacheView, ContextOutline, ContextView, Purse
from weft.calls.schemas import CallView
from weft.calls.sent_texts import data_of, messages_of, text_of, tools_of
from weft.context.manifest import Expectation
from weft.context.prefix import Sent

_EXPECTATION = {field.name for field in fields(Expectation)}


def expectation_of(manifest: Mapping[str, Any]) -> Expectation:
    """The expectation as it was when the call was compiled, by whichever version of Weft."""
    return Expectation(**{name: value for name, value in manifest["expected"].items() if name in _EXPECTATION})


def view_of(row: Mapping[str, Any], sent: Sent, *, for_operator: bool) -> ContextView:
    """All of a call."""
    manifest = row["manifest"]
    expected = expectation_of(manifest)
    compared = Compared.of(row, expected, sent)
    return ContextView(
        call=CallView.model_validate(dict(row)),
        recipe=manifest["recipe"],
        total=sent.total,
        usual=manifest["usual"],
        purses={
            name: Purse(spent=manifest["spent"].get(name, 0), budget=budget)
            for name, budget in manifest["budgets"].items()
        },
        window_start=manifest["window"]["start"],
        window_texts=manifest["window"]["texts"],
        cache=_cache(compared, sent, row["anyone_tokens"] if for_operator else None),
        blocks=_blocks(manifest["entries"], sent, expected.tokens),
        tools=tools_of(sent),
        messages=messages_of(sent, manifest.get("shapes", {})),
    )


def outline_of(row: Mapping[str, Any]) -> ContextOutline:
    """A call in a line."""
    states = [entry["state"] for entry in row["manifest"]["entries"]]
    return ContextOutline(
        recipe=row["manifest"]["recipe"],
        total=sum(tokens for _name, tokens, _stable in row["segments"]),
        blocks=states.count("whole") + states.count("shortened"),
        shortened=states.count("shortened"),
        dropped=states.count("dropped"),
        expected_tokens=row["expected_tokens"],
    )


def _cache(compared: Compared, sent: Sent, anyone: int | None) -> CacheView:
    expected = compared.expected
    return CacheView(
        unit=expected.unit,
        expected_tokens=expected.tokens,
        expected_share=round(expected.tokens / sent.total, 4) if sent.total else 0.0,
        anyone_tokens=anyone,
        reported_tokens=compared.reported,
        compared_with=compared.last_id,
        seconds_since=compared.last_seconds,
        same_way=compared.same_way,
        changed=expected.changed,
        collapsed=expected.collapsed,
        why=compared.why if expected.collapsed else None,
        lost_tokens=expected.lost,
        alarms=[AlarmView(code=code, detail=detail, block=block) for code, detail, block in compared.alarms],
    )


def _blocks(entries: Sequence[Mapping[str, Any]], sent: Sent, expected: int) -> list[BlockView]:
    """The blocks in the order in which they were sent; last those that were not, and what came to them later."""
    places = {segment.name: number for number, segment in enumerate(sent.segments)}
    data = data_of(sent)
    cached = _cached(sent, expected)
    shown: list[tuple[tuple[int, bool], BlockView]] = []
    for entry in entries:
        number, text = places.get(entry["id"]), None
        if number is not None:
            text = text_of(sent.segments[number])
        elif entry["hash"] in data and entry["place"] != "nowhere":
            number, text = data[entry["hash"]]
        view = BlockView(**entry, cached=None if number is None else cached[number], text=text)
        own = entry["id"].startswith("message/") and entry["id"] in places
        shown.append(((len(places) if number is None else number, own), view))
    return [view for _, view in sorted(shown, key=lambda each: each[0])] + _added(sent, cached)


def _added(sent: Sent, cached: Sequence[Cached]) -> list[BlockView]:
    """What was added to the prompt when it was asked with."""
    return [
        BlockView(
            id=segment.name,
            source="llm",
            trust="policy",
            scope="stage",
            place="late",
            tokens=segment.tokens,
            state="whole",
            hash="",
            cached=cached[number],
            text=text_of(segment),
        )
        for number, segment in enumerate(sent.segments)
        if segment.name.startswith("added/")
    ]


def _cached(sent: Sent, expected: int) -> list[Cached]:
    """Of each stretch, whether it stands within what a cache should know."""
    found: list[Cached] = []
    begin = 0
    for segment in sent.segments:
        end = begin + segment.tokens
        found.append("expected" if end <= expected else "partly" if begin < expected else "new")
        begin = end
    return found
