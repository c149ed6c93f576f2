"""Embeddings, pictures and videos come back the same whatever the vendor's shape, over real HTTP."""

import asyncio
from typing import Any

import pytest

from weft.kit.errors import OperatorError
from weft.llm import media
from weft.llm.errors import (
    AnswerTooLargeError,
    KeyRefusedError,
    NotReachedError,
    OffProtocolError,
    RateLimitedError,
    RefusedRequestError,
    TimedOutError,
    VendorFailedError,
)
from weft.llm.media import Patience
from weft.llm.scripted import Refusal, ScriptedVendor
from weft.llm.scripted.media import PIXEL, VIDEO
from weft.llm.structure_types import MediaTask, Structure, TaskStatus, TaskStructure
from weft.llm.structures import built_in, parse_structure
from weft.llm.types import Usage

QUICK = Patience(first=0.01, longest=0.02, deadline=5)


def task_of(structure: Structure) -> TaskStructure:
    assert isinstance(structure, TaskStructure)
    return structure


VIDEO_TASK = task_of(built_in("dashscope_video"))
IMAGE_TASK = task_of(built_in("dashscope_image"))


async def test_texts_become_vectors_in_their_order(vendor: ScriptedVendor) -> None:
    """INFRA-2: one vector a text, with the usage that a bill rests on."""
    one, two = (await media.embed(vendor.target(), ["你好", "hello"])).vectors
    backwards = await media.embed(vendor.target(), ["hello", "你好"])
    assert backwards.vectors == (two, one)
    assert backwards.usage is not None
    assert backwards.usage.input > 0
    assert vendor.log[0].json == {"model": "scripted", "input": ["你好", "hello"], "encoding_format": "float"}


async def test_options_go_along(vendor: ScriptedVendor) -> None:
    """INFRA-2: vendor options are passed on, but never replace what the call is about."""
    made = await media.embed(vendor.target(), ["a"], options={"dimensions": 3, "model": "other"})
    assert len(made.vectors[0]) == 3
    assert vendor.log[0].json["model"] == "scripted"


async def test_no_texts_need_no_call(vendor: ScriptedVendor) -> None:
    """LED-7: a call that is not needed is not paid."""
    assert (await media.embed(vendor.target(), [])).vectors == ()
    assert vendor.log == []


async def test_pictures_come_as_addresses_or_as_bytes(vendor: ScriptedVendor) -> None:
    """INFRA-2, LED-8: either way the same result, counted for the price."""
    made = await media.generate_image(vendor.target(), "一只猫", options={"n": 2})
    assert len(made.urls) == 2
    assert made.units == {"images": "2"}
    assert await media.fetch(vendor.target(), made.urls[0]) == PIXEL
    vendor.media.as_bytes = True
    made = await media.generate_image(vendor.target(), "一只猫")
    assert (made.urls, made.data, made.units) == ((), (PIXEL,), {"images": "1"})


async def test_pictures_made_as_a_task_are_the_same_to_the_caller(vendor: ScriptedVendor) -> None:
    """INFRA-2: submit, poll, fetch behind one function."""
    made = await media.generate_image(vendor.target(), "cat", IMAGE_TASK, {"n": 3}, QUICK)
    assert len(made.urls) == 3
    assert made.units == {"images": "3"}
    assert await media.fetch(vendor.target(), made.urls[2]) == PIXEL
    assert vendor.log[0].json == {"model": "scripted", "input": {"prompt": "cat"}, "parameters": {"n": 3}}


async def test_a_video_is_submitted_waited_for_and_fetched(vendor: ScriptedVendor) -> None:
    """INFRA-2, LED-8: seconds are counted; the task is known to the caller before it is over."""
    vendor.media.looks = 4
    heard: list[MediaTask] = []

    async def on_task(task: MediaTask) -> None:
        heard.append(task)

    made = await media.generate_video(vendor.target(), "rain", None, {"duration": 8}, QUICK, on_task)
    assert heard == [MediaTask(made.id, TaskStatus.PENDING)]
    assert made.status is TaskStatus.SUCCEEDED
    assert made.units == {"seconds": "8"}
    assert await media.fetch_task(vendor.target(), made, VIDEO_TASK) == VIDEO
    polls = [exchange for exchange in vendor.log if exchange.method == "GET" and "/tasks/" in exchange.path]
    assert len(polls) == 4
    assert len([exchange for exchange in vendor.log if exchange.method == "POST"]) == 1


