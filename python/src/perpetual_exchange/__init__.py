"""Python client for the Perpetual Exchange Gateway."""

from typing import TYPE_CHECKING, Any

from ._aio.client import AsyncClient
from ._results import Result
from ._sync.client import Client
from ._version import VERSION as __version__
from .amounts import amount, show
from .errors import (
    ApiError,
    ContractFailure,
    Difference,
    ExchangeError,
    RateLimited,
    RefusedToSign,
    SignedTransaction,
    StreamError,
    Unauthorized,
    UnexpectedAnswer,
    UnknownOutcome,
    Unreachable,
)
from .keys import Key
from .orders import Order
from .signing import Signer
from .streaming import Frame, Gap, KeyExpiring, Stalled, Upgrade

if TYPE_CHECKING:
    from . import models


def __getattr__(name: str) -> Any:
    """The models, at their first use."""
    if name == "models":
        from importlib import import_module

        return import_module(".models", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "ApiError",
    "AsyncClient",
    "Client",
    "ContractFailure",
    "Difference",
    "ExchangeError",
    "Frame",
    "Gap",
    "Key",
    "KeyExpiring",
    "Order",
    "RateLimited",
    "RefusedToSign",
    "Result",
    "SignedTransaction",
    "Signer",
    "Stalled",
    "StreamError",
    "Unauthorized",
    "UnexpectedAnswer",
    "UnknownOutcome",
    "Unreachable",
    "Upgrade",
    "__version__",
    "amount",
    "models",
    "show",
]
