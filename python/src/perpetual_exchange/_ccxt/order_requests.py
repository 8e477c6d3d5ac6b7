"""Requests of this exchange for CCXT's orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import ccxt

from ..amounts import ONE
from .numbers import number, units_of
from .parse import Row, whole_amount

_ATTACHED = ("stopLossPrice", "takeProfitPrice", "trailingPercent")


@dataclass(frozen=True)
class OrderArguments:
    """The arguments of `create_order`. `price_now` is the market price in units, where the order needs it."""

    market: Mapping[str, Any]
    type: str
    side: str
    amount: Any
    price: Any
    params: Mapping[str, Any]
    price_now: int | None = None

    @property
    def slippage(self) -> int:
        return int(self.params["slippageToleranceBps"])


def is_market_trade(op: str | None) -> bool:
    """True for operations that open or close at once. All others that have an order id place or cancel that order."""
    return op is not None and op.removeprefix("leader_").startswith(("open_position", "close_position"))


def needs_positions(order: OrderArguments) -> bool:
    """True for orders that close a position or are attached to one."""
    return bool(_attached(order)) or order.params.get("reduceOnly") is True or order.params.get("positionId") is not None


def needs_price(order: OrderArguments) -> bool:
    """True for market orders by amount, whose collateral follows from the market price."""
    return order.type == "market" and not needs_positions(order) and order.price is None and order.params.get("cost") is None


def _attached(order: OrderArguments) -> list[str]:
    return [name for name in _ATTACHED if order.params.get(name) is not None]


def trade_request(order: OrderArguments, positions: Sequence[Row]) -> dict[str, Any]:
    """The request of an order. Raises InvalidOrder or ArgumentsRequired for an invalid one."""
    if order.side not in ("buy", "sell"):
        raise ccxt.InvalidOrder(f"side must be buy or sell, not {order.side}")
    attached = _attached(order)
    if len(attached) > 1:
        raise ccxt.InvalidOrder("Set only one of stopLossPrice, takeProfitPrice and trailingPercent per order.")
    if attached:
        return _attached_request(order, attached[0], _position(order, positions))
    if needs_positions(order):
        return _closing_request(order, _position(order, positions))
    return _opening_request(order)


def _attached_request(order: OrderArguments, name: str, position: Row) -> dict[str, Any]:
    """A stop-loss, take-profit or trailing stop of a position."""
    if _part(position, order.amount) is not None:
        raise ccxt.InvalidOrder("Attached orders close the whole position. Omit the amount.")
    request = {"positionId": position["positionId"], "slippageToleranceBps": order.slippage}
    value = order.params[name]
    if name == "trailingPercent":
        return {"op": "place_trailing_stop", **request, "trailingPercentBps": _bps(value)}
    op = "set_stop_loss" if name == "stopLossPrice" else "set_take_profit"
    return {"op": op, **request, "triggerPrice": units_of(value, name)}


def _closing_request(order: OrderArguments, position: Row) -> dict[str, Any]:
    """Closes a position or a part of it at the market."""
    if order.type != "market":
        raise ccxt.InvalidOrder("Positions can be closed by a market order, stop-loss, take-profit or trailing stop.")
    size = _part(position, order.amount)
    if size is not None:
        return {"op": "close_position_partial", "positionId": position["positionId"], "closeSize": size}
    op = "close_position_cross" if position["marginMode"] == "cross" else "close_position"
    return {"op": op, "positionId": position["positionId"], "slippageBps": _market_slippage(order)}


def _opening_request(order: OrderArguments) -> dict[str, Any]:
    """Opens a position at the market, or places an order that does."""
    params, is_buy = order.params, order.side == "buy"
    trigger = params.get("triggerPrice")
    if order.type not in ("market", "limit"):
        raise ccxt.InvalidOrder(f"type must be market or limit, not {order.type}")
    if order.type == "market" and trigger is not None:
        raise ccxt.InvalidOrder("Market orders cannot have a triggerPrice. Use a limit order.")
    is_cross = params.get("marginMode") == "cross"
    entry = {
        "asset": order.market["id"],
        "direction": "Long" if is_buy else "Short",
        "leverage": _leverage(params),
        "collateral": _collateral(order),
    }
    if order.type == "market":
        return {"op": "open_position_cross" if is_cross else "open_position", **entry, "slippageBps": _market_slippage(order)}
    if is_cross:
        raise ccxt.InvalidOrder("Limit orders can only open isolated positions.")
    limit = units_of(_required(order.price, "price"), "price")
    below, above = ("Below", "Above") if is_buy else ("Above", "Below")
    placed = {**entry, "slippageToleranceBps": order.slippage}
    if trigger is None:
        return {"op": "place_limit_order", **placed, "triggerPrice": limit, "triggerCondition": params.get("triggerCondition", below)}
    condition = params.get("triggerCondition", above)
    return {
        "op": "place_stop_limit_order",
        **placed,
        "triggerPrice": units_of(trigger, "triggerPrice"),
        "limitPrice": limit,
        "triggerCondition": condition,
    }


# The widest tolerance of a market order; resting orders may have 10,000.
_MARKET_SLIPPAGE_MAX_BPS = 5_000


def _market_slippage(order: OrderArguments) -> int:
    return min(order.slippage, _MARKET_SLIPPAGE_MAX_BPS)


def _required(value: Any, what: str) -> Any:
    if value is None:
        raise ccxt.ArgumentsRequired(f"{what} is required")
    return value


def _leverage(params: Mapping[str, Any]) -> int:
    return whole_leverage(params.get("leverage", 1), ccxt.InvalidOrder)


def whole_leverage(leverage: Any, kind: Any) -> int:
    """The leverage as the exchange takes it. Raises an error of this kind."""
    if not isinstance(leverage, (int, float)) or leverage != int(leverage) or leverage < 1:
        raise kind(f"leverage must be a whole number of at least 1, not {leverage}")
    return int(leverage)


def _bps(percent: Any) -> int:
    bps = round(float(percent) * 100)
    if abs(bps - float(percent) * 100) > 1e-9:
        raise ccxt.InvalidOrder(f"trailingPercent must be whole basis points, not {percent}")
    return bps


def _collateral(order: OrderArguments) -> int:
    """Size divided by leverage, rounded down so that the order never risks more than requested."""
    leverage = _leverage(order.params)
    cost = order.params.get("cost")
    if cost is not None:
        return units_of(cost, "cost") // leverage
    if order.amount is None:
        raise ccxt.ArgumentsRequired("amount, in the base currency, or params.cost, in USDC, is required")
    price = order.price_now if order.price_now is not None else units_of(_required(order.price, "price"), "price")
    return units_of(order.amount, "amount") * price // ONE // leverage


def _position(order: OrderArguments, positions: Sequence[Row]) -> Row:
    """The position that an order closes."""
    closed, wanted = 0 if order.side == "sell" else 1, order.params.get("positionId")
    found = [row for row in positions if row["asset"] == order.market["id"] and row["direction"] == closed]
    if wanted is not None:
        found = [row for row in found if str(row["positionId"]) == str(wanted)]
    if not found:
        raise ccxt.InvalidOrder(f"No {'long' if closed == 0 else 'short'} position in {order.market['symbol']} to close.")
    if len(found) > 1:
        raise ccxt.ArgumentsRequired(f"{len(found)} positions match. Choose one with params.positionId.")
    return found[0]


def _part(position: Row, amount: Any) -> int | None:
    """The size to close for an amount of the base currency, in units; None for the whole position."""
    if amount is None:
        return None
    part, whole = units_of(amount, "amount"), whole_amount(position)
    # Programs compute amounts with floats, whose last decimal may differ.
    if abs(part - whole) <= 1:
        return None
    says = f"Position {position['positionId']} has an amount of {number(whole)}, so {amount} cannot be closed."
    if part > whole or part == 0:
        raise ccxt.InvalidOrder(says)
    if position["marginMode"] == "cross":
        raise ccxt.InvalidOrder(f"{says} Cross positions can only be closed as a whole.")
    return part * int(position["entryPrice"]) // ONE
