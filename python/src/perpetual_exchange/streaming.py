"""The stream as an iterator: it connects again, resumes each channel where it stopped, and yields no frame twice or out of order."""

import asyncio
import json
import logging
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, WebSocketException

from ._protocol import backoff
from ._stream_state import Frame, Gap, Item, KeyExpiring, Stalled, StreamState, Upgrade
from .errors import StreamError
from .keys import Key

__all__ = ["AsyncStream", "Frame", "Gap", "Item", "KeyExpiring", "Stalled", "Stream", "Upgrade"]

_KEY_REVOKED = 4401
_MESSAGE_MAX_BYTES = 16 * 1024 * 1024
# The library logs messages at the level DEBUG, and a login holds the secret. This logger is connected to no handler.
_SILENT = logging.Logger("perpetual_exchange.stream", logging.CRITICAL + 1)


class KeyHolder(Protocol):
    key: Key | None


class _Reader:
    """Reads a connection into the state, and connects again when it is lost."""

    def __init__(self, base: str, holder: KeyHolder, state: StreamState, silence: float) -> None:
        self.state = state
        self._address = f"ws{base.removeprefix('http')}/v1/ws"
        self._holder = holder
        self._silence = silence
        self._changed = asyncio.Event()
        self._error: StreamError | None = None
        self._task: asyncio.Task[None] | None = None
        self._failures = 0

    def start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    async def next(self) -> Item:
        self.start()
        while True:
            item = self.state.take()
            if item is not None:
                return item
            if self._error is not None:
                raise self._error
            self._changed.clear()
            await self._changed.wait()

    def cancel(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()

    async def close(self) -> None:
        self.cancel()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)
        if self._error is None:
            self._error = StreamError("closed", "The stream is closed.")
        self._changed.set()

    async def _run(self) -> None:
        while self._error is None:
            try:
                async with asyncio.timeout(self._silence):
                    connection = await connect(self._address, logger=_SILENT, max_size=_MESSAGE_MAX_BYTES, open_timeout=None, close_timeout=1)
                try:
                    await self._read(connection)
                finally:
                    self.state.reset()
                    await connection.close()
            except StreamError as error:
                self._error = error
            except TimeoutError:
                self._stall()
            except ConnectionClosed as error:
                if error.rcvd is not None and error.rcvd.code == _KEY_REVOKED:
                    self._error = StreamError("key_revoked", "The key was revoked. Use another one.")
            except (OSError, InvalidHandshake, WebSocketException):
                pass
            self._changed.set()
            if self._error is None:
                self._failures += 1
                await asyncio.sleep(backoff(self._failures, 0.5, 5.0))

    async def _read(self, connection: ClientConnection) -> None:
        """Reads until the connection has to be replaced. Raises ConnectionClosed and StreamError."""
        try:
            async with asyncio.timeout(self._silence) as limit:
                await self._read_within(connection, limit)
        except TimeoutError:
            self._stall()

    async def _read_within(self, connection: ClientConnection, limit: asyncio.Timeout) -> None:
        """Reads, and moves the limit with what arrives."""
        now = asyncio.get_running_loop().time
        moved_at = now()
        while True:
            text = await connection.recv()
            # Moving it costs as much as a frame, so it is moved after a hundredth of the time.
            if (at := now()) - moved_at > self._silence / 100:
                moved_at = at
                limit.reschedule(at + self._silence)
            messages = self.state.receive(text, self._holder.key)
            self._changed.set()
            if messages is None:
                return
            if self.state.is_ready:
                self._failures = 0
            for message in messages:
                await connection.send(json.dumps(message))

    def _stall(self) -> None:
        self.state.push_stalled(self._silence)
        self._changed.set()


class AsyncStream:
    """An asynchronous iterator of `Frame | Gap | Upgrade | Stalled | KeyExpiring`. It connects with the first item; use it in an `async with` block, or
    close it.

    Raises StreamError when it cannot continue: a channel was rejected, or the key was not accepted.
    """

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader

    def __aiter__(self) -> "AsyncStream":
        return self

    async def __anext__(self) -> Item:
        return await self._reader.next()

    async def __aenter__(self) -> "AsyncStream":
        self._reader.start()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connection."""
        await self._reader.close()

    def positions(self) -> dict[str, Any]:
        """The position of each log channel up to which every frame has been yielded. Give it to another stream, in another process, to continue there."""
        return self._reader.state.positions()

    def __del__(self) -> None:
        self._reader.cancel()


class Stream:
    """The same for synchronous programs: a thread reads the connection. Use it in a `with` block, or close it."""

    def __init__(self, base: str, holder: KeyHolder, state: StreamState, silence: float) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="perpetual-exchange-stream", daemon=True)
        self._reader = _Reader(base, holder, state, silence)
        self._is_closed = False

    def __iter__(self) -> "Stream":
        return self

    def __next__(self) -> Item:
        if self._is_closed:
            raise StreamError("closed", "The stream is closed.")
        self._start()
        return asyncio.run_coroutine_threadsafe(self._reader.next(), self._loop).result()

    def _start(self) -> None:
        if not self._thread.is_alive():
            self._thread.start()

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection and ends the thread."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._reader.close(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop.close()

    def positions(self) -> dict[str, Any]:
        """The position of each log channel up to which every frame has been yielded."""
        return self._reader.state.positions()


def open_async_stream(base: str, holder: KeyHolder, channels: Sequence[str], *, positions: Mapping[str, Any] | None, queue: int, silence: float) -> AsyncStream:
    return AsyncStream(_Reader(base, holder, StreamState(channels, positions, queue), silence))


def open_sync_stream(base: str, holder: KeyHolder, channels: Sequence[str], *, positions: Mapping[str, Any] | None, queue: int, silence: float) -> Stream:
    return Stream(base, holder, StreamState(channels, positions, queue), silence)
