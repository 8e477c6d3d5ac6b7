"""The asynchronous CCXT exchange."""

from .._aio.ccxt import AsyncPerpetual as perpetual

__all__ = ["perpetual"]
