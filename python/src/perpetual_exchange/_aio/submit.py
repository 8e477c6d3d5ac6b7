"""Submits a signed transaction until its outcome is final."""

import asyncio
import time
from typing import Literal

from .. import models
from .._protocol import backoff
from ..errors import ApiError, ContractFailure, SignedTransaction, UnknownOutcome, Unreachable
from .http import AsyncHttp

# Clocks may differ by this much: a transaction counts as expired this long after its expiry, seconds.
EXPIRY_MARGIN = 60

Meaning = Literal["failed", "rejected", "retry", "permanent", "unknown"]


def meaning_of(error: ApiError) -> Meaning:
    """The outcome of the transaction that an error proves.

    `rejected`: the network did not accept this copy, but may have accepted an earlier one. `retry`: it was not submitted, and may be later. `permanent`: it was
    not submitted, and a repetition does not help.
    """
    if isinstance(error, ContractFailure):
        return "failed" if error.stage == "ledger" else "rejected"
    if isinstance(error, Unreachable) or error.code == "unexpected_answer" or error.status is None:
        return "unknown"
    if error.status in (429, 503):
        return "retry"
    if error.status == 502:
        body = error.body
        return "unknown" if isinstance(body, dict) and isinstance(body.get("hash"), str) else "retry"  # pyright: ignore[reportUnknownMemberType]
    return "unknown" if error.status >= 500 else "permanent"


class AsyncSubmitter:
    """Submits transactions. The network applies each at most once, however often it is submitted."""

    def __init__(self, http: AsyncHttp, patience: float) -> None:
        self._http = http
        self._patience = patience

    async def finish(self, transaction: SignedTransaction, *, is_new: bool) -> int:
        """The ledger of the transaction. `is_new`: it was not submitted before. Raises ContractFailure when it certainly failed, ApiError when the network
        certainly has no copy of it, and UnknownOutcome."""
        deadline = time.monotonic() + self._patience
        may_be_pending = not is_new
        failures = 0
        while True:
            try:
                ledger = await self._submit_once(transaction, deadline)
            except ApiError as error:
                meaning = meaning_of(error)
                is_expired = time.time() > transaction.expires_at + EXPIRY_MARGIN
                if meaning == "failed" or (meaning == "rejected" and (not may_be_pending or is_expired)):
                    error.outcome = "rejected"
                    raise
                if meaning == "permanent":
                    if may_be_pending:
                        raise UnknownOutcome(transaction, error) from error
                    error.outcome = "rejected"
                    raise
                may_be_pending = may_be_pending or meaning == "unknown"
                failures += 1
                wait = max(backoff(failures, 0.5), error.retry_after or 0)
                if time.monotonic() + wait >= deadline:
                    raise UnknownOutcome(transaction, error) from error
                await asyncio.sleep(wait)
                continue
            if ledger is not None:
                return ledger
            may_be_pending = True
            failures = 0
            if time.monotonic() >= deadline:
                raise UnknownOutcome(transaction, None)

    async def _submit_once(self, transaction: SignedTransaction, deadline: float) -> int | None:
        """Submits it and waits for its ledger; None when the gateway reports no outcome yet."""
        wait_ms = int(min(30.0, max(1.0, deadline - time.monotonic())) * 1000)
        body: dict[str, object] = {"signedXdr": transaction.signed_xdr, "pollTimeoutMs": wait_ms}
        if transaction.client_id is not None:
            body["clientId"] = transaction.client_id
        answer = await self._http.call("POST", "/v1/tx/submit", models.SubmitResult, body=body, sends=True, timeout=wait_ms / 1000 + 10, attempts=1)
        result = answer.data
        if result.status == "FAILED":
            raise _failed_in_ledger(result, answer.request_id)
        return result.ledger if result.status == "SUCCESS" else None


def _failed_in_ledger(result: models.SubmitResult, request_id: str | None) -> ContractFailure:
    message = result.message or "The transaction failed in a ledger."
    failure = ContractFailure("transaction_failed", message, status=200, request_id=request_id, outcome="rejected")
    failure.stage = "ledger"
    failure.hash = result.hash
    if result.contract_error is not None:
        failure.contract_error = {"code": result.contract_error.code, "name": result.contract_error.name}
    if result.host_error is not None:
        failure.host_error = {"type": result.host_error.type, "code": result.host_error.code}
    failure.tx_result_code = result.tx_result_code
    return failure
