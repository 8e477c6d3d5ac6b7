"""CCXT's structures of the gateway's resources, as they are on the wire."""

from collections.abc import Mapping, Sequence
from typing import Any

from .numbers import amount_of, amount_units, number, optional

Row = dict[str, Any]
QUOTE = "USDC"
TIME_IN_FORCE = {"gtc": "GTC", "ioc": "IOC", "post_only": "PO"}


def symbol_of(asset: str) -> str:
    return f"{asset}/{QUOTE}:{QUOTE}"


def _optional_symbol(asset: str | None) -> str | None:
    return None if asset is None else symbol_of(asset)


def milliseconds(seconds: int | None) -> int | None:
    return None if seconds is None else seconds * 1000


def parse_market(instrument: Row) -> Row:
    """A linear swap settled in USDC. One contract is one unit of the base currency."""
    tiers = instrument["feeTiers"]
    step = number(instrument["amountStep"])
    return {
        "id": instrument["symbol"],
        "symbol": symbol_of(instrument["symbol"]),
        "base": instrument["base"],
        "quote": instrument["quote"],
        "settle": instrument["settlement"],
        "baseId": instrument["base"],
        "quoteId": instrument["quote"],
        "settleId": instrument["settlement"],
        "type": "swap",
        "subType": "linear",
        "spot": False,
        "margin": False,
        "swap": True,
        "future": False,
        "option": False,
        "index": False,
        "active": instrument["open"],
        "contract": True,
        "linear": True,
        "inverse": False,
        "quanto": False,
        "taker": tiers[0]["takerDeciBps"] / 100_000 if tiers else None,
        "maker": tiers[0]["makerDeciBps"] / 100_000 if tiers else None,
        "percentage": True,
        "tierBased": True,
        "contractSize": number(instrument["contractSize"]),
        "precision": {"amount": step, "price": number(instrument["tickSize"]), "cost": step},
        "limits": {
            "amount": {"min": None, "max": None},
            "price": {"min": None, "max": None},
            "cost": {"min": optional(instrument["minNotional"]), "max": optional(instrument["maxNotional"])},
            "leverage": {"min": float(instrument["leverageStep"]), "max": _max_leverage(instrument)},
        },
        "marginModes": {"cross": "cross" in instrument["marginModes"], "isolated": "isolated" in instrument["marginModes"]},
        "created": None,
        "info": instrument,
    }


def _max_leverage(instrument: Row) -> float | None:
    found = instrument["maxLeverage"]
    return None if found is None else float(found)


def parse_leverage_tiers(instrument: Row) -> list[Row]:
    """One tier: the maintenance margin does not depend on the size."""
    return [
        {
            "tier": 1,
            "symbol": symbol_of(instrument["symbol"]),
            "currency": QUOTE,
            "minNotional": 0.0,
            "maxNotional": optional(instrument["maxNotional"]),
            "maintenanceMarginRate": (instrument["maintenanceMarginBps"] or 0) / 10_000,
            "maxLeverage": _max_leverage(instrument) or 1.0,
            "info": instrument,
        }
    ]


def parse_book(book: Row) -> Row:
    """One level on each side. CCXT counts in the base currency."""

    def levels(side: Sequence[Sequence[str]]) -> list[list[float]]:
        return [[number(price), number(size) / number(price)] for price, size in side]

    return {
        "symbol": symbol_of(book["asset"]),
        "bids": levels(book["bids"]),
        "asks": levels(book["asks"]),
        "timestamp": None,
        "datetime": None,
        "nonce": book["ledger"],
    }


def parse_ticker(price: Row, stats: Row | None = None) -> Row:
    last = number(price["price"])
    day: Row = stats or {}
    percentage = day.get("change24h")
    opened = None if percentage is None else last / (1 + percentage / 100)
    return {
        "symbol": symbol_of(price["asset"]),
        "timestamp": price["timestamp"] * 1000,
        "high": optional(day.get("high24h")),
        "low": optional(day.get("low24h")),
        "open": opened,
        "close": last,
        "last": last,
        "change": None if opened is None else last - opened,
        "percentage": percentage,
        "average": None if opened is None else (opened + last) / 2,
        "quoteVolume": optional(day.get("volume24h")),
        "indexPrice": last,
        "markPrice": last,
        "info": price if stats is None else {"price": price, "stats": stats},
    }


def parse_candle(candle: Row) -> list[float]:
    """The volume is in USDC. CCXT counts in the base currency, which prices of the interval only approximate."""
    return [candle["time"] * 1000, candle["open"], candle["high"], candle["low"], candle["close"], number(candle["volume"]) / candle["close"]]


