"""Results, and the conversion between JSON and models."""

import dataclasses
import keyword
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, TypeVar, Union, cast

T = TypeVar("T")


@dataclass(frozen=True)
class Result(Generic[T]):
    """An answer of the gateway and the state that it was read from.

    `ledger`, `seq` and `epoch` name the state of the index: the last ledger, and the position in the log from which `client.stream` can continue. They are None
    for answers that do not come from the index. `is_stale`: a price in it could not be refreshed.
    """

    data: T
    ledger: int | None
    seq: int | None
    epoch: str | None
    request_id: str | None
    is_stale: bool = False


class ShapeMismatch(Exception):
    """JSON lacks a member of its model, or has it with another type."""


def decode(kind: Any, value: Any) -> Any:
    """The JSON value as `kind`. Members that the model does not have are left out. Digit strings become `int` where the model says so."""
    return _decoder(kind)(value)


Decoder = Callable[[Any], Any]


@cache
def _decoder(kind: Any) -> Decoder:
    origin = typing.get_origin(kind)
    if kind in (Any, object) or origin is Literal:
        return _same
    if origin in (Union, types.UnionType):
        options = [option for option in typing.get_args(kind) if option is not types.NoneType]
        inner = _decoder(options[0]) if len(options) == 1 else _same
        optional: Decoder = lambda value: None if value is None else inner(value)  # noqa: E731
        return optional
    if origin is list:
        item = _decoder(typing.get_args(kind)[0])
        array: Decoder = lambda value: [item(entry) for entry in _checked(value, list)]  # noqa: E731
        return array
    if origin is dict:
        member = _decoder(typing.get_args(kind)[1])
        mapping: Decoder = lambda value: {key: member(entry) for key, entry in _checked(value, dict).items()}  # noqa: E731
        return mapping
    if dataclasses.is_dataclass(kind):
        return _model_decoder(cast("type[Any]", kind))
    if kind is int:
        return _integer
    if kind is float:
        return _number
    return _same


def _same(value: Any) -> Any:
    return value


def _checked(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind):
        raise ShapeMismatch(f"unexpected {type(value).__name__}")
    return value


def _number(value: Any) -> float:
    return float(_checked(value, (int, float)))


def _integer(value: Any) -> int:
    if isinstance(value, int):
        return value
    if isinstance(value, str) and re.fullmatch(r"-?\d+", value, re.ASCII):
        return int(value)
    raise ShapeMismatch(f"{value!r} is not an integer")


def _model_decoder(model: type[Any]) -> Decoder:
    hints = typing.get_type_hints(model)
    fields = dataclasses.fields(model)
    decoders: dict[str, Decoder] | None = None
    required = [f.name for f in fields if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING]

    def read(value: Any) -> Any:
        nonlocal decoders
        if decoders is None:
            decoders = {f.name: _decoder(hints[f.name]) for f in fields}
        members: dict[str, Any] = {}
        for key, entry in _checked(value, dict).items():
            name = snake(key)
            member = decoders.get(name)
            if member is None:
                continue
            try:
                members[name] = member(entry)
            except ShapeMismatch as error:
                raise ShapeMismatch(f"{model.__name__}.{key}: {error}") from None
        missing = [name for name in required if name not in members]
        if missing:
            raise ShapeMismatch(f"{model.__name__} lacks {', '.join(missing)}")
        return model(**members)

    return read


@cache
def snake(name: str) -> str:
    """The Python name of a member: `positionId` becomes `position_id`."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace("-", "_")).lower()
    return text + "_" if keyword.iskeyword(text) else text


@cache
def camel(name: str) -> str:
    """The wire's name of a request's member: `position_id` becomes `positionId`."""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name.rstrip("_"))


# Members of requests that are digit strings on the wire.
DIGITS = frozenset(("collateral", "acceptablePrice", "triggerPrice", "limitPrice", "closeSize", "amount", "lpAmount", "shares", "minOut"))


def encode(request: Any) -> dict[str, Any]:
    """A request as JSON: a model of the package, or a mapping with the wire's names. Amounts may be `int`."""
    if isinstance(request, Mapping):
        members = dict(cast("Mapping[str, Any]", request))
    else:
        members = {camel(f.name): getattr(request, f.name) for f in dataclasses.fields(request)}
    return {name: digits(value) if name in DIGITS else value for name, value in members.items() if value is not None}


def digits(value: int | str | None) -> str | None:
    """An amount on the wire."""
    return None if value is None else str(value)


def present(members: dict[str, Any]) -> dict[str, Any]:
    """The members that have a value."""
    return {name: value for name, value in members.items() if value is not None}
