# pyright: basic, reportOptionalSubscript=false, reportOptionalMemberAccess=false, reportIncompatibleMethodOverride=false
# CCXT's base class has no types.
"""The exchange with CCXT's interface: unified symbols, structures and errors over the client."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ccxt
import ccxt.async_support as ccxt_async

from .._ccxt.description import CANDLES_MAX, PAGE_MAX, PAGES_MAX, TIMEFRAMES, description
from .._ccxt.errors import ccxt_errors
from .._ccxt.order_requests import OrderArguments, is_market_trade, needs_positions, needs_price, trade_request, whole_leverage
from .._ccxt.parse import (
    Row,
    parse_balance,
    parse_book,
    parse_candle,
    parse_fill,
    parse_funding,
    parse_funding_row,
    parse_ledger_entry,
    parse_leverage_tiers,
    parse_market,
    parse_open_interest,
    parse_open_order,
    parse_order,
    parse_position,
    parse_ticker,
    parse_trade,
    parse_transaction,
)
from .._trading import takes_bound
from ..keys import Key
from .client import AsyncClient
from .trade import AsyncTrading

_CANDLES_DEFAULT = 500
_ROWS_DEFAULT = 100
_ORDER_ID = re.compile(r"\d{1,15}", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{64}")


class AsyncPerpetual(ccxt_async.Exchange):
    """A CCXT exchange. `privateKey` is the account's secret key (`S…`), which signs orders; the package verifies each before it signs it. `sign_in` creates
    an API key."""

    def __init__(self, config: Mapping[str, Any] = {}) -> None:
        self._client: AsyncClient | None = None
        self._trading: AsyncTrading | None = None
        self._leverages: dict[str, int] = {}
        super().__init__(config)  # pyright: ignore[reportArgumentType]

    def describe(self) -> Any:
        return self.deep_extend(super().describe(), description())

    async def close(self, *arguments: Any, **named: Any) -> Any:
        """Closes the connections."""
        if self._client is not None:
            await self._client.close()
        return await super().close(*arguments, **named)

    # The exchange

    async def fetch_markets(self, params: Any = {}) -> list[Any]:  # noqa: B006
        return [self.safe_market_structure(parse_market(row)) for row in (await self._read("/v1/instruments"))["instruments"]]

    async def fetch_leverage_tiers(self, symbols: Sequence[str] | None = None, params: Any = {}) -> Any:  # noqa: B006
        wanted = await self._wanted(symbols)
        return {symbol: parse_leverage_tiers(self.market(symbol)["info"]) for symbol in wanted}

    async def fetch_time(self, params: Any = {}) -> int:  # noqa: B006
        return int(await self._read("/udf/time")) * 1000

    async def fetch_status(self, params: Any = {}) -> Any:  # noqa: B006
        health = await self._read("/v1/health")
        index = health["indexer"]
        status = "maintenance" if index["marketFound"] is False else "ok"
        return {"status": status, "updated": index["lastUpdatedAt"], "eta": None, "url": None, "info": health}

    async def fetch_ticker(self, symbol: str, params: Any = {}) -> Any:  # noqa: B006
        await self.load_markets()
        name = self.market(symbol)["symbol"]
        tickers = await self.fetch_tickers([name])
        if name not in tickers:
            raise ccxt.ExchangeError(f"The price of {symbol} is not available.")
        return tickers[name]

    async def fetch_tickers(self, symbols: Sequence[str] | None = None, params: Any = {}) -> Any:  # noqa: B006
        wanted = await self._wanted(symbols)
        stats = {row["asset"]: row for row in (await self._read("/v1/markets/stats"))["stats"]}
        prices = (await self._read("/v1/oracle/prices"))["prices"]
        tickers = [self._dated(parse_ticker(price, stats.get(price["asset"]))) for price in prices]
        return {row["symbol"]: self.safe_ticker(row, self.market(row["symbol"])) for row in tickers if row["symbol"] in wanted}

    async def fetch_ohlcv(self, symbol: str, timeframe: str = "1m", since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Candles of oracle prices, oldest first, with the volume of trades in the base currency at the close."""
        await self.load_markets()
        asset = self.market(symbol)["id"]
        if timeframe not in TIMEFRAMES:
            raise ccxt.BadRequest(f"Unknown timeframe {timeframe}. Timeframes: {', '.join(TIMEFRAMES)}.")
        count = min(limit or _CANDLES_DEFAULT, CANDLES_MAX)
        query = {"asset": asset, "interval": timeframe, "limit": count}
        if since is None:
            return [parse_candle(row) for row in (await self._read("/v1/candles", **query))["candles"]]
        step = int(self.parse_timeframe(timeframe))
        start, found = -(-since // 1000), []
        # A time without candles does not end the list.
        for _ in range(PAGES_MAX):
            end = start + (count - len(found)) * step
            rows = (await self._read("/v1/candles", **query, **{"from": start, "to": end}))["candles"]
            found += [parse_candle(row) for row in rows]
            start = end
            if len(found) >= count or end > time.time():
                break
        return found

    async def fetch_trades(self, symbol: str, since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Closed and liquidated positions."""
        await self.load_markets()
        rows = await self._collect("/v1/trades", "trades", parse_trade, since, limit, asset=self.market(symbol)["id"])
        return self._trades_of(rows)

    async def fetch_order_book(self, symbol: str, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        """One level on each side, with the room that is left for it: trades are made against the pool."""
        await self.load_markets()
        return parse_book(await self._read(f"/v1/markets/{self.market(symbol)['id']}/book"))

    async def fetch_open_interest(self, symbol: str, params: Any = {}) -> Any:  # noqa: B006
        await self.load_markets()
        name = self.market(symbol)["symbol"]
        return (await self.fetch_open_interests([name]))[name]

    async def fetch_open_interests(self, symbols: Sequence[str] | None = None, params: Any = {}) -> Any:  # noqa: B006
        wanted = await self._wanted(symbols)
        rows = [parse_open_interest(row) for row in (await self._read("/v1/markets/stats"))["stats"]]
        return {row["symbol"]: self.safe_open_interest(row, self.market(row["symbol"])) for row in rows if row["symbol"] in wanted}

    async def fetch_funding_rate(self, symbol: str, params: Any = {}) -> Any:  # noqa: B006
        await self.load_markets()
        name = self.market(symbol)["symbol"]
        return (await self.fetch_funding_rates([name]))[name]

    async def fetch_funding_rates(self, symbols: Sequence[str] | None = None, params: Any = {}) -> Any:  # noqa: B006
        wanted = await self._wanted(symbols)
        current = (await self._read("/v1/funding", limit=1))["current"]
        rates = {symbol: parse_funding(current, self.market(symbol)) for symbol in wanted}
        return {symbol: {**rate, "fundingDatetime": self.iso8601(rate["fundingTimestamp"])} for symbol, rate in rates.items()}

    async def fetch_funding_rate_history(
        self,
        symbol: str | None = None,
        since: int | None = None,
        limit: int | None = None,
        params: Any = {},  # noqa: B006
    ) -> Any:
        await self.load_markets()
        market = self.market(symbol)
        rows = await self._collect("/v1/funding", "history", lambda row: parse_funding_row(row, market), since, limit, asset=market["id"])
        return [self._dated(row) for row in rows]

    # The account

    async def sign_in(self, params: Any = {}) -> Any:  # noqa: B006
        """Creates an API key by signing a challenge, and uses it from then on."""
        signer = self._signer()
        with ccxt_errors():
            issued = (await self._connected().create_key(signer)).data
        self.apiKey, self.secret = issued.key_id, issued.secret
        return {"apiKey": issued.key_id, "secret": issued.secret}

    async def fetch_balance(self, params: Any = {}) -> Any:  # noqa: B006
        return self.safe_balance(self._dated(parse_balance(await self._state())))

    async def fetch_positions(self, symbols: Sequence[str] | None = None, params: Any = {}) -> Any:  # noqa: B006
        wanted = await self._wanted(symbols)
        state = await self._state()
        rows = [self._dated(parse_position(row, state["orders"] or [])) for row in self._part(state, "positions")]
        return [self.safe_position(row) for row in rows if row["symbol"] in wanted]

    async def fetch_position(self, symbol: str, params: Any = {}) -> Any:  # noqa: B006
        return next(iter(await self.fetch_positions([symbol])), None)

    async def fetch_open_orders(self, symbol: str | None = None, since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        wanted = await self._wanted(None if symbol is None else [symbol])
        state = await self._state()
        positions = {row["positionId"]: row for row in state["positions"] or []}
        rows = [parse_open_order(row, positions.get(row["positionId"])) for row in self._part(state, "orders")]
        found = [row for row in rows if row["symbol"] in wanted and row["timestamp"] >= (since or 0)]
        return [self._order(row) for row in reversed(found)][:limit]

    async def fetch_order(self, id: str | None, symbol: str | None = None, params: Any = {}) -> Any:  # noqa: B006
        """An order in any state of its life. Market orders have no id on the chain: theirs is the hash of their transaction. `params.clientOrderId` finds the
        order by the client's id."""
        await self.load_markets()
        client_id = params.get("clientOrderId")
        if client_id is None and id is not None and _ORDER_ID.fullmatch(id):
            return self._order(await self._with_terms(parse_order(await self._read(f"/v1/orders/{id}"))))
        if client_id is None and (id is None or not _HASH.fullmatch(id)):
            raise ccxt.InvalidOrder(f"{id} is neither an order id nor the hash of a transaction")
        self._require_key()
        found = await (self._read(f"/v1/tx/{id}") if client_id is None else self._read("/v1/tx", clientId=client_id))
        # A close names the orders of its position that ended with it.
        if found["orderId"] is not None and not is_market_trade(found["op"]):
            placed = await self._with_terms(parse_order(await self._read(f"/v1/orders/{found['orderId']}")))
            return self._order({**placed, "clientOrderId": found["clientId"]})
        return self._order(await self._with_fills(parse_transaction(found, symbol)))

    async def fetch_orders(self, symbol: str | None = None, since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Orders in any state, by placement. Market orders are not among them: `fetch_my_trades` lists what they did."""
        return await self._orders(None, symbol, since, limit)

    async def fetch_closed_orders(self, symbol: str | None = None, since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        return await self._orders("executed", symbol, since, limit)

    async def fetch_canceled_orders(self, symbol: str | None = None, since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        return await self._orders("cancelled", symbol, since, limit)

    async def fetch_my_trades(self, symbol: str | None = None, since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Every change of a position: openings, closes and liquidations, whole or in part."""
        wanted = await self._wanted(None if symbol is None else [symbol])
        self._require_key()

        def parse(fill: Row) -> Row | None:
            row = parse_fill(fill)
            return row if symbol is None or row["symbol"] in wanted else None

        return self._trades_of(await self._collect("/v1/account/me/fills", "fills", parse, since, limit))

    async def fetch_ledger(self, code: str | None = None, since: int | None = None, limit: int | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Movements of USDC between the account and the exchange."""
        if code not in (None, "USDC"):
            raise ccxt.BadRequest(f"The ledger has USDC only, not {code}.")
        self._require_key()
        return [self._dated(row) for row in await self._collect("/v1/account/me/ledger", "ledger", parse_ledger_entry, since, limit)]

    # Trading

    async def set_leverage(self, leverage: Any, symbol: str | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Sets the leverage of future orders. Each position keeps the leverage that it was opened with."""
        await self.load_markets()
        name = self.market(symbol)["symbol"]
        self._leverages[name] = whole_leverage(leverage, ccxt.BadRequest)
        return {"symbol": name, "leverage": self._leverages[name]}

    async def create_order(self, symbol: str, type: str, side: str, amount: Any = None, price: Any = None, params: Any = {}) -> Any:  # noqa: B006
        """`amount` is in the base currency, `price` triggers a limit order. Market orders execute at the oracle price; `params.cost` sets their size in USDC
        instead of `amount`. `params.reduceOnly` or `params.positionId` closes a position: completely, or an `amount` of it. `params.stopLossPrice`,
        `takeProfitPrice` or `trailingPercent` attaches an order to it."""
        await self.load_markets()
        market = self.market(symbol)
        trading = self._trades()
        terms = {"slippageToleranceBps": self.options["slippageToleranceBps"], "leverage": self._leverages.get(market["symbol"], 1), **params}
        order = OrderArguments(market, type, side, amount, price, terms)
        if needs_price(order):
            units = int((await self._read(f"/v1/markets/{market['id']}/price"))["price"])
            order = OrderArguments(market, type, side, amount, price, terms, units)
        positions = self._part(await self._state(), "positions") if needs_positions(order) else []
        request = trade_request(order, positions)
        if terms.get("clientOrderId") is not None:
            request["clientId"] = terms["clientOrderId"]
        with ccxt_errors():
            if "slippageBps" in request and not takes_bound((await self._connected().get_health()).data):
                del request["slippageBps"]
            done = await trading.execute(request)
        id = done.hash if done.order_id is None or is_market_trade(request["op"]) else str(done.order_id)
        try:
            found = await self.fetch_order(id, market["symbol"])
        except ccxt.BaseError:
            # The order was placed. Not knowing more of it must not make it look failed.
            found = self._order({"id": id, "symbol": market["symbol"], "type": type, "side": side, "info": {"hash": done.hash, "ledger": done.ledger}})
        return {**found, "clientOrderId": terms.get("clientOrderId")}

    async def create_market_order_with_cost(self, symbol: str, side: str, cost: Any, params: Any = {}) -> Any:  # noqa: B006
        return await self.create_order(symbol, "market", side, None, None, {**params, "cost": cost})

    async def create_stop_limit_order(self, symbol: str, side: str, amount: Any, price: Any, triggerPrice: Any, params: Any = {}) -> Any:  # noqa: B006
        return await self.create_order(symbol, "limit", side, amount, price, {**params, "triggerPrice": triggerPrice})

    async def cancel_order(self, id: str, symbol: str | None = None, params: Any = {}) -> Any:  # noqa: B006
        await self.load_markets()
        if not _ORDER_ID.fullmatch(id):
            raise ccxt.InvalidOrder(f"{id} is not an order id")
        trading = self._trades()
        resting = [row for row in await self.fetch_open_orders(symbol) if row["id"] == id]
        with ccxt_errors():
            done = await trading.cancel(int(id))
        if not resting:
            raise ccxt.ExchangeError(f"Order {id} was cancelled ({done.hash}), but its details are unknown.")
        return {**resting[0], "status": "canceled"}

    async def cancel_all_orders(self, symbol: str | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Cancels all open orders one after the other. Returns the cancelled ones: an order that has ended by itself is not among them."""
        cancelled: list[Any] = []
        for order in await self.fetch_open_orders(symbol):
            try:
                cancelled.append(await self.cancel_order(order["id"]))
            except ccxt.OrderNotFound:
                continue
        return cancelled

    async def close_position(self, symbol: str, side: str | None = None, params: Any = {}) -> Any:  # noqa: B006
        """Closes a position: the one of `params.positionId`, or the only one on that side, `long` or `short`. Without a side, the only one in the market;
        raises ArgumentsRequired when long and short positions are open."""
        if side is None:
            wanted = params.get("positionId")
            sides = {row["side"] for row in await self.fetch_positions([symbol]) if wanted is None or row["id"] == str(wanted)}
            if not sides:
                raise ccxt.InvalidOrder(f"No position in {symbol} to close.")
            if len(sides) > 1:
                raise ccxt.ArgumentsRequired(f"Long and short positions are open in {symbol}. Pass the side, or params.positionId.")
            side = sides.pop()
        return await self.create_order(symbol, "market", "sell" if side == "long" else "buy", None, None, {**params, "reduceOnly": True})

    # Parts

    def _connected(self) -> AsyncClient:
        if self._client is None:
            if bool(self.apiKey) != bool(self.secret):
                raise ccxt.AuthenticationError("Set apiKey and secret together.")
            key = Key(self.apiKey, self.secret) if self.apiKey and self.secret else None
            with ccxt_errors():
                self._client = AsyncClient(self.urls["api"], key, timeout=self.timeout / 1000)
        return self._client

    def _require_key(self) -> None:
        if self._connected().key is None:
            raise ccxt.AuthenticationError("No API key configured. Set apiKey and secret, or call sign_in().")

    def _signer(self) -> Any:
        from stellar_sdk import Keypair
        from stellar_sdk.exceptions import SdkError

        if not self.privateKey:
            raise ccxt.AuthenticationError("No signer configured. Set privateKey.")
        try:
            return Keypair.from_secret(self.privateKey)
        except (ValueError, SdkError):
            raise ccxt.AuthenticationError("privateKey is not a valid secret key (S…, 56 characters).") from None

    def _trades(self) -> AsyncTrading:
        self._require_key()
        if self._trading is None:
            self._trading = self._connected().trade(self._signer())
        return self._trading

    async def _read(self, path: str, **query: Any) -> Any:
        with ccxt_errors():
            return (await self._connected()._http.call("GET", path, object, query=query, repeatable=True)).data

    async def _state(self) -> Row:
        self._require_key()
        return await self._read("/v1/account/me/state")

    def _part(self, state: Row, name: str) -> list[Row]:
        if state[name] is None:
            raise ccxt.ExchangeError(f"The {name} are not available.")
        return state[name]

    async def _collect(self, path: str, member: str, parse: Callable[[Row], Row | None], since: int | None, limit: int | None, **query: Any) -> list[Row]:
        """From a list with the newest row first: the oldest rows since `since`, or the newest without it. The oldest row is first."""
        count = limit or _ROWS_DEFAULT
        found: list[Row] = []
        cursor: str | None = None
        for _ in range(PAGES_MAX):
            page = await self._read(path, **query, cursor=cursor, limit=PAGE_MAX)
            rows = [row for row in map(parse, page[member]) if row is not None]
            found += rows if since is None else [row for row in rows if row["timestamp"] is None or row["timestamp"] >= since]
            cursor = page["nextCursor"]
            is_past = since is not None and any(row["timestamp"] is not None and row["timestamp"] < since for row in rows)
            if cursor is None or is_past or (since is None and len(found) >= count):
                break
        newest = found[:count] if since is None else found[-count:]
        return newest[::-1]

    async def _orders(self, status: str | None, symbol: str | None, since: int | None, limit: int | None) -> list[Any]:
        await self.load_markets()
        self._require_key()
        asset = None if symbol is None else self.market(symbol)["id"]
        rows = await self._collect("/v1/account/me/orders/history", "orders", parse_order, since, limit, status=status, asset=asset)
        return [self._order(row) for row in rows]

    async def _wanted(self, symbols: Sequence[str] | None) -> set[str]:
        await self.load_markets()
        return {self.market(symbol)["symbol"] for symbol in (self.symbols if symbols is None else symbols)}

    async def _with_terms(self, order: Row) -> Row:
        """The gateway learns the terms of a new order a moment after its placement. Until then, they come from the account's open orders."""
        if order["status"] != "open" or order["amount"] is not None or self._connected().key is None:
            return order
        return next((row for row in await self.fetch_open_orders() if row["id"] == order["id"]), order)

    async def _with_fills(self, order: Row) -> Row:
        """The event of a partial close does not say what was traded; the account's fills do."""
        if order["average"] is None or order["filled"] is not None:
            return order
        page = await self._read("/v1/account/me/fills", limit=PAGE_MAX)
        fills = [parse_fill(row) for row in page["fills"] if row["txHash"] == order["id"]]
        if not fills or any(fill["amount"] is None for fill in fills):
            return order
        filled = sum(fill["amount"] for fill in fills)
        known = {"amount": filled, "filled": filled, "remaining": 0.0, "cost": sum(fill["cost"] for fill in fills)}
        return {**order, **known, "side": fills[-1]["side"], "symbol": fills[-1]["symbol"]}

    def _dated(self, row: Row) -> Row:
        return {**row, "datetime": self.iso8601(row["timestamp"])}

    def _order(self, row: Row) -> Any:
        made = {"timestamp": None, "trades": [], **row}
        return self.safe_order(self._dated(made), self.markets.get(row["symbol"]))

    def _trades_of(self, rows: Sequence[Row]) -> list[Any]:
        return [self.safe_trade(self._dated(row), self.markets.get(row["symbol"])) for row in rows]
