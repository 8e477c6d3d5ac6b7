"""Checks that an earlier transaction with the client id of a request did what the request asks for. Used when a program repeats a request after a crash."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from .. import models
from .._results import snake
from ..errors import ApiError
from .endpoints import AsyncEndpoints

_POLL = 0.5
# The gateway learns the id and the terms of an order some seconds after its placement, and searches for orders without an event every ten seconds.
_TERMS_WAIT = 30.0
# A repetition after a crash follows soon, so the transaction is among the newest.
_PAGE = 200
_DIRECTIONS = {"Long": 0, "Short": 1}
_TIMES_IN_FORCE = {"gtc": 0, "ioc": 1, "post_only": 2}
_NOT_TERMS = ("op", "clientId", "slippageBps", "acceptablePrice")


async def find_earlier(endpoints: AsyncEndpoints, request: Mapping[str, Any], error: ApiError, patience: float) -> models.Transaction | None:
    """The successful transaction that holds the request's client id, if `error` says that there is one and it did the same. None also where that is not
    known: for operations whose members are not indexed, like deposits."""
    body: Any = error.body
    if error.code != "client_id_in_use" or not isinstance(body, dict):
        return None
    hash = str(body.get("hash"))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    deadline = time.monotonic() + patience
    while True:
        found = (await endpoints.get_transaction(hash)).data
        if found.status != "PENDING" or time.monotonic() >= deadline:
            break
        await asyncio.sleep(_POLL)
    if found.status != "SUCCESS" or found.ledger is None or found.op != request["op"]:
        return None
    known = await _terms_of(endpoints, found, found.ledger)
    wanted = {name: _DIRECTIONS.get(str(value), value) for name, value in request.items() if name not in _NOT_TERMS}
    return found if known is not None and all(str(known.get(name)) == str(value) for name, value in wanted.items()) else None


async def _terms_of(endpoints: AsyncEndpoints, found: models.Transaction, ledger: int) -> dict[str, Any] | None:
    """The members of the request that the transaction came from, as far as they are indexed."""
    op = str(found.op)
    if op in ("close_position", "close_position_cross"):
        return {"positionId": found.position_id}
    if op == "cancel_order":
        return {"orderId": found.order_id}
    if op == "open_position":
        return await _opened(endpoints, found, ledger)
    if op.startswith(("place_", "set_")) and op != "set_referrer":
        return await _placed(endpoints, found, ledger)
    return None


async def _opened(endpoints: AsyncEndpoints, found: models.Transaction, ledger: int) -> dict[str, Any] | None:
    fills = (await endpoints.list_account_fills(limit=_PAGE, min_ledger=ledger)).data.fills
    paid = (await endpoints.list_account_ledger(kind="open", limit=_PAGE, min_ledger=ledger)).data.ledger
    fill = next((row for row in fills if row.tx_hash == found.hash and row.kind == "open"), None)
    collateral = next((-row.amount for row in paid if row.tx_hash == found.hash and row.balance_of == "wallet" and row.amount is not None), 0)
    if fill is None or fill.size is None or collateral <= 0:
        return None
    return {"asset": fill.asset, "direction": fill.direction, "collateral": collateral, "leverage": fill.size // collateral}


async def _placed(endpoints: AsyncEndpoints, found: models.Transaction, ledger: int) -> dict[str, Any] | None:
    deadline = time.monotonic() + _TERMS_WAIT
    order_id = found.order_id
    while True:
        if order_id is None:
            order_id = (await endpoints.get_transaction(found.hash)).data.order_id
        order = None if order_id is None else (await endpoints.get_order(order_id, min_ledger=ledger)).data
        if order is not None and order.slippage_tolerance_bps is not None:
            names = ("asset", "direction", "collateral", "leverage", "positionId", "triggerPrice", "triggerCondition", "limitPrice", "trailingPercentBps")
            known = {name: getattr(order, snake(name)) for name in (*names, "slippageToleranceBps", "reduceOnly")}
            return {**known, "timeInForce": _TIMES_IN_FORCE.get(str(order.time_in_force))}
        if time.monotonic() >= deadline:
            return None
        await asyncio.sleep(_POLL)
