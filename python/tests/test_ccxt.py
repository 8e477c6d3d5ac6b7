# pyright: basic
# CCXT's classes and checks have no types.
"""The exchange class for CCXT, with CCXT's own checks of its structures."""

import asyncio
import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from conftest import TIMEOUT, Gateway, LocalNetwork

from perpetual_exchange import ApiError, Client, ContractFailure, RateLimited, UnexpectedAnswer, UnknownOutcome, Unreachable, errors

ccxt = pytest.importorskip("ccxt", reason="CCXT is not installed: pip install -e 'python[ccxt]'")
from perpetual_exchange._ccxt.errors import to_ccxt_error  # noqa: E402
from perpetual_exchange._ccxt.parse import parse_ticker  # noqa: E402
from perpetual_exchange.ccxt import perpetual, register  # noqa: E402
from perpetual_exchange.ccxt.async_support import perpetual as perpetual_async  # noqa: E402

BTC, ETH, SOL = "BTC/USDC:USDC", "ETH/USDC:USDC", "SOL/USDC:USDC"


@pytest.fixture(scope="module")
def exchange(gateway: Gateway, network: LocalNetwork) -> Iterator[Any]:
    opened = perpetual({"urls": {"api": gateway.url}, "privateKey": network.fund().secret, "timeout": TIMEOUT * 1000})
    with Client(gateway.url) as client:
        client.list_events(limit=1, min_ledger=network.control("local_info")["ledger"])
    opened.sign_in()
    yield opened
    opened.close()


def test_markets_are_swaps_settled_in_usdc(exchange: Any) -> None:
    exchange.load_markets()
    market = exchange.market(BTC)
    assert (market["id"], market["type"], market["linear"], market["contractSize"], market["active"]) == ("BTC", "swap", True, 1, True)
    assert (market["limits"]["cost"], market["limits"]["leverage"]) == ({"min": 10, "max": 100_000}, {"min": 1, "max": 10})
    assert (market["taker"], market["maker"]) == (0.0005, 0.0002)
    with pytest.raises(ccxt.BadSymbol):
        exchange.fetch_ticker("SHIB/USDC:USDC")


def test_candles_are_read_from_since_without_reading_what_follows(exchange: Any) -> None:
    newest = exchange.fetch_ohlcv(BTC, "1h", None, 3)
    assert len(newest) == 3
    since = newest[-1][0] - 48 * 3_600_000
    candles = exchange.fetch_ohlcv(BTC, "1h", since, 5)
    assert [row[0] for row in candles] == [since + hour * 3_600_000 for hour in range(5)]
    assert exchange.fetch_ohlcv(BTC, "1m", exchange.milliseconds() + 3_600_000) == []
    with pytest.raises(ccxt.BadRequest):
        exchange.fetch_ohlcv(BTC, "3m")


def test_orders_and_positions_are_opened_listed_and_closed(exchange: Any) -> None:
    placed = exchange.create_limit_order(BTC, "buy", 0.002, 50_000, {"leverage": 5, "clientOrderId": "ccxt-limit"})
    assert (placed["status"], placed["side"], placed["price"], placed["amount"], placed["filled"]) == ("open", "buy", 50_000, 0.002, 0)
    assert [(row["id"], row["price"], row["amount"]) for row in exchange.fetch_open_orders(BTC)] == [(placed["id"], 50_000, 0.002)]
    assert exchange.fetch_balance()["USDC"]["used"] == 20
    found = exchange.fetch_order(None, BTC, {"clientOrderId": "ccxt-limit"})
    assert (found["id"], found["clientOrderId"], found["status"]) == (placed["id"], "ccxt-limit", "open")
    assert exchange.cancel_order(placed["id"])["status"] == "canceled"
    assert exchange.fetch_order(placed["id"])["status"] == "canceled"
    assert placed["id"] in [row["id"] for row in exchange.fetch_canceled_orders(BTC)]
    assert exchange.cancel_all_orders() == []

    exchange.set_leverage(4, ETH)
    opened = exchange.create_market_order_with_cost(ETH, "sell", 100, {"clientOrderId": "ccxt-market"})
    assert (opened["status"], opened["cost"], opened["side"], opened["remaining"]) == ("closed", 100, "sell", 0)
    position = exchange.fetch_position(ETH)
    assert (position["side"], position["notional"], position["leverage"], position["initialMargin"]) == ("short", 100, 4, 25)
    assert position["contracts"] == opened["filled"]
    stop = exchange.create_order(ETH, "market", "buy", position["contracts"], None, {"stopLossPrice": 90_000})
    assert (stop["status"], stop["reduceOnly"], stop["stopLossPrice"], stop["amount"]) == ("open", True, 90_000, position["contracts"])
    part = exchange.create_order(ETH, "market", "buy", 0.001, None, {"reduceOnly": True})
    assert part["filled"] == pytest.approx(0.001, abs=1e-6)
    assert part["cost"] == pytest.approx(0.001 * part["average"], rel=1e-3)
    with pytest.raises(ccxt.InvalidOrder):
        exchange.create_order(ETH, "market", "buy", 1_000, None, {"reduceOnly": True})
    # The stop ends with the position. The close is a market order nevertheless.
    closed = exchange.close_position(ETH)
    assert (closed["status"], closed["side"], closed["type"], len(closed["id"])) == ("closed", "buy", "market", 64)
    assert exchange.fetch_positions() == []
    mine = exchange.fetch_my_trades(ETH)
    assert [(row["side"], row["order"]) for row in mine] == [("sell", opened["id"]), ("buy", part["id"]), ("buy", closed["id"])]
    assert mine[0]["fee"] == {"currency": "USDC", "cost": 0.05}
    assert exchange.fetch_my_trades(SOL) == []
    assert [row["direction"] for row in exchange.fetch_ledger("USDC") if row["referenceId"] == opened["id"]] == ["out"]


