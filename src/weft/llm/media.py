"""Calls that are no chat: embeddings, pictures and videos, over HTTP by the structure of their model."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from weft.kit.errors import OperatorError
from weft.llm.errors import ModelError, TimedOutError, VendorFailedError
from weft.llm.json_call import call, post
from weft.llm.outgoing import fetch
from weft.llm.structure_reading import read_embeddings, read_images, read_task
from weft.llm.structure_types import (
    Embeddings,
    EmbeddingStructure,
    Images,
    ImageStructure,
    MediaTask,
    TaskStatus,
    TaskStructure,
)
from weft.llm.structures import built_in
from weft.llm.types import Target

__all__ = ["Patience", "embed", "fetch", "fetch_task", "generate_image", "generate_video", "poll", "submit", "wait"]

OnTask = Callable[[MediaTask], Awaitable[None]]
NO_OPTIONS: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds between two looks at a task, growing from the first to the longest, and until it is given up."""

    first: float = 1.0
    factor: float = 1.5
    longest: float = 15.0
    deadline: float = 900.0


async def embed(
    target: Target,
    texts: Sequence[str],
    structure: EmbeddingStructure | None = None,
    options: Mapping[str, Any] = NO_OPTIONS,
) -> Embeddings:
    """One vector for each text, in their order."""
    if not texts:
        return Embeddings(())
    used = structure or _usual("openai_embeddings", EmbeddingStructure)
    answer = await post(target, used.request, {"$texts": list(texts)}, options)
    return read_embeddings(used, answer, target, len(texts))


async def generate_image(
    target: Target,
    prompt: str,
    structure: ImageStructure | TaskStructure | None = None,
    options: Mapping[str, Any] = NO_OPTIONS,
    patience: Patience = Patience(),
) -> Images:
    """Pictures of what the prompt says, whether the vendor makes them at once or as a task."""
    used = structure or _usual("openai_images", ImageStructure)
    if isinstance(used, TaskStructure):
        made = await wait(target, await submit(target, prompt, used, options), used, patience)
        return Images(made.urls, (), made.usage, made.units)
    return read_images(used, await post(target, used.request, {"$prompt": prompt}, options), target)


async def generate_video(
    target: Target,
    prompt: str,
    structure: TaskStructure | None = None,
    options: Mapping[str, Any] = NO_OPTIONS,
    patience: Patience = Patience(),
    on_task: OnTask | None = None,
) -> MediaTask:
    """A finished video task; `on_task` hears of it as soon as it is submitted, so that it can be kept."""
    used = structure or _usual("dashscope_video", TaskStructure)
    task = await submit(target, prompt, used, options)
    if on_task is not None:
        await on_task(task)
    return await wait(target, task, used, patience)


async def submit(
    target: Target, prompt: str, structure: TaskStructure, options: Mapping[str, Any] = NO_OPTIONS
) -> MediaTask:
    """Ask for a task; never repeated here, for each submission is paid."""
    return read_task(structure, await post(target, structure.request, {"$prompt": prompt}, options), target)


async def poll(target: Target, task_id: str, structure: TaskStructure) -> MediaTask:
    """Look how far a task is."""
    return read_task(structure, await call(target, "GET", structure.poll.format(id=quote(task_id, safe=""))), target)


async def wait(
    target: Target,
    task: MediaTask,
    structure: TaskStructure,
    patience: Patience = Patience(),
) -> MediaTask:
    """Wait until a task is over; one that failed, or is not over in time, is an error.

    A look that fails in passing is not the task's failure: the next one may succeed.
    """
    loop = asyncio.get_running_loop()
    ends = loop.time() + patience.deadline
    pause = patience.first
    while not task.status.over:
        if loop.time() + pause > ends:
            detail = f"task {task.id} is {task.status} after {patience.deadline:g} s"
            raise TimedOutError(detail, target=target, stage="gap")
        await asyncio.sleep(pause)
        pause = min(pause * patience.factor, patience.longest)
        try:
            task = await poll(target, task.id, structure)
        except ModelError as error:
            if not error.passing:
                raise
    if task.status is TaskStatus.FAILED:
        raise VendorFailedError(f"task {task.id} failed: {task.error or 'no reason given'}", target=target)
    return task


async def fetch_task(target: Target, task: MediaTask, structure: TaskStructure) -> bytes:
    """What a task made: its first file."""
    if structure.fetch is not None:
        return await fetch(target, target.base_url.rstrip("/") + structure.fetch.format(id=quote(task.id, safe="")))
    return await fetch(target, task.urls[0])


def _usual(name: str, kind: type[Any]) -> Any:
    structure = built_in(name)
    if not isinstance(structure, kind):
        raise OperatorError(f"{name} is no {kind.__name__}")
    return structure
