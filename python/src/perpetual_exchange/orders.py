"""Results of trading."""

from __future__ import annotations

from dataclasses import dataclass, field

from ._lazy import models


@dataclass(frozen=True, kw_only=True)
class Order:
    """A transaction in a ledger, and its effects.

    Amounts and prices are integers in 7 decimals. Members are None where the transaction has no such effect, or where the gateway could not tell it in
    time; the transaction is complete in either case.
    """

    hash: str
    ledger: int
    client_id: str
    position_id: int | None = None
    """The position that was opened, else the one that was changed."""
    order_id: int | None = None
    """The resting order that was placed or cancelled."""
    fill_price: int | None = None
    size: int | None = None
    """Notional value in USDC that was opened or closed."""
    fee: int | None = None
    """Trading fee in USDC. Only opens have one."""
    pnl: int | None = None
    payout: int | None = None
    fills: tuple[models.Fill, ...] = field(default=(), repr=False)
