"""Requests and answers of both clients, without sending anything."""

import json
import random
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx

from ._results import Result, ShapeMismatch, decode
from ._version import VERSION
from .errors import ApiError, ContractFailure, Outcome, RateLimited, Unauthorized, UnexpectedAnswer, Unreachable
from .keys import Key

TESTNET_PASSPHRASE = "Test SDF Network ; September 2015"
TRANSIENT = (502, 503, 504)
USER_AGENT = f"perpetual-exchange-client-python/{VERSION}"
CallKind = Literal["read", "trading"]
_TRADING = re.compile(r"/v1/(?:orders/prepare|actions/prepare|tx)(?:[/?]|$)")


@dataclass(frozen=True)
class Call:
    """One request. `repeatable`: it may be repeated after any failure. `sends`: it may send a transaction to the network."""

    method: str
    path: str
    body: Any
    repeatable: bool
    sends: bool
    min_ledger: int | None
    request_id: str

    @property
    def kind(self) -> CallKind:
        """The gateway limits trading separately from reads."""
        return "trading" if _TRADING.match(self.path) else "read"


def make_call(method: str, path: str, *, query: Mapping[str, Any] | None, body: Any, repeatable: bool, sends: bool, min_ledger: int | None) -> Call:
    values = {name: _text(value) for name, value in (query or {}).items() if value is not None}
    address = f"{path}?{urlencode(values)}" if values else path
    return Call(method, address, body, repeatable, sends, min_ledger, secrets.token_hex(12))


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def headers_of(call: Call, key: Key | None, sends_timestamp: bool) -> dict[str, str]:
    headers = {"x-request-id": call.request_id, "user-agent": USER_AGENT}
    if key is not None:
        headers["authorization"] = f"Bearer {key.id}:{key.secret}"
        if sends_timestamp:
            headers["x-timestamp"] = str(int(time.time()))
    if call.body is not None:
        headers["content-type"] = "application/json"
    if call.min_ledger is not None:
        headers["x-min-ledger"] = str(call.min_ledger)
    return headers


def content_of(call: Call) -> bytes | None:
    return None if call.body is None else json.dumps(call.body, separators=(",", ":")).encode()


def failure_of(call: Call, base: str, error: httpx.HTTPError) -> Unreachable:
    """The error of a call without an answer. It repeats neither the query nor a header."""
    where = f"{call.method} {base}{call.path.split('?')[0]}"
    is_timeout = isinstance(error, httpx.TimeoutException)
    message = f"{where}: no answer in time" if is_timeout else f"{where}: {type(error).__name__}"
    return Unreachable("timeout" if is_timeout else "unreachable", message, request_id=call.request_id, outcome="unknown" if call.sends else None)


def read_answer(call: Call, response: httpx.Response, kind: Any) -> Result[Any]:
    """The result of an answer. Raises ApiError."""
    headers = response.headers
    request_id = headers.get("x-request-id")
    if response.status_code == 200 and kind is bytes:
        body: Any = response.content
    elif response.status_code == 200 and kind is str and headers.get("content-type", "").startswith("text/plain"):
        body = response.text
    else:
        body = _json(response)
    if response.status_code >= 400:
        raise _error_of(call, response, body)
    unexpected = None
    if not 200 <= response.status_code < 300 or body is _NOTHING:
        unexpected = f"Answer {response.status_code} is not JSON. Check that the address is the gateway's."
    else:
        try:
            data = body if kind is bytes else decode(kind, body)
            return Result(
                data,
                _integer(headers.get("x-ledger")),
                _integer(headers.get("x-seq")),
                headers.get("x-epoch"),
                request_id,
                headers.get("x-stale") == "1",
            )
        except ShapeMismatch as error:
            unexpected = f"The answer has an unknown form: {error}."
    raise UnexpectedAnswer("unexpected_answer", unexpected, status=response.status_code, request_id=request_id, outcome="unknown" if call.sends else None)


_NOTHING = object()


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return _NOTHING


