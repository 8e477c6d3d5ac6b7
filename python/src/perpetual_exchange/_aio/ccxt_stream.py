# pyright: basic, reportIncompatibleMethodOverride=false
# CCXT's base class has no types.
"""The stream with CCXT's interface: the asynchronous class with the methods `watch_…`."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ccxt

from .._ccxt.description import interval_of, stream_description
from .._ccxt.errors import ccxt_errors
from .._ccxt.parse import Row, parse_candle, parse_fill, parse_order, parse_stream_trade, parse_ticker
from ..errors import StreamError
from ..streaming import AsyncStream, Frame, Gap
from .ccxt import AsyncPerpetual

# CCXT's limit for frames that were not read yet.
_FRAMES_MAX = 1_000


class _Channel:
    """The frames that one reader of a channel has not read yet."""

    def __init__(self) -> None:
        self.frames: deque[Frame] = deque(maxlen=_FRAMES_MAX)
        self._failure: Exception | None = None
        self._waiters: list[asyncio.Future[list[Frame]]] = []

    def add(self, frame: Frame) -> None:
        self.frames.append(frame)
        self._settle()

    def fail(self, error: Exception) -> None:
        """The next call raises the error."""
        self._failure = error
        self._settle()

    async def take(self) -> list[Frame]:
        waiter: asyncio.Future[list[Frame]] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        self._settle()
        return await waiter

    def _settle(self) -> None:
        waiting = [waiter for waiter in self._waiters if not waiter.done()]
        self._waiters = waiting
        if not waiting or not (self.frames or self._failure):
            return
        self._waiters = []
        if self._failure is not None:
            for waiter in waiting:
                waiter.set_exception(self._failure)
            self._failure = None
            return
        frames = list(self.frames)
        self.frames.clear()
        for waiter in waiting:
            waiter.set_result(frames)


class Watcher:
    """One stream for all channels. Each call of `next` returns the frames since the previous call of its reader, and waits if there are none."""

    def __init__(self, open_stream: Callable[[Sequence[str]], AsyncStream]) -> None:
        self._open_stream = open_stream
        self._channels: dict[tuple[str, str], _Channel] = {}
        self._stream: AsyncStream | None = None
        self._task: asyncio.Task[None] | None = None

    async def next(self, channel: str, reader: str = "") -> list[Frame]:
        """At least one frame. Readers of one channel do not take frames from each other."""
        known = self._channels.get((channel, reader))
        if known is None:
            known = self._channels[channel, reader] = _Channel()
            if self._stream is None:
                self._stream = self._open_stream([channel])
                self._task = asyncio.create_task(self._run(self._stream))
            else:
                await self._stream.add(channel)
        return await known.take()

    async def close(self) -> None:
        """Calls that wait raise ExchangeClosedByUser."""
        stream, task = self._stream, self._task
        self._fail_all(ccxt.ExchangeClosedByUser("The exchange is closed."))
        if stream is not None and task is not None:
            await stream.aclose()
            await task

    async def _run(self, stream: AsyncStream) -> None:
        try:
            async for item in stream:
                if isinstance(item, Frame):
                    self._each((item.channel,), lambda channel, frame=item: channel.add(frame))
                elif isinstance(item, Gap):
                    until = "" if item.until is None else f" up to {item.until}"
                    error = ccxt.NetworkError(f"Frames after {item.since}{until} are missing: {item.reason}")
                    self._each(item.channels, lambda channel, error=error: channel.fail(error))
        except StreamError as error:
            if error.code != "closed":
                await stream.aclose()
                kind = {"rejected": ccxt.BadSymbol, "slow": ccxt.NetworkError}.get(error.code, ccxt.AuthenticationError)
                self._fail_all(kind(str(error)))

    def _each(self, names: Sequence[str], act: Callable[[_Channel], None]) -> None:
        for (name, _), channel in self._channels.items():
            if name in names:
                act(channel)

    def _fail_all(self, error: Exception) -> None:
        """Ends the stream. The next call opens another one."""
        channels = list(self._channels.values())
        self._channels, self._stream, self._task = {}, None, None
        for channel in channels:
            channel.fail(error)


class AsyncPerpetualStream(AsyncPerpetual):
    """A CCXT exchange with the methods `watch_…`. Each returns what happened since its previous call, and waits if nothing did. They raise NetworkError
    where frames are missing: read the state again with `fetch_…`."""

    def __init__(self, config: Mapping[str, Any] = {}) -> None:
        self._watcher: Watcher | None = None
        self._owner: str | None = None
        self._is_closed = False
        super().__init__(config)

    def describe(self) -> Any:
        return self.deep_extend(super().describe(), stream_description())

    async def sign_in(self, params: Any = {}) -> Any:  # noqa: B006
        self._owner = None
        return await super().sign_in(params)

    async def close(self, *arguments: Any, **named: Any) -> Any:
        """Closes the connections. Pending calls raise ExchangeClosedByUser."""
        self._is_closed = True
        if self._watcher is not None:
            await self._watcher.close()
        return await super().close(*arguments, **named)

    async def watch_ticker(self, symbol: str, params: Any = {}) -> Any:  # noqa: B006
        await self.load_markets()
        market = self.market(symbol)
        frames = await self._next(f"ticker.{market['id']}")
        return self.safe_ticker(self._dated(parse_ticker(frames[-1].data, None)), market)

    async def watch_trades(self, symbol: str, since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Openings, closes and liquidations as they happen. The amount of a close is unknown: its size is at the entry price."""
        await self.load_markets()
        channel = f"trades.{self.market(symbol)['id']}"
        while True:
            rows = [row for row in (parse_stream_trade(frame.data) for frame in await self._next(channel)) if row is not None]
            if found := self.filter_by_since_limit(self._trades_of(rows), since, limit, "timestamp", True):
                return found

    async def watch_ohlcv(self, symbol: str, timeframe: str = "1m", since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Only the last update of each candle."""
        await self.load_markets()
        channel = f"candles.{self.market(symbol)['id']}.{interval_of(timeframe)}"
        while True:
            candles = {frame.data["time"]: parse_candle(frame.data) for frame in await self._next(channel)}
            if found := self.filter_by_since_limit(list(candles.values()), since, limit, 0, True):
                return found

    async def watch_orders(self, symbol: str | None = None, since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Orders that were placed, executed or cancelled, each as of its event. An order of an unknown market is always among them."""
        wanted = await self._wanted(None if symbol is None else [symbol])
        while True:
            rows = [parse_order(data["row"]) for data in await self._next_of_account("orders") if data["kind"] == "order"]
            orders = [self._order(await self._with_terms(row)) for row in rows if row["symbol"] in (*wanted, None)]
            if found := self.filter_by_since_limit(orders, since, limit, "timestamp", True):
                return found

    async def watch_my_trades(self, symbol: str | None = None, since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Changes of positions."""
        wanted = await self._wanted(None if symbol is None else [symbol])
        while True:
            # A fill comes again when its fee becomes known.
            rows = [parse_fill(data["row"]) for data in await self._next_of_account("fills") if data["kind"] == "fill" and "again" not in data]
            trades = self._trades_of([row for row in rows if row["symbol"] in (*wanted, None)])
            if found := self.filter_by_since_limit(trades, since, limit, "timestamp", True):
                return found

    async def watch_positions(self, symbols: Sequence[str] | None = None, since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        """The open positions after the account's next event."""
        await self._next(f"account.events.{await self._account()}")
        return await self.fetch_positions(symbols)

    async def _next_of_account(self, reader: str) -> list[Row]:
        return [dict(frame.data) for frame in await self._next(f"account.orders.{await self._account()}", reader)]

    async def _account(self) -> str:
        if self._owner is None:
            self._require_key()
            self._owner = str((await self._read("/v1/account/me"))["owner"])
        return self._owner

    async def _next(self, channel: str, reader: str = "") -> list[Frame]:
        if self._is_closed:
            raise ccxt.ExchangeClosedByUser(f"{self.id} is closed.")
        if self._watcher is None:
            self._watcher = Watcher(self._connected().stream)
        with ccxt_errors():
            return await self._watcher.next(channel, reader)
