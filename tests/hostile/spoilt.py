"""Texts and bytes as accidents and attackers change them, the same every time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial

from hostile.case import REFUSED, RIGHT, Case

_INSERTED = (
    *(b"\0", b"\xff", b"\r", b'"', b"'", b"<", b"&", b"{", b"[", b"(", b",", b";", b"-", b"\\"),
    *(b"9" * 400, b"e999", b"\xe2\x80\xae"),
)


def file_cases(
    family: str,
    whole: dict[str, bytes],
    refused: dict[str, tuple[str, ...]],
    n_damaged: int,
    act: Callable[[str, bytes], object],
) -> Iterator[Case]:
    """Files that a reader can read, by suffix, spoilt and misnamed; and texts that it must refuse."""
    for suffix, content in whole.items():
        for what, spoilt in (*cut_off(content), *damaged(content, f"{family} {suffix}", n_damaged)):
            yield Case(family, f"{suffix}: {what}", partial(act, suffix, spoilt), (RIGHT, REFUSED))
        for other in whole:
            if other != suffix:
                yield Case(family, f"{suffix} called {other}", partial(act, other, content), (RIGHT, REFUSED))
    for suffix, texts in refused.items():
        for number, text in enumerate(texts):
            content = text.encode("utf-8", "surrogatepass")
            yield Case(family, f"{suffix}: refused {number} {text[:20]!r}", partial(act, suffix, content), (REFUSED,))


def cut_off(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The content as a disk that was full leaves it."""
    for share in (0.0, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98):
        yield f"cut off at {share:.0%}", content[: int(share * len(content))]


def damaged(content: bytes, seed: str, n: int) -> Iterator[tuple[str, bytes]]:
    """The content with bits flipped, pieces repeated, exchanged, left out or put in."""
    draw = random.Random(seed)
    for number in range(n):
        spoilt = content
        for _ in range(draw.choice((1, 1, 2, 5))):
            spoilt = _once(spoilt, draw)
        yield f"damaged {number}", spoilt


def _once(content: bytes, draw: random.Random) -> bytes:
    start, stop = sorted(draw.randrange(len(content) + 1) for _ in range(2))
    stop = min(stop, start + draw.choice((1, 3, 30, 300)))
    how = draw.randrange(5)
    if how == 0 and start < len(content):
        return content[:start] + bytes([content[start] ^ 1 << draw.randrange(8)]) + content[start + 1 :]
    if how == 1:
        return content[:start] + content[stop:]
    if how == 2:
        return content[:start] + content[start:stop] * draw.choice((2, 3, 50)) + content[stop:]
    if how == 3:
        lines = content.split(b"\n")
        draw.shuffle(lines)
        return b"\n".join(lines)
    return content[:start] + draw.choice(_INSERTED) + content[start:]
