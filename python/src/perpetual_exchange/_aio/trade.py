"""Trading: prepare, verify, sign, submit until the outcome is final, then read the effects."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from .. import models
from .._calls import CALLS, ORDERS
from .._envelope import CallTransaction, hash_of, sign_envelope
from .._results import encode
from .._trading import (
    DEFAULT_SLIPPAGE_BPS,
    MAX_FEE,
    MAX_VALIDITY,
    Condition,
    Direction,
    condition_of,
    contracts_of,
    direction_of,
    is_bounded,
    new_client_id,
    order_of,
    refuse_unusual_fee,
    takes_bound,
    with_acceptable_price,
)
from .._verify import SigningTerms, verify_transaction
from ..errors import ApiError, SignedTransaction
from ..orders import Order
from ..signing import Signer, resolve_async
from .earlier import find_earlier
from .endpoints import AsyncEndpoints
from .http import AsyncHttp
from .submit import AsyncSubmitter

if TYPE_CHECKING:
    from .endpoints import ActionRequest, OrderRequest

# The gateway reads the fee of a fill from the transaction's meta some seconds after its event.
_EFFECTS_WAIT = 15.0
_POLL = 0.5
_PAGE = 200


class AsyncTrading:
    """Trades of one account. It makes one trade at a time, because each uses the account's next sequence number."""

    def __init__(
        self,
        http: AsyncHttp,
        endpoints: AsyncEndpoints,
        signer: Signer,
        *,
        passphrase: str,
        contracts: Mapping[str, str] | None = None,
        max_fee: int = MAX_FEE,
        max_validity: int = MAX_VALIDITY,
        accept_unusual_fee: bool = False,
        patience: float = 120.0,
    ) -> None:
        self._endpoints = endpoints
        self._signer = signer
        self._passphrase = passphrase
        self._given_contracts = contracts
        self._contracts: Mapping[str, str] | None = None
        self._takes_bound = True
        self._max_fee = max_fee
        self._max_validity = max_validity
        self._accept_unusual_fee = accept_unusual_fee
        self._patience = patience
        self._submitter = AsyncSubmitter(http, patience)
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> AsyncTrading:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    def __repr__(self) -> str:
        return f"<trading of {self._signer.address}>"

    async def open(
        self,
        asset: str,
        direction: Direction,
        collateral: int,
        *,
        leverage: int,
        slippage_bps: int | None = None,
        acceptable_price: int | None = None,
        cross: bool = False,
        client_id: str | None = None,
    ) -> Order:
        """Opens a position at the market price. `collateral` and `acceptable_price` are integers in 7 decimals.

        The contracts refuse the trade at a price further than `slippage_bps` from that of the preview (50 by default), or worse than `acceptable_price`;
        0 accepts any price. With a `client_id`, a repetition after a crash does not trade again: if an earlier transaction with this id did the same, its
        result is returned; if it did something else, failed, or cannot be compared, ApiError `client_id_in_use` is raised. Also raises RefusedToSign,
        ContractFailure, UnknownOutcome and other ApiError.
        """
        op = "open_position_cross" if cross else "open_position"
        request = {"op": op, "asset": asset, "direction": direction_of(direction), "collateral": collateral, "leverage": leverage}
        return await self._execute({**request, "slippageBps": slippage_bps, "acceptablePrice": acceptable_price}, client_id)

    async def close(
        self,
        position_id: int,
        *,
        slippage_bps: int | None = None,
        acceptable_price: int | None = None,
        cross: bool = False,
        client_id: str | None = None,
    ) -> Order:
        """Closes a position at the market price. The price bounds are those of `open`."""
        request = {"op": "close_position_cross" if cross else "close_position", "positionId": position_id}
        return await self._execute({**request, "slippageBps": slippage_bps, "acceptablePrice": acceptable_price}, client_id)

    async def reduce(self, position_id: int, size: int, *, client_id: str | None = None) -> Order:
        """Closes a part of a position: `size` is the notional value in USDC, 7 decimals. Contracts of generation 2."""
        return await self._execute({"op": "close_position_partial", "positionId": position_id, "closeSize": size}, client_id)

    async def limit(
        self,
        asset: str,
        direction: Direction,
        collateral: int,
        *,
        leverage: int,
        price: int,
        condition: Condition,
        slippage_bps: int = DEFAULT_SLIPPAGE_BPS,
        time_in_force: Literal[0, 1, 2] = 0,
        reduce_only: bool = False,
        client_id: str | None = None,
    ) -> Order:
        """Places an order that opens a position when the price is `above` or `below` a price. `time_in_force`: 0 good till cancelled, 1 immediate or cancel,
        2 post-only. Returns when the order rests; `order_id` names it."""
        request = self._resting(asset, direction, collateral, leverage, price, condition, slippage_bps, time_in_force, reduce_only)
        return await self._execute({"op": "place_limit_order", **request}, client_id)

    async def stop_limit(
        self,
        asset: str,
        direction: Direction,
        collateral: int,
        *,
        leverage: int,
        price: int,
        limit_price: int,
        condition: Condition,
        slippage_bps: int = DEFAULT_SLIPPAGE_BPS,
        time_in_force: Literal[0, 1, 2] = 0,
        reduce_only: bool = False,
        client_id: str | None = None,
    ) -> Order:
        """Places an order that becomes a limit order at `limit_price` when the price is `above` or `below` a price."""
        request = self._resting(asset, direction, collateral, leverage, price, condition, slippage_bps, time_in_force, reduce_only)
        return await self._execute({"op": "place_stop_limit_order", **request, "limitPrice": limit_price}, client_id)

    def _resting(
        self,
        asset: str,
        direction: str,
        collateral: int,
        leverage: int,
        price: int,
        condition: str,
        slippage_bps: int,
        time_in_force: int,
        reduce_only: bool,
    ) -> dict[str, object]:
        return {
            "asset": asset,
            "direction": direction_of(direction),
            "collateral": collateral,
            "leverage": leverage,
            "triggerPrice": price,
            "triggerCondition": condition_of(condition),
            "slippageToleranceBps": slippage_bps,
            "timeInForce": time_in_force or None,
            "reduceOnly": reduce_only or None,
        }

    async def stop_loss(self, position_id: int, price: int, *, slippage_bps: int = DEFAULT_SLIPPAGE_BPS, client_id: str | None = None) -> Order:
        """Closes the position when its price falls through `price` (rises, for a short)."""
        request = {"op": "set_stop_loss", "positionId": position_id, "triggerPrice": price, "slippageToleranceBps": slippage_bps}
        return await self._execute(request, client_id)

    async def take_profit(
        self,
        position_id: int,
        price: int,
        *,
        limit_price: int | None = None,
        slippage_bps: int = DEFAULT_SLIPPAGE_BPS,
        client_id: str | None = None,
    ) -> Order:
        """Closes the position when its price rises through `price` (falls, for a short)."""
        request = {"op": "set_take_profit", "positionId": position_id, "triggerPrice": price, "slippageToleranceBps": slippage_bps}
        return await self._execute({**request, "limitPrice": limit_price}, client_id)

    async def trailing_stop(self, position_id: int, trailing_bps: int, *, slippage_bps: int = DEFAULT_SLIPPAGE_BPS, client_id: str | None = None) -> Order:
        """Closes the position when its price falls `trailing_bps` below its peak (rises above its lowest, for a short)."""
        request = {"op": "place_trailing_stop", "positionId": position_id, "trailingPercentBps": trailing_bps}
        return await self._execute({**request, "slippageToleranceBps": slippage_bps}, client_id)

    async def cancel(self, order_id: int, *, client_id: str | None = None) -> Order:
        """Cancels a resting order."""
        return await self._execute({"op": "cancel_order", "orderId": order_id}, client_id)

    async def execute(self, request: OrderRequest | ActionRequest | Mapping[str, object]) -> Order:
        """Any operation of `prepare_order` and `prepare_action`: deposits, withdrawals, vaults, referrals and the orders of the other methods."""
        wire = encode(request)
        client_id = wire.pop("clientId", None)
        return await self._execute(wire, client_id)

    async def find(self, client_id: str) -> models.Transaction | None:
        """The newest transaction of the account with this client id, None when the gateway knows none. Its `status` says what became of it: SUCCESS, FAILED,
        REJECTED and EXPIRED are final; PREPARED was not submitted."""
        try:
            return (await self._endpoints.find_transaction(client_id=client_id)).data
        except ApiError as error:
            if error.code == "unknown_transaction":
                return None
            raise

    async def finish(self, transaction: SignedTransaction) -> Order:
        """Submits a signed transaction again, from this process or an earlier one, and waits for its outcome. The network applies it at most once."""
        async with self._lock:
            ledger = await self._submitter.finish(transaction, is_new=False)
        return await self._read_effects(transaction.hash, transaction.client_id, ledger, None)

    async def _execute(self, fields: Mapping[str, Any], client_id: str | None) -> Order:
        request = {**encode(fields), "clientId": client_id or new_client_id()}
        async with self._lock:
            try:
                transaction = await self._prepare_and_sign(request)
                ledger = await self._submitter.finish(transaction, is_new=True)
            except ApiError as error:
                earlier = await find_earlier(self._endpoints, request, error, self._patience)
                if earlier is None or earlier.ledger is None:
                    raise
                hash, ledger = earlier.hash, earlier.ledger
            else:
                hash = transaction.hash
        return await self._read_effects(hash, request["clientId"], ledger, request)

    async def _prepare_and_sign(self, request: dict[str, Any]) -> SignedTransaction:
        try:
            contracts = await self._read_contracts()
            tx = await self._prepare(self._bounded(request), contracts)
        except ApiError as error:
            # Nothing was sent. Another transaction with this client id may exist, and an answer that did not arrive says nothing.
            is_certain = error.status is not None and 400 <= error.status < 500 and error.status != 429 and error.code != "client_id_in_use"
            error.outcome = "rejected" if is_certain else "unknown"
            raise
        tx_hash = hash_of(tx.envelope, self._passphrase)
        signature = await resolve_async(self._signer.sign(tx_hash))
        signed = sign_envelope(tx.envelope, self._signer.address, tx_hash, signature)
        return SignedTransaction(hash=tx_hash.hex(), signed_xdr=signed, expires_at=tx.max_time, client_id=request["clientId"])

    def _bounded(self, request: dict[str, Any]) -> dict[str, Any]:
        """The request with the default tolerance, wherever the contracts take a bound."""
        if not is_bounded(request) or "slippageBps" in request or "acceptablePrice" in request or not self._takes_bound:
            return request
        return {**request, "slippageBps": DEFAULT_SLIPPAGE_BPS}

    async def _prepare(self, request: dict[str, Any], contracts: Mapping[str, str]) -> CallTransaction:
        if request["op"] not in CALLS:
            raise ValueError(f"Unknown operation {request['op']}.")
        prepare = self._endpoints.prepare_order if request["op"] in ORDERS else self._endpoints.prepare_action
        prepared = (await prepare(request)).data
        terms = SigningTerms(with_acceptable_price(request, prepared), self._signer.address, contracts, self._max_fee, self._max_validity, time.time())
        tx = verify_transaction(prepared.xdr, terms)
        refuse_unusual_fee(prepared, self._accept_unusual_fee)
        return tx

    async def _read_contracts(self) -> Mapping[str, str]:
        """The exchange's contracts: those that were given, else those that the gateway names at the first trade."""
        if self._contracts is None:
            health = (await self._endpoints.get_health()).data
            self._takes_bound = takes_bound(health)
            self._contracts = self._given_contracts or contracts_of(health)
        return self._contracts

    async def _read_effects(self, hash: str, client_id: str | None, ledger: int, request: Mapping[str, Any] | None) -> Order:
        """The trade is complete. A failure to read its effects must not make it look failed."""
        has_fill = request is not None and (is_bounded(request) or request["op"] == "close_position_partial")
        deadline = time.monotonic() + _EFFECTS_WAIT
        found: models.Transaction | None = None
        fills: list[models.Fill] = []
        while True:
            try:
                found = (await self._endpoints.get_transaction(hash, min_ledger=ledger)).data
                page = (await self._endpoints.list_account_fills(limit=_PAGE, min_ledger=ledger)).data
                fills = [fill for fill in reversed(page.fills) if fill.tx_hash == hash]
            except ApiError:
                found = found
            is_known = not has_fill or (bool(fills) and all(fill.fee is not None for fill in fills if fill.kind == "open"))
            if (found is not None and is_known) or time.monotonic() >= deadline:
                return order_of(hash, client_id or "", ledger, found, fills)
            await asyncio.sleep(_POLL)