def test_close_position_without_a_side_refuses_when_long_and_short_positions_are_open(exchange: Any) -> None:
    with pytest.raises(ccxt.InvalidOrder):
        exchange.close_position(SOL)
    exchange.create_market_order_with_cost(SOL, "buy", 60, {"leverage": 2})
    exchange.create_market_order_with_cost(SOL, "sell", 40, {"leverage": 2, "marginMode": "cross"})
    with pytest.raises(ccxt.ArgumentsRequired):
        exchange.close_position(SOL)
    exchange.close_position(SOL, "short")
    assert exchange.close_position(SOL)["status"] == "closed"


def test_rejections_have_ccxts_error_classes(exchange: Any, gateway: Gateway) -> None:
    with pytest.raises(ccxt.InvalidOrder):
        exchange.create_limit_order(BTC, "buy", 0.000_001, 50_000)
    with pytest.raises(ccxt.InvalidOrder):
        exchange.create_order(BTC, "market", "up", 1)
    with pytest.raises(ccxt.ArgumentsRequired):
        exchange.create_order(BTC, "limit", "buy", 1)
    with pytest.raises(ccxt.OrderNotFound):
        exchange.cancel_order("999999")
    with pytest.raises(ccxt.InvalidOrder):
        exchange.fetch_order("x")
    urls = {"api": gateway.url}
    with pytest.raises(ccxt.AuthenticationError):
        perpetual({"urls": urls}).fetch_balance()
    with pytest.raises(ccxt.AuthenticationError):
        perpetual({"urls": urls, "apiKey": "nk_1", "secret": "0" * 64}).fetch_balance()
    with pytest.raises(ccxt.AuthenticationError):
        perpetual({"urls": urls, "privateKey": "S"}).sign_in()


def test_each_error_of_the_package_has_a_ccxt_class() -> None:
    def contract(name: str) -> ContractFailure:
        failure = ContractFailure("contract_error", "x", status=400)
        failure.contract_error = {"code": 1, "name": name}
        return failure

    signed = errors.SignedTransaction(hash="", signed_xdr="", expires_at=0)
    cases: list[tuple[errors.ExchangeError, Any]] = [
        (RateLimited("x", "x", status=429), ccxt.RateLimitExceeded),
        (ApiError("x", "x", status=503), ccxt.ExchangeNotAvailable),
        (ApiError("x", "x", status=451), ccxt.RestrictedLocation),
        (ApiError("x", "x", status=403), ccxt.PermissionDenied),
        (ApiError("unsupported_by_deployment", "x", status=503), ccxt.NotSupported),
        (ApiError("order_not_found", "x", status=404), ccxt.OrderNotFound),
        (ApiError("client_id_in_use", "x", status=409), ccxt.DuplicateOrderId),
        (ApiError("x", "x", status=400), ccxt.BadRequest),
        (ApiError("x", "x", status=500), ccxt.ExchangeError),
        (contract("Paused"), ccxt.OperationRejected),
        (contract("PriceStale"), ccxt.OperationFailed),
        (contract("SlippageExceeded"), ccxt.OrderNotFillable),
        (contract("SomethingNew"), ccxt.ExchangeError),
        (Unreachable("timeout", "x"), ccxt.RequestTimeout),
        (Unreachable("unreachable", "x"), ccxt.NetworkError),
        (UnexpectedAnswer("unexpected_answer", "x"), ccxt.BadResponse),
        (UnknownOutcome(signed, None), ccxt.RequestTimeout),
    ]
    for given, wanted in cases:
        assert type(to_ccxt_error(given)) is wanted, given


def test_a_ticker_has_the_past_day_where_the_gateway_knows_it() -> None:
    price = {"asset": "BTC", "price": "1010000000", "timestamp": 1}
    known = parse_ticker(price, {"change24h": 1, "high24h": "1020000000", "low24h": "990000000", "volume24h": "50000000"})
    assert (known["high"], known["low"], known["percentage"], known["quoteVolume"], known["open"]) == (102, 99, 1, 5, 100)
    unknown = parse_ticker(price, {"change24h": None, "high24h": None, "low24h": None, "volume24h": "0"})
    assert {unknown[name] for name in ("high", "low", "open", "change", "percentage")} == {None}