def _integer(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch(r"\d{1,15}", text, re.ASCII) else None


def _error_of(call: Call, response: httpx.Response, body: Any) -> ApiError:
    known = None if body is _NOTHING else cast(object, body)
    fields = cast("dict[str, Any]", known) if isinstance(known, dict) else {}
    # Only the framework's errors, which have a statusCode, carry an error code in `code`. Elsewhere it may be a referral code.
    framework = _string(fields.get("code")) if "statusCode" in fields else None
    code = framework or _string(fields.get("error")) or f"http_{response.status_code}"
    message = _string(fields.get("message")) or _string(fields.get("hint")) or code
    status = response.status_code
    outcome: Outcome | None = None
    if call.sends:
        outcome = "unknown" if status == 429 or status >= 500 else "rejected"
    stage = {"simulation_failed": "simulation", "submission_rejected": "submission"}.get(code)
    kind = RateLimited if status == 429 else Unauthorized if status == 401 else ApiError if stage is None else ContractFailure
    error = kind(
        code,
        message,
        status=status,
        request_id=response.headers.get("x-request-id"),
        retry_after=_integer(response.headers.get("retry-after")),
        outcome=outcome,
        body=cast(object, known),
    )
    if isinstance(error, ContractFailure):
        error.stage = "simulation" if stage == "simulation" else "submission"
        error.contract_error = fields.get("contractError")
        error.host_error = fields.get("hostError")
        error.tx_result_code = fields.get("txResultCode")
    return error


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None


class RetryPolicy:
    """Decides about the next attempt of calls. `max_wait` bounds the sum of the delays of one call, seconds."""

    def __init__(self, attempts: int, max_wait: float) -> None:
        self.attempts = attempts
        self.max_wait = max_wait
        # Only where the gateway requires it, because this machine's clock may be wrong.
        self.sends_timestamp = False
        self._limited_until: dict[CallKind, float] = {"read": 0.0, "trading": 0.0}

    def limited_for(self, kind: CallKind) -> float:
        """Seconds for which no call of the kind may be sent, because the rate limit is used up."""
        return max(0.0, self._limited_until[kind] - time.monotonic())

    def delay_after(self, call: Call, error: ApiError, attempt: int, *, attempts: int | None, had_timestamp: bool) -> float | None:
        """Seconds to the next attempt; None: there is none."""
        if isinstance(error, RateLimited):
            until = time.monotonic() + (error.retry_after or 1)
            self._limited_until[call.kind] = max(self._limited_until[call.kind], until)
        if isinstance(error, Unauthorized) and error.code == "missing_timestamp" and not had_timestamp:
            self.sends_timestamp = True
            return 0.0
        if attempt >= (attempts or self.attempts) or not _is_retryable(call, error):
            return None
        # A random part, because every client of the gateway got the same Retry-After.
        return backoff(attempt) if error.retry_after is None else error.retry_after + backoff(1)


def _is_retryable(call: Call, error: ApiError) -> bool:
    if isinstance(error, RateLimited):
        return True
    if not call.repeatable:
        return False
    if isinstance(error, Unreachable):
        return True
    return (error.status in TRANSIENT and error.code != "unsupported_by_deployment") or error.code == "not_yet"


def backoff(failures: int, first: float = 0.25, most: float = 8.0) -> float:
    """A random delay below a limit that doubles, so that many clients do not retry at the same moment. Seconds."""
    return random.random() * min(most, first * 2 ** max(0, failures - 1))


def check_address(base_url: str) -> str:
    """The gateway's address without a trailing slash. Raises ValueError for other schemes and for credentials in it."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError("base_url must be an address like https://gateway.example, without credentials.")
    return base_url.rstrip("/")


def next_cursor_of(link: str | None) -> str | None:
    """The cursor of a `Link` header's next page."""
    match = re.search(r'<(/v1/[^>]*)>\s*;\s*rel="next"', link or "")
    return None if match is None else (parse_qs(urlsplit(match[1]).query).get("cursor") or [None])[0]
