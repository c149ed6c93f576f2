"""What came with a message: pictures inlined, everything else told in words (WORK-4)."""

import asyncio
import base64
import struct
import zlib
from pathlib import Path

import pytest

from tests.context.blocks import card
from tests.workspaces.conftest import somebody
from weft.context.conversation import Stored, user_message
from weft.sessions.metadata import Attachment
from weft.workspaces.attachments import picture_type
from weft.workspaces.folder import Limits
from weft.workspaces.service import Workspaces, WorkspaceService


def png(size: int = 0) -> bytes:
    """A picture of one dot, and as many bytes more."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0")) + chunk(b"IEND", b"") + b"\0" * size
    )


def url(content: bytes, media: str = "image/png") -> str:
    return f"data:{media};base64,{base64.b64encode(content).decode()}"


def given(path: str, media: str = "image/png", name: str = "cat.png") -> Attachment:
    return Attachment(name=name, media_type=media, path=path)


async def test_a_local_picture_is_inlined(workspace: WorkspaceService) -> None:
    """WORK-4: by what its bytes are, whatever it is called."""
    await workspace.write("pictures/cat.bin", png())
    shown = await workspace.look_at([given("pictures/cat.bin", "application/octet-stream")])
    assert shown.images == (url(png()),)
    assert shown.files == ()


async def test_the_picture_stands_ahead_of_the_text(workspace: WorkspaceService) -> None:
    """WORK-4: as a model takes it; one that cannot see gets a note."""
    await workspace.write("notes.bin", b"\0")
    shown = await workspace.look_at([await workspace.keep("cat.png", "image/png", png()), given("notes.bin")])
    stored = Stored("1", "user_input", "what is it?", images=shown.images, files=shown.files)
    picture, words = user_message(stored, card(vision=True))["content"]
    assert picture == {"type": "image_url", "image_url": {"url": url(png())}}
    assert words["text"].endswith("what is it?")
    assert "notes.bin" in words["text"]
    assert "images_this_model_cannot_see" in user_message(stored, card())["content"]


@pytest.mark.parametrize(
    ("content", "media", "said"),
    [
        (b"not a picture", "image/png", "it is no PNG, JPEG, GIF or WebP picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", "it is no PNG"),
        (b"%PDF-1.7", "application/pdf", "application/pdf, 8 bytes, at f"),
        (b"", "image/jpeg", "image/jpeg, 0 bytes"),
    ],
)
async def test_anything_else_becomes_a_file(workspace: WorkspaceService, content: bytes, media: str, said: str) -> None:
    """WORK-4: and says so."""
    await workspace.write("f", content)
    shown = await workspace.look_at([given("f", media)])
    assert shown.images == ()
    assert said in shown.files[0]
    assert shown.files[0].startswith("cat.png: ")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nothing.png", "is not there"),
        ("../../other/cat.png", "write the path plainly"),
        ("/etc/passwd", "absolute path"),
        ("https://example.com/cat.png", "a link to https://example.com/cat.png, which was not fetched"),
        ("HTTP://169.254.169.254/latest", "which was not fetched"),
        ("data:image/png;base64,AAAA", "holds no picture"),
        ("data:text/html,<script>", "holds no picture"),
        ("data:image/png;base64,%%%", "holds no picture"),
        ("file:///etc/passwd", "has ':' in a name"),
    ],
)
async def test_what_cannot_be_shown_is_told(workspace: WorkspaceService, path: str, said: str) -> None:
    """WORK-4, TOOL-5: missing, outside, or elsewhere; nothing is fetched, and nothing fails."""
    shown = await workspace.look_at([given(path)])
    assert shown.images == ()
    assert said in shown.files[0]


async def test_a_picture_in_the_message_itself(workspace: WorkspaceService) -> None:
    """WORK-4: the type is what the bytes are, not what was said."""
    shown = await workspace.look_at([given(url(png(), "image/gif"))])
    assert shown.images == (url(png()),)


async def test_large_and_many_pictures_are_left_out(workspaces: Workspaces) -> None:
    """SEC-4: saying so."""
    workspace = WorkspaceService(somebody(), Workspaces(workspaces.root, Limits(image=200, images=2)))
    await workspace.write("big.png", png(500))
    await workspace.write("small.png", png())
    shown = await workspace.look_at([given("big.png"), *[given("small.png")] * 3])
    assert len(shown.images) == 2
    assert "at most 200 are shown" in shown.files[0]
    assert "a message shows 2 pictures" in shown.files[1]


async def test_a_link_to_a_picture_outside_is_refused(workspace: WorkspaceService, secret: Path) -> None:
    """TOOL-5"""
    (secret / "cat.png").write_bytes(png())
    await workspace.write("a", b"x")
    (workspace.folder / "cat.png").symlink_to(secret / "cat.png")
    shown = await workspace.look_at([given("cat.png")])
    assert shown.images == ()


async def test_a_changed_picture_is_read_again(workspace: WorkspaceService, workspaces: Workspaces) -> None:
    """WORK-4: and one that stays is not."""
    await workspace.write("cat.png", png())
    await asyncio.sleep(0.06)
    first = await workspace.look_at([given("cat.png")])
    assert (await workspace.look_at([given("cat.png")])).images[0] is first.images[0]
    await workspace.write("cat.png", png(3))
    assert (await workspace.look_at([given("cat.png")])).images == (url(png(3)),)


@pytest.mark.parametrize(
    ("head", "media"),
    [
        (png(), "image/png"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\x10\0\0\0WAVEfmt ", None),
        (b"BM", None),
        (b"", None),
    ],
)
def test_pictures_are_told_by_their_bytes(head: bytes, media: str | None) -> None:
    """WORK-4"""
    assert picture_type(head[:16]) == media


@pytest.mark.parametrize(
    "name", ["猫.png", "../../etc/cat.png", "a\\b\\cat.png", "  .png", "", "x" * 300 + ".png", "a\u202eb?.png", ".."]
)
async def test_uploads_are_kept_under_names_of_their_own(workspace: WorkspaceService, name: str) -> None:
    """TOOL-5: whatever it was called, and two of one name side by side."""
    one, two = [await workspace.keep(name, "image/png", png()) for _ in range(2)]
    assert one.path != two.path
    assert one.path.startswith("uploads/")
    assert one.path.count("/") == 1
    assert (await workspace.look_at([one])).images == (url(png()),)
