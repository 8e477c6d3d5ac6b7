"""The contract call of each request.

This table is independent of the gateway's own: the client compares every prepared transaction with it before it signs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Value = tuple[str, object]
"""A contract value: its type and the value; None for types that the client does not compare."""


@dataclass(frozen=True)
class ContractCall:
    contract: str
    function: str
    args: tuple[Value, ...]


@dataclass(frozen=True)
class CallSpec:
    """`args` are names of members, with a question mark when their default is 0. Contracts of later generations take `added` after them."""

    contract: str
    args: tuple[str, ...]
    added: tuple[str, ...] = ()
    function: str | None = None
    spends: tuple[str, str] | None = None
    """The member with the amount that leaves the account, and its token."""


SIGNER = "@signer"
VAULT = "@vault"
TIME_IN_FORCE = "@timeInForce"
GOOD_TILL_CANCELLED = "@goodTillCancelled"
REDUCE_ONLY_FLAG = 0x100

_COLLATERAL = ("collateral", "usdcToken")
_AMOUNT = ("amount", "usdcToken")
_ENTRY = (SIGNER, "asset", "collateral", "leverage", "direction")
_LEADER_ENTRY = (SIGNER, "vaultId", "asset", "collateral", "leverage", "direction")
PRICE_BOUND = ("acceptablePrice?",)
_LEAST = ("minOut?",)
_MARKET, _VAULT, _FACTORY, _REFERRAL = "market", "vault", "vaultFactory", "referral"

CALLS: Mapping[str, CallSpec] = {
    "open_position": CallSpec(_MARKET, _ENTRY, PRICE_BOUND, spends=_COLLATERAL),
    "open_position_cross": CallSpec(_MARKET, _ENTRY, PRICE_BOUND, spends=_COLLATERAL),
    "close_position": CallSpec(_MARKET, (SIGNER, "positionId"), PRICE_BOUND),
    "close_position_cross": CallSpec(_MARKET, (SIGNER, "positionId"), PRICE_BOUND),
    "close_position_partial": CallSpec(_MARKET, (SIGNER, "positionId", "closeSize")),
    "add_collateral": CallSpec(_MARKET, (SIGNER, "positionId", "amount"), spends=_AMOUNT),
    "remove_collateral": CallSpec(_MARKET, (SIGNER, "positionId", "amount")),
    "place_limit_order": CallSpec(
        _MARKET,
        (SIGNER, "asset", "direction", "collateral", "leverage", "triggerPrice", "triggerCondition", "slippageToleranceBps", TIME_IN_FORCE),
        spends=_COLLATERAL,
    ),
    "place_stop_limit_order": CallSpec(
        _MARKET,
        (
            SIGNER,
            "asset",
            "direction",
            "collateral",
            "leverage",
            "triggerPrice",
            "limitPrice",
            "triggerCondition",
            "slippageToleranceBps",
            TIME_IN_FORCE,
        ),
        spends=_COLLATERAL,
    ),
    "place_trailing_stop": CallSpec(_MARKET, (SIGNER, "positionId", "trailingPercentBps", "slippageToleranceBps")),
    "set_stop_loss": CallSpec(_MARKET, (SIGNER, "positionId", "triggerPrice", "slippageToleranceBps")),
    "set_take_profit": CallSpec(_MARKET, (SIGNER, "positionId", "triggerPrice", "slippageToleranceBps", "limitPrice?")),
    "cancel_order": CallSpec(_MARKET, (SIGNER, "orderId")),
    "deposit_cross_margin": CallSpec(_MARKET, (SIGNER, "amount"), spends=_AMOUNT),
    "withdraw_cross_margin": CallSpec(_MARKET, (SIGNER, "amount")),
    "deposit_liquidity": CallSpec(_VAULT, (SIGNER, "amount"), _LEAST, function="deposit", spends=_AMOUNT),
    "approve_liquidity_withdrawal": CallSpec("lpToken", (SIGNER, VAULT, "lpAmount", "expirationLedger"), function="approve"),
    "withdraw_liquidity": CallSpec(_VAULT, (SIGNER, "lpAmount"), _LEAST, function="withdraw", spends=("lpAmount", "lpToken")),
    "claim_shortfall": CallSpec(_VAULT, (SIGNER,)),
    "create_vault": CallSpec(_FACTORY, (SIGNER, "name")),
    "deposit_vault": CallSpec(_FACTORY, (SIGNER, "vaultId", "amount"), _LEAST, function="deposit", spends=_AMOUNT),
    "withdraw_vault": CallSpec(_FACTORY, (SIGNER, "vaultId", "shares"), _LEAST, function="withdraw"),
    "leader_open_position": CallSpec(_FACTORY, _LEADER_ENTRY),
    "leader_close_position": CallSpec(_FACTORY, (SIGNER, "vaultId", "positionId")),
    "leader_place_limit_order": CallSpec(_FACTORY, (*_LEADER_ENTRY, "triggerPrice", "triggerCondition", "slippageToleranceBps"), (GOOD_TILL_CANCELLED,)),
    "leader_place_stop_limit": CallSpec(_FACTORY, (*_LEADER_ENTRY, "triggerPrice", "limitPrice", "triggerCondition", "slippageToleranceBps")),
    "leader_set_stop_loss": CallSpec(_FACTORY, (SIGNER, "vaultId", "positionId", "triggerPrice", "slippageToleranceBps")),
    "leader_set_take_profit": CallSpec(_FACTORY, (SIGNER, "vaultId", "positionId", "triggerPrice", "slippageToleranceBps", "limitPrice?")),
    "leader_place_trailing_stop": CallSpec(_FACTORY, (SIGNER, "vaultId", "positionId", "trailingPercentBps", "slippageToleranceBps")),
    "leader_cancel_order": CallSpec(_FACTORY, (SIGNER, "vaultId", "orderId")),
    "claim_leader_fees": CallSpec(_FACTORY, ("vaultId",)),
    "set_vault_paused": CallSpec(_FACTORY, ("vaultId", "paused"), function="set_paused"),
    "create_referral_code": CallSpec(_REFERRAL, (SIGNER, "code"), function="create_code"),
    "set_referrer": CallSpec(_REFERRAL, (SIGNER, "code")),
    "claim_referral": CallSpec(_REFERRAL, (SIGNER,), function="claim"),
}

ORDERS = frozenset(
    (
        "open_position",
        "open_position_cross",
        "close_position",
        "close_position_cross",
        "cancel_order",
        "place_limit_order",
        "place_stop_limit_order",
        "place_trailing_stop",
        "set_stop_loss",
        "set_take_profit",
    )
)
"""Operations of `prepare_order`. All others belong to `prepare_action`."""


def _whole(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    raise ValueError(f"{value!r} is not a whole number. Amounts are integers in 7 decimals: amount('12.5').")


def _number(kind: str) -> Callable[[object], Value]:
    return lambda value: (kind, _whole(value))


def _text(kind: str) -> Callable[[object], Value]:
    return lambda value: (kind, str(value))


def _choice(kind: str, values: Mapping[object, object]) -> Callable[[object], Value]:
    def encode(value: object) -> Value:
        if value not in values:
            raise ValueError(f"{value!r} is not one of {', '.join(map(str, values))}")
        return (kind, values[value])

    return encode


FIELDS: Mapping[str, Callable[[object], Value]] = {
    "asset": _text("symbol"),
    **{
        name: _number("i128") for name in ("collateral", "amount", "closeSize", "lpAmount", "shares", "minOut", "triggerPrice", "limitPrice", "acceptablePrice")
    },
    **{name: _number("u64") for name in ("positionId", "orderId")},
    **{name: _number("u32") for name in ("leverage", "slippageToleranceBps", "trailingPercentBps", "vaultId", "expirationLedger")},
    "name": _text("string"),
    "code": _text("string"),
    "direction": _choice("u32", {"Long": 0, "Short": 1}),
    "triggerCondition": _choice("bool", {"Above": True, "Below": False}),
    "paused": _choice("bool", {True: True, False: False}),
}
"""The argument type of each member. A member has the same type in every request."""


@dataclass(frozen=True)
class Expected:
    """The call and the spending that a signature on the request may authorize."""

    call: ContractCall
    token: str | None
    amount: int


def expected_call(request: Mapping[str, Any], signer: str, contracts: Mapping[str, str], prepared_args: int | None = None) -> Expected:
    """The contract call of a request with the wire's names.

    `prepared_args` is the number of arguments of the prepared transaction: contracts of the first generation take fewer. Raises ValueError for an invalid
    request.
    """
    op = str(request.get("op"))
    spec = CALLS.get(op)
    if spec is None:
        raise ValueError(f"Unknown operation {op}.")
    names = (*spec.args, *spec.added)
    allowed = {"op", "clientId"}
    for name in names:
        allowed.update(("timeInForce", "reduceOnly") if name == TIME_IN_FORCE else (name.rstrip("?"),))
    for member in request:
        if member not in allowed:
            raise ValueError(f"{op} does not take {member}.")
    values = [_argument(op, name, request, signer, contracts) for name in names]
    # Without the added arguments only where the request does not need them.
    added = values[len(spec.args) :]
    if prepared_args == len(spec.args) and all(value in ((("i128"), 0), (("u32"), 0)) for value in added):
        values = values[: len(spec.args)]
    call = ContractCall(contracts[spec.contract], spec.function or op, tuple(values))
    if spec.spends is None:
        return Expected(call, None, 0)
    member, token = spec.spends
    return Expected(call, contracts[token], _whole(request[member]))


def _argument(op: str, name: str, request: Mapping[str, Any], signer: str, contracts: Mapping[str, str]) -> Value:
    if name == SIGNER:
        return ("address", signer)
    if name == VAULT:
        return ("address", contracts["vault"])
    if name == GOOD_TILL_CANCELLED:
        return ("u32", 0)
    if name == TIME_IN_FORCE:
        return _time_in_force(request.get("timeInForce", 0), request.get("reduceOnly", False))
    member = name.rstrip("?")
    value = request.get(member, 0 if name.endswith("?") else None)
    if value is None:
        raise ValueError(f"{op} needs {member}.")
    return FIELDS[member](value)


def _time_in_force(time_in_force: object, reduce_only: object) -> Value:
    if isinstance(time_in_force, bool) or not isinstance(time_in_force, int) or time_in_force not in (0, 1, 2):
        raise ValueError(f"timeInForce {time_in_force!r} is not 0, 1 or 2.")
    if not isinstance(reduce_only, bool):
        raise ValueError(f"reduceOnly {reduce_only!r} is not True or False.")
    return ("u32", time_in_force + (REDUCE_ONLY_FLAG if reduce_only else 0))
