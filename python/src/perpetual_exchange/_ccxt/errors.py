"""The CCXT error of each error of the package. The original is the `__cause__`."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import ccxt

from .. import errors as own

_CONTRACT_ERRORS: tuple[tuple[Any, str], ...] = (
    (
        ccxt.InsufficientFunds,
        "InsufficientBalance InsufficientMargin InsufficientShares CrossMarginInsufficientBalance CrossMarginInsufficientFreeMargin",
    ),
    (ccxt.OrderNotFound, "OrderNotFound OrderNotPending"),
    (ccxt.OrderNotFillable, "SlippageExceeded PostOnlyViolation AcceptablePriceExceeded"),
    (
        ccxt.InvalidOrder,
        "InvalidParameter InvalidAmount PositionNotFound InvalidLeverage InsufficientCollateral PositionTooLarge InvalidTriggerPrice "
        "InvalidSlippageTolerance InvalidLimitPrice InvalidTrailingPercent OrderAlreadyExists CrossMarginOrderNotSupported PositionTooSmall NetsToZero",
    ),
    (
        ccxt.OperationRejected,
        "Paused Frozen AssetHalted AssetRiskNotConfigured InsufficientLiquidity OpenInterestCapExceeded SkewCapExceeded PriceDeviationTooHigh",
    ),
    (ccxt.PermissionDenied, "Unauthorized NotPositionOwner NotOrderOwner"),
    (ccxt.OperationFailed, "PriceStale OracleUnavailable InvalidPrice"),
)
_CONTRACT_CLASSES: dict[str, Any] = {name: kind for kind, names in _CONTRACT_ERRORS for name in names.split()}
_CODES: dict[str, Any] = {
    "order_not_found": ccxt.OrderNotFound,
    "unknown_transaction": ccxt.OrderNotFound,
    "client_id_in_use": ccxt.DuplicateOrderId,
    "unsupported_by_deployment": ccxt.NotSupported,
    "region_restricted": ccxt.RestrictedLocation,
}
# The code of the token contracts, which are built in and whose errors the gateway does not name.
_TOKEN_BALANCE_ERROR = 10


def _class_of(error: own.ApiError) -> Any:
    # As on other exchanges, an order that ends in RequestTimeout may have been placed.
    if isinstance(error, own.UnknownOutcome) or error.code == "timeout":
        return ccxt.RequestTimeout
    if isinstance(error, own.RateLimited):
        return ccxt.RateLimitExceeded
    if isinstance(error, own.Unauthorized):
        return ccxt.AuthenticationError
    if isinstance(error, own.Unreachable):
        return ccxt.NetworkError
    if isinstance(error, own.UnexpectedAnswer):
        return ccxt.BadResponse
    if isinstance(error, own.ContractFailure):
        found = error.contract_error or {}
        if found.get("name") == "UnknownContractError" and found.get("code") == _TOKEN_BALANCE_ERROR:
            return ccxt.InsufficientFunds
        return _CONTRACT_CLASSES.get(str(found.get("name")), ccxt.ExchangeError)
    return _CODES.get(error.code) or _class_of_status(error.status or 0)


def _class_of_status(status: int) -> Any:
    if status in (502, 503, 504):
        return ccxt.ExchangeNotAvailable
    if status == 451:
        return ccxt.RestrictedLocation
    if status == 403:
        return ccxt.PermissionDenied
    return ccxt.BadRequest if status < 500 else ccxt.ExchangeError


def to_ccxt_error(error: own.ExchangeError) -> Exception:
    """The error in CCXT's hierarchy."""
    if not isinstance(error, own.ApiError):
        return ccxt.ExchangeError(str(error))
    message = str(error)
    if isinstance(error, own.ContractFailure) and error.contract_error is not None:
        message += f" {error.contract_error['name']} ({error.contract_error['code']})"
    return _class_of(error)(message)


@contextmanager
def ccxt_errors() -> Generator[None]:
    """Converts what is raised inside."""
    try:
        yield
    except own.ExchangeError as error:
        raise to_ccxt_error(error) from error
