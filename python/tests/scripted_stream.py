"""A WebSocket server whose messages the test scripts."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import ServerConnection, serve

HELLO = {"type": "hello", "ts": 1, "epoch": "e1", "head": 5, "ledger": 3}
SUBSCRIBED = {"type": "subscribed", "channels": ["events"], "heads": {"events": 5}}


def frame(seq: int, prev: int, channel: str = "events", **more: object) -> dict[str, Any]:
    return {"channel": channel, "seq": seq, "prev": prev, "data": {"n": seq}, **more}


@asynccontextmanager
async def scripted(handler: Callable[[ServerConnection, int], Awaitable[None]]) -> AsyncGenerator[str]:
    """A server whose connections the test scripts; they are counted from 1."""
    count = 0

    async def handle(connection: ServerConnection) -> None:
        nonlocal count
        count += 1
        await handler(connection, count)

    async with serve(handle, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"http://127.0.0.1:{port}"


async def send(connection: ServerConnection, *messages: dict[str, Any]) -> None:
    for message in messages:
        await connection.send(json.dumps(message))
