"""The asynchronous CCXT exchange, with the stream."""

from .._aio.ccxt_stream import AsyncPerpetualStream as perpetual

__all__ = ["perpetual"]
