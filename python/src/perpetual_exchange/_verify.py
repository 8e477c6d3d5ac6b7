"""Checks that a prepared transaction does what the request asks, before it is signed.

The gateway or anyone between could have changed it. The client signs only the requested call, by the signer's account, with a bounded fee and a bounded
validity.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._calls import ContractCall, Expected, Value, expected_call
from ._envelope import Authorization, CallTransaction, MalformedTransaction, read_call_transaction
from .errors import Difference, RefusedToSign


@dataclass(frozen=True)
class SigningTerms:
    """The terms that a transaction must match. `max_fee` is in stroops, `max_validity` in seconds."""

    request: Mapping[str, Any]
    signer: str
    contracts: Mapping[str, str]
    max_fee: int
    max_validity: int
    now: float


def verify_transaction(text: str, terms: SigningTerms) -> CallTransaction:
    """The transaction of an envelope if it matches `terms`. Raises RefusedToSign with every difference, and ValueError for an invalid request."""
    expected_call(terms.request, terms.signer, terms.contracts)
    try:
        tx = read_call_transaction(text)
    except MalformedTransaction as error:
        raise RefusedToSign([Difference("transaction", "an unsigned contract call", f"something else ({error})")]) from None
    expected = expected_call(terms.request, terms.signer, terms.contracts, len(tx.call.args))
    differences: list[Difference] = []
    if tx.source != terms.signer:
        differences.append(Difference("source account", terms.signer, tx.source))
    if tx.fee > terms.max_fee:
        differences.append(Difference("fee", f"at most {terms.max_fee} stroops", str(tx.fee)))
    if tx.min_time != 0:
        differences.append(Difference("minimum time", "0", str(tx.min_time)))
    valid_for = tx.max_time - int(terms.now)
    if tx.max_time == 0 or valid_for > terms.max_validity:
        found = "missing" if tx.max_time == 0 else f"{valid_for} s from now"
        differences.append(Difference("expiry", f"at most {terms.max_validity} s from now", found))
    if tx.sequence <= 0:
        differences.append(Difference("sequence number", "a positive number", str(tx.sequence)))
    differences += _call_differences("", expected.call, tx.call)
    unspent = expected.amount
    for allowed in tx.authorizations:
        differences += _call_differences("authorized ", expected.call, allowed)
        for sub_call in allowed.sub_calls:
            spent = _spending(sub_call, expected, terms, unspent)
            if spent is None:
                limit = "nothing" if expected.token is None else f"a transfer of at most {expected.amount} to the exchange"
                differences.append(Difference("authorized sub-call", limit, _describe(sub_call)))
            else:
                unspent -= spent
    if len(tx.authorizations) > 1:
        differences.append(Difference("number of authorizations", "at most 1", str(len(tx.authorizations))))
    if differences:
        raise RefusedToSign(differences)
    return tx


def _spending(sub_call: Authorization, expected: Expected, terms: SigningTerms, available: int) -> int | None:
    """The amount of an allowed sub-call: a transfer of the spent token to one of the exchange's contracts. None: it is not allowed."""
    if expected.token is None or sub_call.contract != expected.token or sub_call.function != "transfer" or sub_call.sub_calls:
        return None
    match sub_call.args:
        case (("address", sender), ("address", receiver), ("i128", int(amount))):
            allowed = sender == terms.signer and receiver in terms.contracts.values() and 0 < amount <= available
            return amount if allowed else None
        case _:
            return None


def _call_differences(prefix: str, wanted: ContractCall, found: ContractCall) -> list[Difference]:
    pairs: list[tuple[str, str, str]] = [
        ("contract", wanted.contract, found.contract),
        ("function", wanted.function, found.function),
        ("number of arguments", str(len(wanted.args)), str(len(found.args))),
    ]
    for index, argument in enumerate(wanted.args):
        pairs.append((f"argument {index + 1}", _show(argument), _show(found.args[index]) if index < len(found.args) else "missing"))
    return [Difference(prefix + what, expected, actual) for what, expected, actual in pairs if expected != actual]


def _show(value: Value) -> str:
    return f"{value[0]} {value[1]!r}"


def _describe(call: ContractCall) -> str:
    return f"{call.function}({', '.join(map(_show, call.args))}) on {call.contract}"