def _trade_id(row: Row) -> str:
    """A part of a position may be closed several times, so its transaction identifies it."""
    name = f"{row['positionId']}-{row['kind']}"
    return f"{name}-{row['txHash']}" if row["kind"] in ("reduce", "partial_liquidation") else name


def parse_trade(row: Row) -> Row | None:
    """The close or liquidation of a position or a part of it. None for rows that repeat or sum up others."""
    if row["kind"] in ("adl", "cross_liquidation") or row["closePrice"] is None:
        return None
    direction = row["direction"]
    price = number(row["closePrice"])
    amount = amount_of(row["size"], row["entryPrice"])
    order = row.get("orderId")
    return {
        "id": _trade_id(row),
        "info": row,
        "timestamp": row["ts"] * 1000,
        "symbol": _optional_symbol(row["asset"]),
        "order": str(order) if isinstance(order, int) else None,
        "side": None if direction is None else "sell" if direction == 0 else "buy",
        "takerOrMaker": None,
        "price": price,
        "amount": amount,
        "cost": None if amount is None else amount * price,
    }


def parse_position(position: Row, orders: Sequence[Row]) -> Row:
    size, leverage = position["size"], position["leverage"]

    def attached(kind: str) -> float | None:
        found = (order["triggerPrice"] for order in orders if order["positionId"] == position["positionId"] and order["orderType"] == kind)
        return optional(next(found, None))

    return {
        "id": str(position["positionId"]),
        "symbol": symbol_of(position["asset"]),
        "info": position,
        "timestamp": position["openedAt"] * 1000,
        "side": "long" if position["direction"] == 0 else "short",
        "contracts": amount_of(size, position["entryPrice"]) or 0.0,
        "contractSize": 1.0,
        "notional": number(size),
        "leverage": float(leverage),
        "entryPrice": number(position["entryPrice"]),
        "markPrice": optional(position["price"]),
        "unrealizedPnl": optional(position["unrealizedPnl"]),
        "collateral": number(position["collateral"]),
        "initialMargin": number(int(size) // leverage),
        "initialMarginPercentage": 1 / leverage,
        "maintenanceMargin": None,
        "maintenanceMarginPercentage": None,
        "marginRatio": None,
        "liquidationPrice": optional(position["liquidationPrice"]),
        "marginMode": position["marginMode"],
        "hedged": True,
        "stopLossPrice": attached("stop_loss"),
        "takeProfitPrice": attached("take_profit"),
    }


def parse_balance(state: Row) -> Row:
    """USDC in the wallet is free; the collateral of positions and orders and the cross pool are used. XLM and LP tokens have only a total, because the network
    reserves a part of them."""
    balances, positions, orders, pool = state["balances"], state["positions"], state["orders"], state["cross"]["pool"]
    used = None
    if positions is not None and orders is not None and pool is not None:
        used = int(pool) + sum(int(row["collateral"] or 0) for row in [*positions, *orders])
    return {
        "info": state,
        "timestamp": milliseconds(state["ledgerCloseTs"]),
        QUOTE: {"free": optional(balances["usdc"]), "used": optional(used)},
        "XLM": {"total": optional(balances["xlm"])},
        "LP": {"total": optional(balances["lp"])},
    }


def parse_open_order(order: Row, position: Row | None) -> Row:
    """`position`: the position that the order is attached to and closes."""
    kind, trigger = order["orderType"], order["triggerPrice"]
    opens = order["positionId"] is None
    price = trigger if kind == "limit" else order["limitPrice"]
    amount = amount_of(order["size"], price) if opens else None if position is None else amount_of(position["size"], position["entryPrice"])
    return {
        "id": str(order["orderId"]),
        "info": order,
        "timestamp": order["createdAt"] * 1000,
        "symbol": symbol_of(order["asset"]),
        "type": "limit" if opens else "market",
        "timeInForce": TIME_IN_FORCE[order["timeInForce"]],
        "postOnly": order["timeInForce"] == "post_only",
        "reduceOnly": not opens or order["reduceOnly"],
        "side": "buy" if (order["direction"] == 0) == opens else "sell",
        "price": optional(price),
        "triggerPrice": None if kind == "limit" else optional(order.get("referencePrice") or trigger),
        "stopLossPrice": optional(trigger) if kind == "stop_loss" else None,
        "takeProfitPrice": optional(trigger) if kind == "take_profit" else None,
        "amount": amount,
        "filled": 0.0,
        "remaining": amount,
        "cost": 0.0,
        "status": "open",
    }


def _traded(size: str | None, price: str | None, pnl: str | None, direction: int | None) -> tuple[float | None, float | None]:
    """Amount and cost. Sizes of closes are values at the entry price. At the price of the close, the same amount is worth the size and the profit of a long,
    or the size less the profit of a short."""
    if size is None or pnl is None or direction is None:
        return None, None
    cost = int(size) + (int(pnl) if direction == 0 else -int(pnl))
    return amount_of(cost, price), number(cost)


def _fee(parts: Sequence[str | None]) -> Row | None:
    known = [int(part) for part in parts if part is not None]
    return None if len(known) < len(parts) else {"currency": QUOTE, "cost": number(sum(known))}


_STATUSES = {"pending": "open", "executed": "closed", "cancelled": "canceled"}


def parse_order(order: Row) -> Row:
    """An order in any state of its life."""
    kind, direction, status, execution = order["orderType"], order["direction"], order["status"], order["execution"]
    opens = order["positionId"] is None
    trigger = optional(order["triggerPrice"])
    worst = order["triggerPrice"] if kind == "limit" else order["limitPrice"]
    ended_row: Row = order["ended"] or {}
    placed_row: Row = order["placed"] or {}
    ended = milliseconds(ended_row.get("ts"))
    is_executed = status == "executed"
    traded_amount, traded_cost = (None, None)
    if execution is not None:
        traded_amount, traded_cost = _traded(execution["size"], execution["price"], "0" if opens else execution["pnl"], direction)
    requested = amount_of(order["size"], worst) if opens else None
    amount = requested if opens and not is_executed else traded_amount if traded_amount is not None else requested
    filled = traded_amount if is_executed else 0.0
    in_force = order["timeInForce"]
    return {
        "id": str(order["orderId"]),
        "info": order,
        "timestamp": milliseconds(placed_row.get("ts", order["createdAt"])),
        "lastTradeTimestamp": ended if is_executed else None,
        "lastUpdateTimestamp": ended,
        "symbol": _optional_symbol(order["asset"]),
        "type": "limit" if kind in ("limit", "stop_limit") else "market",
        "side": None if direction is None else "buy" if (direction == 0) == opens else "sell",
        "price": optional(worst),
        "triggerPrice": None if kind == "limit" else trigger,
        "stopLossPrice": trigger if kind == "stop_loss" else None,
        "takeProfitPrice": trigger if kind == "take_profit" else None,
        "timeInForce": None if in_force is None else TIME_IN_FORCE[in_force],
        "postOnly": None if in_force is None else in_force == "post_only",
        "reduceOnly": not opens or order["reduceOnly"] is True,
        "amount": amount,
        "filled": filled,
        "remaining": 0.0 if is_executed else None if amount is None or filled is None else amount - filled,
        "cost": traded_cost if is_executed else 0.0,
        "average": optional(None if execution is None else execution["price"]),
        "fee": None if execution is None else _fee([execution["fee"], execution["keeperReward"]]),
        "status": _STATUSES[status],
    }


def parse_fill(fill: Row) -> Row:
    """A change of a position. An order that has no id on the chain, as a market order, has its transaction's hash."""
    opens, direction, order = fill["kind"] == "open", fill["direction"], fill["orderId"]
    amount, cost = _traded(fill["size"], fill["price"], "0" if opens else fill["pnl"], direction)
    return {
        "id": str(fill["seq"]),
        "info": fill,
        "timestamp": fill["ts"] * 1000,
        "symbol": _optional_symbol(fill["asset"]),
        "order": fill["txHash"] if order is None else str(order),
        "type": "market" if order is None else None,
        "side": None if direction is None else "buy" if (direction == 0) == opens else "sell",
        "takerOrMaker": ("taker" if order is None else "maker") if opens else None,
        "price": optional(fill["price"]),
        "amount": amount,
        "cost": cost,
        "fee": _fee([fill["fee"]]),
    }


_TRANSACTION_STATUSES = {"PENDING": "open", "SUCCESS": "closed", "FAILED": "rejected", "REJECTED": "rejected", "EXPIRED": "expired"}


def parse_transaction(transaction: Row, symbol: str | None) -> Row:
    """The market order of a transaction. Before its ledger is indexed, only the transaction is known of it."""
    events: Sequence[Row] = transaction["events"] or []
    fills = [fill for fill in (_filled(event) for event in events) if fill is not None]
    main = next((event for event in events if _filled(event) is not None), None)
    payload: Mapping[str, Any] = {} if main is None else main["payload"]
    direction, op = payload.get("direction"), transaction["op"]
    opens = main is not None and main["topic"] == "position_opened"
    filled = _total([fill[0] for fill in fills])
    return {
        "id": transaction["hash"],
        "clientOrderId": transaction["clientId"],
        "info": transaction,
        "timestamp": milliseconds(transaction["ts"]),
        "lastTradeTimestamp": milliseconds(transaction["ts"]) if fills else None,
        "symbol": symbol_of(payload["asset"]) if "asset" in payload else symbol,
        "type": "market",
        "reduceOnly": op is not None and not op.startswith("open_"),
        "side": None if direction is None else "buy" if (direction == 0) == opens else "sell",
        "amount": filled,
        "filled": filled,
        "remaining": None if filled is None else 0.0,
        # All parts of one trade have the same price.
        "average": fills[-1][1] if fills else None,
        "cost": _total([fill[2] for fill in fills]),
        "status": _TRANSACTION_STATUSES.get(transaction["status"]),
    }


def _filled(event: Row) -> tuple[float | None, float | None, float | None] | None:
    """Amount, price and cost of an event that trades. An open may also close positions in the other direction, which are part of the order."""
    payload = event["payload"]
    if event["topic"] == "position_opened":
        return amount_of(payload.get("size"), payload.get("entryPrice")), optional(payload.get("entryPrice")), optional(payload.get("size"))
    if event["topic"] == "position_closed":
        amount, price = amount_of(payload.get("size"), payload.get("entryPrice")), optional(payload.get("closePrice"))
        return amount, price, None if amount is None or price is None else amount * price
    if event["topic"] == "position_reduced" and "closedSize" in payload:
        # The event lacks entry price and direction. The fills of the account say what was traded.
        return None, optional(payload.get("price")), None
    return None


def _total(parts: Sequence[float | None]) -> float | None:
    """The sum; None without parts, or when one is unknown."""
    known = [part for part in parts if part is not None]
    return sum(known) if known and len(known) == len(parts) else None


_LEDGER_TYPES = {
    **dict.fromkeys(("open", "close", "liquidation", "order_escrow", "order_refund"), "trade"),
    "keeper_reward": "rebate",
    "referral_claim": "referral",
    "fees_claimed": "fee",
    "other": "transaction",
}


def parse_ledger_entry(row: Row) -> Row:
    """A movement of USDC between the account and the exchange. An amount that is not known yet is None."""
    amount = None if row["amount"] is None else int(row["amount"])
    return {
        "id": f"{row['seq']}-{row['balanceOf']}",
        "info": row,
        "timestamp": row["ts"] * 1000,
        "direction": None if amount is None else "out" if amount < 0 else "in",
        "account": row["balanceOf"],
        "referenceId": row["txHash"],
        "referenceAccount": None,
        "type": _LEDGER_TYPES.get(row["kind"], "transfer"),
        "currency": QUOTE,
        "amount": None if amount is None else number(abs(amount)),
        "before": None,
        "after": None,
        "status": "ok",
        "fee": None if row["fee"] is None else {"currency": QUOTE, "cost": number(row["fee"])},
    }


def parse_funding(current: Row | None, market: Row) -> Row:
    assets: Sequence[Row] = [] if current is None else current["assets"]
    none: Row = {}
    row = next((row for row in assets if row["asset"] == market["id"]), none)
    return {
        "symbol": market["symbol"],
        "info": current,
        "fundingRate": optional(row.get("rate")),
        "fundingTimestamp": milliseconds(row.get("lastTs")),
        "interval": "1h",
        **dict.fromkeys(
            ("timestamp", "datetime", "markPrice", "indexPrice", "interestRate", "estimatedSettlePrice", "nextFundingRate", "nextFundingTimestamp"),
            None,
        ),
        **dict.fromkeys(("nextFundingDatetime", "previousFundingRate", "previousFundingTimestamp", "previousFundingDatetime"), None),
    }


def parse_funding_row(row: Row, market: Row) -> Row | None:
    """None for rows of other assets. Rows without an asset, of contracts of generation 1, apply to all."""
    if row["asset"] is not None and row["asset"] != market["id"]:
        return None
    return {"symbol": market["symbol"], "info": row, "fundingRate": number(row["fundingRate"]), "timestamp": row["ts"] * 1000}


def parse_open_interest(stats: Row) -> Row:
    return {
        "symbol": symbol_of(stats["asset"]),
        "info": stats,
        "openInterestAmount": None,
        "openInterestValue": number(int(stats["openInterestLong"]) + int(stats["openInterestShort"])),
        "timestamp": None,
        "datetime": None,
    }


def whole_amount(position: Row) -> int:
    """The amount of a position in the base currency, in units."""
    return amount_units(position["size"], position["entryPrice"]) or 0
