"""Conversion between the exchange's integers in 7 decimals and CCXT's numbers."""

from decimal import Decimal, InvalidOperation
from typing import Any

import ccxt

from ..amounts import DECIMALS, ONE


def number(units: str | int) -> float:
    """The nearest float."""
    return float(Decimal(units).scaleb(-DECIMALS))


def optional(units: str | int | None) -> float | None:
    return None if units is None else number(units)


def units_of(value: Any, what: str) -> int:
    """A number, or the text of one, in units. Truncates after 7 decimals, as CCXT does with amounts. Raises InvalidOrder."""
    try:
        units = Decimal(str(value)).scaleb(DECIMALS)
        if isinstance(value, bool) or not units.is_finite() or units < 0:
            raise InvalidOperation
    except InvalidOperation:
        raise ccxt.InvalidOrder(f"{what} must be a number of at least 0, not {value}") from None
    return int(units)


def amount_units(size: str | int | None, price: str | int | None) -> int | None:
    """A notional size as an amount of the base currency, in units."""
    if size is None or price is None or int(price) == 0:
        return None
    return int(size) * ONE // int(price)


def amount_of(size: str | int | None, price: str | int | None) -> float | None:
    return optional(amount_units(size, price))