# CCXT's checks of one structure: what is fetched, and the check's module.
STRUCTURES = (
    ("fetch_my_trades", (), "trade"),
    ("fetch_open_orders", (BTC,), "order"),
    ("fetch_ledger", ("USDC",), "ledger_entry"),
    ("fetch_positions", ([BTC],), "position"),
    ("fetch_funding_rate_history", (BTC,), "funding_rate_history"),
)
# What the exchange does not know: balances before and after a movement, the fee of a movement that is no trade, and the amount of an attached order that ended
# without closing anything.
UNKNOWN = {"ledger_entry": {"before": True, "after": True, "fee": True}, "ended_order": {"amount": True, "remaining": True}}
# Its whole checks of a method, and those of `describe`. The check of `fetch_markets` expects a dictionary, which no exchange of CCXT returns.
METHODS = ("load_markets", "fetch_ticker", "fetch_tickers", "fetch_ohlcv", "fetch_positions", "fetch_status", "after_construct", "features")


def check_of(folder: str, name: str) -> Any:
    return getattr(import_module(f"ccxt.test.exchange.{folder}.test_{name}"), f"test_{name}")


def check_structure(opened: Any, structure: str, method: str, row: Any, symbol: str = BTC, skipped: dict[str, bool] | None = None) -> None:
    """CCXT's check of a structure. Each takes the first of these arguments; the time is a minute ahead, as the network's may be."""
    check = check_of("base", structure)
    given = (opened, skipped or {}, method, row, symbol, opened.milliseconds() + 60_000, method == "fetchTrades")
    check(*given[: len(inspect.signature(check).parameters)])


async def finished(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


async def run_checks(opened: Any, folder: str) -> None:
    """CCXT's checks, of a class whose methods are coroutines or not."""
    for name in METHODS:
        check = check_of(folder, name)
        arguments = (opened, {}) if len(inspect.signature(check).parameters) == 2 else (opened, {}, BTC)
        await finished(check(*arguments))
    for method, arguments, structure in STRUCTURES:
        rows = await finished(getattr(opened, method)(*arguments))
        assert rows or structure == "funding_rate_history", method
        for row in rows:
            symbol = "USDC" if structure == "ledger_entry" else row["symbol"]
            check_structure(opened, structure, method, row, symbol, UNKNOWN.get(structure))
    known = await finished(opened.fetch_orders(BTC))
    assert known
    for row in known:
        check_structure(opened, "order", "fetchOrders", row, skipped=UNKNOWN["ended_order"])
    balance = await finished(opened.fetch_balance())
    # Of the other currencies only the total is known.
    usdc = {name: {"USDC": balance[name]["USDC"]} for name in ("free", "used", "total")}
    check_structure(opened, "balance", "fetchBalance", {**balance, **usdc})
    check_structure(opened, "open_interest", "fetchOpenInterest", await finished(opened.fetch_open_interest(BTC)))
    for tier in (await finished(opened.fetch_leverage_tiers([BTC])))[BTC]:
        check_structure(opened, "leverage_tier", "fetchLeverageTiers", tier)
    public = await finished(opened.fetch_trades(ETH))
    assert public
    for trade in public:
        check_structure(opened, "trade", "fetchTrades", trade, ETH)
    made = await finished(opened.create_market_order_with_cost(BTC, "buy", 30))
    check_structure(opened, "order", "createOrder", made)


def test_ccxts_own_checks_pass_for_both_classes(exchange: Any) -> None:
    exchange.load_markets()
    exchange.create_market_order_with_cost(ETH, "buy", 20, {"leverage": 1})
    exchange.close_position(ETH)
    exchange.create_market_order_with_cost(BTC, "buy", 50, {"leverage": 2})
    exchange.create_order(BTC, "market", "sell", None, None, {"takeProfitPrice": 900_000})
    exchange.create_limit_order(BTC, "sell", 0.001, 900_000, {"leverage": 2})
    asyncio.run(run_checks(exchange, "sync"))

    async def check_asynchronous() -> None:
        opened = perpetual_async({"urls": exchange.urls, **{name: getattr(exchange, name) for name in ("apiKey", "secret", "privateKey", "timeout")}})
        try:
            await opened.load_markets()
            await opened.cancel_all_orders(BTC)
            await opened.create_limit_order(BTC, "buy", 0.001, 50_000)
            await run_checks(opened, "async")
        finally:
            await opened.close()

    asyncio.run(check_asynchronous())


def test_every_capability_is_a_method_and_register_names_the_class_in_ccxt(exchange: Any) -> None:
    kinds = {"createReduceOnlyOrder", "createStopLossOrder", "createTakeProfitOrder", "createTrailingPercentOrder", "createTriggerOrder"}
    for kind in (perpetual, perpetual_async):
        opened = kind()
        for name, has in opened.has.items():
            if has is True and name not in {"swap", "publicAPI", "privateAPI", "ws"} | kinds:
                assert callable(getattr(opened, name, None)), name
    register()
    register()
    assert ccxt.perpetual is perpetual
    assert ccxt.async_support.perpetual is ccxt.pro.perpetual is perpetual_async
    assert ccxt.exchanges.count("perpetual") == 1
