"""Requests, contracts, limits and the acceptable price of both trading contexts, without sending anything."""

import secrets
from collections.abc import Mapping
from typing import Any, Literal

from . import models
from ._calls import CALLS, PRICE_BOUND
from .amounts import ONE
from .errors import Difference, RefusedToSign
from .orders import Order

Direction = Literal["long", "short"]
Condition = Literal["above", "below"]

MAX_FEE = 10 * ONE
"""Ten XLM, in stroops."""
MAX_VALIDITY = 600
"""Twice the validity of prepared transactions, because clocks differ. Seconds."""
DEFAULT_SLIPPAGE_BPS = 50
_BPS = 10_000
_CONTRACTS = {
    "market": "market",
    "vault": "vault",
    "oracleShim": "oracle_shim",
    "router": "router",
    "usdcToken": "usdc_token",
    "lpToken": "lp_token",
    "vaultFactory": "vault_factory",
    "referral": "referral",
}


def contracts_of(health: models.Health) -> dict[str, str]:
    """The addresses of the exchange's contracts, by name."""
    return {name: getattr(health.contracts, member).address for name, member in _CONTRACTS.items()}


def takes_bound(health: models.Health) -> bool:
    """False for contracts of generation 1, whose market trades take no price bound."""
    return health.contracts.market.generation != "1"


def new_client_id() -> str:
    return f"py-{secrets.token_hex(16)}"


def direction_of(direction: str) -> str:
    """The wire's name of `long` and `short`. Raises ValueError."""
    return _choose(direction, {"long": "Long", "short": "Short"})


def condition_of(condition: str) -> str:
    """The wire's name of `above` and `below`. Raises ValueError."""
    return _choose(condition, {"above": "Above", "below": "Below"})


def _choose(value: str, names: Mapping[str, str]) -> str:
    if value.lower() not in names:
        raise ValueError(f"{value!r} is not one of {', '.join(names)}.")
    return names[value.lower()]


def is_bounded(request: Mapping[str, Any]) -> bool:
    """True for market opens and closes, which take the worst acceptable price."""
    spec = CALLS.get(str(request.get("op")))
    return spec is not None and spec.added == PRICE_BOUND


def with_acceptable_price(request: Mapping[str, Any], prepared: models.PreparedTransaction) -> dict[str, Any]:
    """The request with an acceptable price instead of `slippageBps`, which no contract takes: at most this far from the price of the preview, rounded toward
    it. Raises RefusedToSign when the preview has no price."""
    terms = dict(request)
    bps = terms.pop("slippageBps", None)
    if bps is None:
        return terms
    price = prepared.preview.price
    if price is None:
        raise RefusedToSign([Difference("price", "that of the preview", "missing")])
    highest = price * (_BPS + bps) // _BPS
    lowest = -(-price * (_BPS - bps) // _BPS)
    # Whether a close buys or sells is not in the request: the transaction says it, and either price is a bound at most this far away.
    buys = terms["direction"] == "Long" if "direction" in terms else str(prepared.intent.args.get("acceptable_price")) == str(highest)
    terms["acceptablePrice"] = str(highest if buys else lowest)
    return terms


def refuse_unusual_fee(prepared: models.PreparedTransaction, accept: bool) -> None:
    """Raises RefusedToSign if the gateway warns that the fee is far above the usual one."""
    for warning in prepared.warnings:
        if warning.code == "fee_unusual" and not accept:
            raise RefusedToSign([Difference("fee", "a usual one, or accept_unusual_fee=True", f"too high ({warning.message})")])


def order_of(hash: str, client_id: str, ledger: int, transaction: models.Transaction | None, fills: list[models.Fill]) -> Order:
    """The effects of a transaction."""
    # Since generation 2, an open first closes the account's positions in the other direction.
    opened = [fill for fill in fills if fill.kind == "open"]
    main = (opened or fills or [None])[0]
    position = None if transaction is None else transaction.position_id
    return Order(
        hash=hash,
        ledger=ledger,
        client_id=client_id,
        position_id=position if main is None else main.position_id,
        order_id=None if transaction is None else transaction.order_id,
        fill_price=None if main is None else main.price,
        size=None if main is None else main.size,
        fee=None if main is None else main.fee,
        pnl=None if main is None else main.pnl,
        payout=None if main is None else main.payout,
        fills=tuple(fills),
    )