async def test_a_task_that_was_kept_is_waited_for_again(vendor: ScriptedVendor) -> None:
    """STATE-5: after a crash the task goes on by its id; it is not submitted, and not paid, twice."""
    task = await media.submit(vendor.target(), "rain", VIDEO_TASK)
    made = await media.wait(vendor.target(), MediaTask(task.id, TaskStatus.PENDING), VIDEO_TASK, QUICK)
    assert made.urls


async def test_a_look_that_fails_in_passing_is_not_the_task(vendor: ScriptedVendor) -> None:
    """INFRA-3: the next look may succeed."""
    task = await media.submit(vendor.target(), "rain", VIDEO_TASK)
    vendor.media.refusals = [Refusal(503), Refusal(429), Refusal(0)]
    assert (await media.wait(vendor.target(), task, VIDEO_TASK, QUICK)).status is TaskStatus.SUCCEEDED


async def test_a_look_that_is_refused_ends_the_wait(vendor: ScriptedVendor) -> None:
    """INFRA-3: a wrong key does not get right by waiting."""
    task = await media.submit(vendor.target(), "rain", VIDEO_TASK)
    vendor.media.refusals = [Refusal(401)]
    with pytest.raises(KeyRefusedError):
        await media.wait(vendor.target(), task, VIDEO_TASK, QUICK)


async def test_a_task_that_fails_says_why(vendor: ScriptedVendor) -> None:
    """INFRA-2: the vendor's words reach the operator."""
    vendor.media.failure = "the prompt shows a person"
    with pytest.raises(VendorFailedError, match="the prompt shows a person"):
        await media.generate_video(vendor.target(), "x", VIDEO_TASK, patience=QUICK)


async def test_a_task_is_given_up_at_its_deadline(vendor: ScriptedVendor) -> None:
    """INFRA-3: no wait is endless."""
    vendor.media.looks = 10_000
    with pytest.raises(TimedOutError, match="running after"):
        await media.generate_video(vendor.target(), "x", VIDEO_TASK, patience=Patience(0.01, 1, 0.01, 0.1))


async def test_a_wait_can_be_cancelled(vendor: ScriptedVendor) -> None:
    """INFRA-3: cancellation ends it at once."""
    waiting = asyncio.create_task(media.generate_video(vendor.target(), "x", VIDEO_TASK, patience=Patience(30)))
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@pytest.mark.parametrize(
    ("refusal", "error"),
    [
        (Refusal(401), KeyRefusedError),
        (Refusal(429, b"", {"retry-after": "3"}), RateLimitedError),
        (Refusal(400, b'{"code": "InvalidParameter", "message": "size"}'), RefusedRequestError),
        (Refusal(0), NotReachedError),
    ],
)
async def test_refusals_are_those_of_a_chat(vendor: ScriptedVendor, refusal: Refusal, error: type[Exception]) -> None:
    """INFRA-3: one vocabulary of errors for every kind of call."""
    vendor.media.refusals = [refusal]
    with pytest.raises(error):
        await media.generate_image(vendor.target(), "cat")
    assert len(vendor.log) == 1  # a paid call is not made twice


