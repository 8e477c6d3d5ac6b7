"""Errors. Match on the class, on `code` and on `outcome`; `message` is for people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Outcome = Literal["rejected", "unknown"]


class ExchangeError(Exception):
    """The base class of all errors of this package."""


class ApiError(ExchangeError):
    """A call failed.

    `code` is the gateway's error code, or `timeout`, `unreachable` or `unexpected_answer`. `status` is the HTTP status, None without an answer.
    `retry_after` is in seconds. `outcome` says on calls that may have sent a transaction what became of it: "rejected" if the network certainly does not
    apply it, else "unknown". It is None on reads.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        outcome: Outcome | None = None,
        body: object = None,
    ) -> None:
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        self.outcome: Outcome | None = outcome
        self.body = body
        super().__init__(message)

    def __str__(self) -> str:
        status = "" if self.status is None else f"{self.status} "
        request = "" if self.request_id is None else f" (request {self.request_id})"
        return f"{status}{self.code}: {self.message}{request}"


class Unreachable(ApiError):
    """No answer arrived: the connection failed, or it timed out. A call that changes something may still have been executed."""


class RateLimited(ApiError):
    """The rate limit of this minute is used up. The call was not executed."""


class Unauthorized(ApiError):
    """The call needs an API key, or the gateway does not accept this one."""


class UnexpectedAnswer(ApiError):
    """The answer does not come from such a gateway, or this package does not understand it."""


class ContractFailure(ApiError):
    """A transaction failed in its simulation, at its submission, or in a ledger.

    `contract_error` is `{"code": int, "name": str}` if a contract raised the error, `host_error` is `{"type": str, "code": str}` if the host did. `hash` is
    that of the transaction, once it has one. Only a transaction that failed in a ledger has paid its fee.
    """

    stage: Literal["simulation", "submission", "ledger"] = "simulation"
    contract_error: dict[str, Any] | None = None
    host_error: dict[str, Any] | None = None
    tx_result_code: str | None = None
    hash: str | None = None


@dataclass(frozen=True, kw_only=True)
class SignedTransaction:
    """A signed transaction, which can be submitted again. `expires_at` is in Unix seconds."""

    hash: str
    signed_xdr: str
    expires_at: int
    client_id: str | None = None


class UnknownOutcome(ApiError):
    """A transaction was signed and may have been sent, and its outcome is unknown. The network may still apply it.

    Call `t.finish(error.transaction)` or `t.find(client_id)` before you trade again.
    """

    def __init__(self, transaction: SignedTransaction, cause: ApiError | None) -> None:
        because = "" if cause is None else f" ({cause})"
        super().__init__(
            "unknown_outcome",
            f"The outcome of transaction {transaction.hash} is unknown{because}. Call finish or find before you trade again.",
            status=None if cause is None else cause.status,
            request_id=None if cause is None else cause.request_id,
            retry_after=None if cause is None else cause.retry_after,
            outcome="unknown",
        )
        self.transaction = transaction


@dataclass(frozen=True)
class Difference:
    """One difference between a prepared transaction and the request."""

    what: str
    expected: str
    found: str


class RefusedToSign(ExchangeError):
    """The prepared transaction does not match the request, or its fee is too high. Nothing was signed."""

    def __init__(self, differences: Sequence[Difference]) -> None:
        self.differences = tuple(differences)
        super().__init__("Refused to sign: " + "; ".join(f"{d.what} is {d.found}, expected {d.expected}" for d in self.differences))


class StreamError(ExchangeError):
    """The stream cannot be used: a channel was rejected, or the key was not accepted. `code` says which."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        super().__init__(message)
