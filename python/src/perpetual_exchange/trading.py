"""The classes of `client.trade(…)`, for annotations. They need the extra `trade`."""

from ._aio.trade import AsyncTrading
from ._sync.trade import Trading

__all__ = ["AsyncTrading", "Trading"]