ODD_TASKS: dict[str, tuple[Any, str, str]] = {
    "no task": ({"output": {}}, "$.output.task_id", "a value"),
    "no output": ({"request_id": "r"}, "$.output", "a value"),
    "an unknown state": ({"output": {"task_id": "t", "task_status": "NEW"}}, "$.output.task_status", "one of PENDING"),
    "done without a video": (
        {"output": {"task_id": "t", "task_status": "SUCCEEDED"}}, "$.output.video_url", "a value"),
    "an id that is none": ({"output": {"task_id": {}, "task_status": "PENDING"}}, "$.output.task_id", "a task id"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD_TASKS)
async def test_a_task_that_does_not_fit_says_where(vendor: ScriptedVendor, name: str) -> None:
    """INFRA-2: path, expected, found."""
    answer, path, expected = ODD_TASKS[name]
    vendor.media.replace = [answer]
    with pytest.raises(OffProtocolError) as caught:
        await media.submit(vendor.target(), "x", VIDEO_TASK)
    assert caught.value.path == path
    assert caught.value.expected.startswith(expected)
    assert caught.value.found


async def test_an_id_cannot_lead_to_another_path(vendor: ScriptedVendor) -> None:
    """SEC-4: what a vendor calls its task is data."""
    vendor.media.replace = [{"output": {"task_id": "../../files/x?y=", "task_status": "PENDING"}}]
    task = await media.submit(vendor.target(), "x", VIDEO_TASK)
    await media.poll(vendor.target(), task.id, VIDEO_TASK)
    assert vendor.log[-1].path == "/v1/tasks/..%2F..%2Ffiles%2Fx%3Fy%3D"


async def test_a_vendor_without_addresses_serves_the_file_itself(vendor: ScriptedVendor) -> None:
    """INFRA-2: fetched from a path of the endpoint, with its key."""
    own = task_of(parse_structure({"use": "dashscope_video", "fetch": "/files/{id}", "urls": []}))
    made = await media.generate_video(vendor.target(), "x", own, patience=QUICK)
    assert made.urls == ()
    assert await media.fetch_task(vendor.target(), made, own) == PIXEL
    assert vendor.log[-1].header("authorization") == "Bearer sk-none"


@pytest.mark.parametrize(
    "url",
    [
        "https://localhost/x.png",
        "https://127.0.0.1:1/x.png",
        "https://169.254.169.254/latest/meta-data",
        "https://10.0.0.7/x.png",
        "https://[::1]/x.png",
        "https://[::ffff:127.0.0.1]/x.png",
        "http://example.com/x.png",
        "file:///etc/passwd",
        "not an address",
        "https://[half",
        "https://example.com:port/",
    ],
)
async def test_nothing_private_is_fetched_on_a_vendors_word(vendor: ScriptedVendor, url: str) -> None:
    """SEC-4: no private addresses, no other schemes, no plain HTTP to strangers."""
    with pytest.raises(RefusedRequestError):
        await media.fetch(vendor.target(), url)


async def test_the_key_never_leaves_the_vendors_own_origin(vendor: ScriptedVendor) -> None:
    """SEC-3: the same host over another scheme is a stranger."""
    with pytest.raises(RefusedRequestError):
        await media.fetch(vendor.target(base_url=vendor.base_url.replace("http:", "https:")), vendor.base_url)
    with pytest.raises(RefusedRequestError):
        await media.fetch(vendor.target(), vendor.base_url.replace("http:", "https:"))
    assert vendor.log == []


async def test_a_file_has_a_largest_size(vendor: ScriptedVendor) -> None:
    """SEC-4: past the limit it is an error."""
    base = vendor.base_url
    with pytest.raises(AnswerTooLargeError):
        await media.fetch(vendor.target(), f"{base}/files/a.png", limit=10)


async def test_a_file_that_is_gone_is_an_error(vendor: ScriptedVendor) -> None:
    """INFRA-3: addresses of finished tasks expire."""
    vendor.media.refusals = [Refusal(404)]
    with pytest.raises(RefusedRequestError):
        await media.fetch(vendor.target(), f"{vendor.base_url}/files/a.png")


async def test_usage_of_pictures_is_read_where_there_is_one(vendor: ScriptedVendor) -> None:
    """LED-7: models that are priced by tokens report them."""
    usage = {"input_tokens": 10, "output_tokens": 100, "total_tokens": 110}
    vendor.media.replace = [{"data": [{"b64_json": "AAAA"}], "usage": usage}]
    assert (await media.generate_image(vendor.target(), "x")).usage == Usage(10, 0, 0, 100)


async def test_a_structure_of_the_wrong_kind_is_the_operators_to_put_right() -> None:
    """INFRA-2: a clear error names it."""
    with pytest.raises(OperatorError, match="nothing_like_it"):
        built_in("nothing_like_it")
