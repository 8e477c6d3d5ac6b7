"""Trading: what is refused before signing, a filled order, and what becomes of one when the gateway is killed."""

import asyncio
import base64
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import Gateway, LocalNetwork, free_port, scripted
from stellar_sdk import Address, Keypair, StrKey, scval, xdr

from perpetual_exchange import ApiError, AsyncClient, Client, ContractFailure, Key, RefusedToSign, UnknownOutcome, amount
from perpetual_exchange._envelope import hash_of, read_call_transaction, sign_envelope
from perpetual_exchange._protocol import TESTNET_PASSPHRASE
from perpetual_exchange._trading import contracts_of
from perpetual_exchange._verify import SigningTerms, verify_transaction

REQUEST = {"op": "open_position", "asset": "BTC", "collateral": str(amount("100")), "leverage": 5, "direction": "Long", "acceptablePrice": "0"}


@pytest.fixture
async def prepared(client: AsyncClient) -> str:
    return (await client.prepare_order(REQUEST)).data.xdr


@pytest.fixture
async def contracts(client: AsyncClient) -> dict[str, str]:
    return contracts_of((await client.get_health()).data)


def terms(wallet: Keypair, contracts: dict[str, str], **changes: Any) -> SigningTerms:
    known: dict[str, Any] = {"request": REQUEST, "signer": wallet.public_key, "contracts": contracts, "max_fee": 10**8, "max_validity": 600, "now": time.time()}
    return SigningTerms(**{**known, **changes})


def changed(text: str, change: Callable[[Any], None]) -> str:
    envelope: Any = xdr.TransactionEnvelope.from_xdr(text)
    change(envelope.v1.tx)
    return str(envelope.to_xdr())


OTHER = Keypair.from_raw_ed25519_seed(b"\1" * 32)
OTHER_CONTRACT = StrKey.encode_contract(b"\2" * 32)


def call_of(tx: Any) -> Any:
    return tx.operations[0].body.invoke_host_function_op.host_function.invoke_contract


def auth_of(tx: Any) -> Any:
    return tx.operations[0].body.invoke_host_function_op.auth[0]


def transfer_of(tx: Any) -> Any:
    return auth_of(tx).root_invocation.sub_invocations[0].function.contract_fn


def set_argument(index: int, value: Any) -> Callable[[Any], None]:
    return lambda tx: call_of(tx).args.__setitem__(index, value)


def set_source(tx: Any) -> None:
    tx.source_account = OTHER.xdr_muxed_account()


def set_operation_source(tx: Any) -> None:
    tx.operations[0].source_account = OTHER.xdr_muxed_account()


def set_contract(tx: Any) -> None:
    call_of(tx).contract_address = Address(OTHER_CONTRACT).to_xdr_sc_address()


def set_function(tx: Any) -> None:
    call_of(tx).function_name = xdr.SCSymbol(b"close_position")


def set_fee(tx: Any) -> None:
    tx.fee = xdr.Uint32(10**8 + 1)


def set_sequence(tx: Any) -> None:
    tx.seq_num = xdr.SequenceNumber(xdr.Int64(0))


def set_max_time(seconds: int) -> Callable[[Any], None]:
    def change(tx: Any) -> None:
        tx.cond.time_bounds.max_time = xdr.TimePoint(xdr.Uint64(seconds))

    return change


def set_min_time(tx: Any) -> None:
    tx.cond.time_bounds.min_time = xdr.TimePoint(xdr.Uint64(1))


def drop_time(tx: Any) -> None:
    tx.cond = xdr.Preconditions(xdr.PreconditionType.PRECOND_NONE)


def set_memo(tx: Any) -> None:
    tx.memo = xdr.Memo(xdr.MemoType.MEMO_ID, id=xdr.Uint64(1))


def add_operation(tx: Any) -> None:
    tx.operations.append(tx.operations[0])


def drop_argument(tx: Any) -> None:
    # One argument fewer is the call of generation 1.
    del call_of(tx).args[4:]


def set_credentials(tx: Any) -> None:
    credentials = xdr.SorobanAddressCredentials(Address(OTHER.public_key).to_xdr_sc_address(), xdr.Int64(1), xdr.Uint32(1), scval.to_void())
    auth_of(tx).credentials = xdr.SorobanCredentials(xdr.SorobanCredentialsType.SOROBAN_CREDENTIALS_ADDRESS, address=credentials)


def add_authorization(tx: Any) -> None:
    invoke = tx.operations[0].body.invoke_host_function_op
    invoke.auth.append(invoke.auth[0])


def set_authorized_function(tx: Any) -> None:
    auth_of(tx).root_invocation.function.contract_fn.function_name = xdr.SCSymbol(b"approve")


def set_transfer_amount(tx: Any) -> None:
    transfer_of(tx).args[2] = scval.to_int128(amount("100") + 1)


def set_transfer_receiver(tx: Any) -> None:
    transfer_of(tx).args[1] = scval.to_address(OTHER.public_key)


def set_transfer_token(tx: Any) -> None:
    transfer_of(tx).contract_address = Address(OTHER_CONTRACT).to_xdr_sc_address()


CHANGES: dict[str, tuple[Callable[[Any], None], str]] = {
    "source": (set_source, "source account"),
    "operation source": (set_operation_source, "transaction"),
    "contract": (set_contract, "contract"),
    "function": (set_function, "function"),
    "signer": (set_argument(0, scval.to_address(OTHER.public_key)), "argument 1"),
    "asset": (set_argument(1, scval.to_symbol("ETH")), "argument 2"),
    "collateral": (set_argument(2, scval.to_int128(amount("101"))), "argument 3"),
    "leverage": (set_argument(3, scval.to_uint32(6)), "argument 4"),
    "direction": (set_argument(4, scval.to_uint32(1)), "argument 5"),
    "type of an argument": (set_argument(4, scval.to_uint64(0)), "argument 5"),
    "price bound": (set_argument(5, scval.to_int128(1)), "argument 6"),
    "number of arguments": (drop_argument, "number of arguments"),
    "fee": (set_fee, "fee"),
    "sequence": (set_sequence, "sequence number"),
    "no expiry": (set_max_time(0), "expiry"),
    "late expiry": (set_max_time(4_000_000_000), "expiry"),
    "minimum time": (set_min_time, "minimum time"),
    "no time bounds": (drop_time, "transaction"),
    "memo": (set_memo, "transaction"),
    "second operation": (add_operation, "transaction"),
    "foreign authorization": (set_credentials, "transaction"),
    "second authorization": (add_authorization, "number of authorizations"),
    "authorized function": (set_authorized_function, "authorized function"),
    "transferred amount": (set_transfer_amount, "authorized sub-call"),
    "receiver of the transfer": (set_transfer_receiver, "authorized sub-call"),
    "transferred token": (set_transfer_token, "authorized sub-call"),
}


async def test_signing_is_refused_for_each_changed_part(prepared: str, wallet: Keypair, contracts: dict[str, str]) -> None:
    verify_transaction(prepared, terms(wallet, contracts))
    for name, (change, what) in CHANGES.items():
        with pytest.raises(RefusedToSign) as raised:
            verify_transaction(changed(prepared, change), terms(wallet, contracts))
        assert what in [difference.what for difference in raised.value.differences], name


async def test_a_changed_byte_passes_only_in_fee_sequence_expiry_and_resources(prepared: str, wallet: Keypair, contracts: dict[str, str]) -> None:
    original = read_call_transaction(prepared)
    data = base64.b64decode(prepared)
    resources = data.index(original.envelope.v1.tx.ext.to_xdr_bytes())
    passed: list[int] = []
    # Resources affect only the fee, which the transaction's own fee bounds. A part of their bytes shows that they change nothing else.
    for index in [*range(resources), *range(resources, len(data), 61)]:
        damaged = bytearray(data)
        damaged[index] ^= 1
        try:
            tx = verify_transaction(base64.b64encode(damaged).decode(), terms(wallet, contracts))
        except RefusedToSign:
            continue
        passed.append(index)
        assert (tx.source, tx.call, tx.min_time) == (original.source, original.call, 0), index
        assert tx.fee <= 10**8
    # Four bytes of fee, eight of sequence, eight of expiry, and the amount that may leave the account, where it becomes smaller.
    assert len([index for index in passed if index < resources]) <= 24


def test_an_invalid_request_is_named_before_anything_is_prepared(wallet: Keypair) -> None:
    names = ("market", "vault", "oracleShim", "router", "usdcToken", "lpToken", "vaultFactory", "referral")
    known: dict[str, str] = {name: OTHER_CONTRACT for name in names}
    requests: Iterable[tuple[dict[str, Any], str]] = (
        ({**REQUEST, "leverage": 1.5}, "not a whole number"),
        ({**REQUEST, "collateral": "-1"}, "not a whole number"),
        ({**REQUEST, "direction": "Up"}, "is not one of"),
        ({**REQUEST, "price": 1}, "does not take price"),
        ({"op": "steal"}, "Unknown operation"),
        ({"op": "cancel_order"}, "needs orderId"),
    )
    for request, message in requests:
        with pytest.raises(ValueError, match=message):
            verify_transaction("", terms(wallet, known, request=request))


async def test_a_signature_of_another_account_is_refused(prepared: str, wallet: Keypair) -> None:
    tx = read_call_transaction(prepared)
    tx_hash = hash_of(tx.envelope, TESTNET_PASSPHRASE)
    with pytest.raises(ValueError, match="signature that is not of"):
        sign_envelope(tx.envelope, wallet.public_key, tx_hash, OTHER.sign(tx_hash))


class RemoteSigner:
    """A signer whose secret lives elsewhere."""

    def __init__(self, wallet: Keypair) -> None:
        self._wallet = wallet
        self.address = wallet.public_key

    async def sign(self, hash: bytes) -> bytes:
        await asyncio.sleep(0)
        return self._wallet.sign(hash)


async def test_an_order_is_filled_reduced_and_closed(client: AsyncClient, wallet: Keypair) -> None:
    async with client.trade(RemoteSigner(wallet)) as t:
        order = await t.open("BTC", "long", amount("100"), leverage=5, slippage_bps=100, client_id="python-1")
        assert order.position_id
        assert order.fill_price
        assert order.fee
        assert order.size == pytest.approx(amount("500"), rel=0.05)
        found = await t.find("python-1")
        assert found is not None
        assert (found.status, found.hash, found.position_id) == ("SUCCESS", order.hash, order.position_id)
        assert await t.find("never-used") is None
        stop = await t.stop_loss(order.position_id, order.fill_price * 8 // 10, slippage_bps=200)
        assert stop.order_id
        assert (await t.cancel(stop.order_id)).ledger > stop.ledger
        closed = await t.close(order.position_id, slippage_bps=500)
        assert closed.position_id == order.position_id
        assert closed.pnl is not None
        assert closed.payout
        # A repetition returns the earlier result and trades nothing.
        repeated = await t.open("BTC", "long", amount("100"), leverage=5, slippage_bps=100, client_id="python-1")
        assert (repeated.hash, repeated.position_id, repeated.fill_price) == (order.hash, order.position_id, order.fill_price)
        assert (await client.list_account_positions(min_ledger=closed.ledger)).data.positions == []
        with pytest.raises(ApiError) as again:
            await t.open("BTC", "long", amount("100"), leverage=4, client_id="python-1")
        # Another transaction has this id, so nothing says that the order was not executed.
        assert (again.value.code, again.value.outcome) == ("client_id_in_use", "unknown")


async def test_a_limit_order_rests_and_an_impossible_trade_is_rejected(client: AsyncClient, wallet: Keypair) -> None:
    price = (await client.get_market_price("ETH")).data.price
    async with client.trade(wallet) as t:
        terms: Any = {"leverage": 2, "price": price * 9 // 10, "condition": "below", "slippage_bps": 100, "client_id": "python-limit"}
        order = await t.limit("ETH", "long", amount("50"), **terms)
        assert order.order_id
        repeated = await t.limit("ETH", "long", amount("50"), **terms)
        assert (repeated.hash, repeated.order_id) == (order.hash, order.order_id)
        with pytest.raises(ApiError, match="client_id_in_use"):
            await t.limit("ETH", "long", amount("51"), **terms)
        resting = (await client.get_order(order.order_id)).data
        assert (resting.status, resting.trigger_price) == ("pending", price * 9 // 10)
        await t.cancel(order.order_id)
        with pytest.raises(ContractFailure) as raised:
            await t.close(999_999_999)
        assert (raised.value.outcome, raised.value.stage) == ("rejected", "simulation")
        assert raised.value.contract_error == {"code": 20, "name": "PositionNotFound"}


def test_the_synchronous_client_trades(gateway: Gateway, key: Key, wallet: Keypair) -> None:
    with Client(gateway.url, key) as client, client.trade(wallet) as t:
        order = t.execute({"op": "deposit_cross_margin", "amount": amount("20")})
        assert order.ledger
        found = t.find(order.client_id)
        assert found is not None
        assert found.op == "deposit_cross_margin"
        with pytest.raises(TypeError, match="Use AsyncClient"):
            client.trade(RemoteSigner(wallet)).execute({"op": "deposit_cross_margin", "amount": amount("20")})


async def test_a_fee_above_the_limit_is_refused(client: AsyncClient, wallet: Keypair) -> None:
    async with client.trade(wallet, max_fee=100) as t:
        with pytest.raises(RefusedToSign) as raised:
            await t.open("BTC", "long", amount("100"), leverage=5)
    assert [difference.what for difference in raised.value.differences] == ["fee"]


async def test_a_kill_during_a_submission_is_unknown_and_find_says_what_became_of_it(network: LocalNetwork, tmp_path: Path) -> None:
    own = Gateway(network, tmp_path, free_port())
    wallet = network.fund()
    try:
        async with AsyncClient(own.url) as issuer:
            await issuer.list_events(min_ledger=network.control("local_info")["ledger"])
            issued = (await issuer.create_key(wallet)).data

        # The gateway dies as soon as it has received the submission, before it answers.
        class Killing(httpx.AsyncHTTPTransport):
            async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
                if request.url.path != "/v1/tx/submit" or not armed:
                    return await super().handle_async_request(request)
                armed.clear()
                sending = asyncio.create_task(super().handle_async_request(request))
                await asyncio.to_thread(network.control, "local_closeLedger", count=2)
                await asyncio.to_thread(own.kill)
                return await sending

        armed = [True]
        async with AsyncClient(own.url, Key(issued.key_id, issued.secret), transport=Killing(), attempts=1) as client:
            async with client.trade(wallet, patience=0.5) as t:
                with pytest.raises(UnknownOutcome) as raised:
                    await t.open("SOL", "short", amount("100"), leverage=3, slippage_bps=300, client_id="killed")
                assert raised.value.outcome == "unknown"
                await asyncio.to_thread(own.start)
            async with client.trade(wallet) as t:
                order = await t.finish(raised.value.transaction)
                assert order.hash == raised.value.transaction.hash
                found = await t.find("killed")
                assert found is not None
                assert (found.status, found.hash) == ("SUCCESS", order.hash)
            # It traded once.
            positions = (await client.list_account_positions(min_ledger=order.ledger)).data.positions
            assert len(positions) == 1
    finally:
        own.kill()


@pytest.mark.parametrize("status", [500, 502, 503, 429])
async def test_a_submission_that_may_have_arrived_is_never_rejected(client: AsyncClient, wallet: Keypair, gateway: Gateway, key: Key, status: int) -> None:
    body = {"error": "rpc_error", "message": "away", "hash": "00" * 32}
    failing = scripted(lambda request: (status, {}, body))

    class Failing(httpx.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if request.url.path == "/v1/tx/submit":
                return await failing.handle_async_request(request)
            return await super().handle_async_request(request)

    async with AsyncClient(gateway.url, key, transport=Failing(), max_wait=0.0) as own:
        with pytest.raises(ApiError) as raised:
            await own.trade(wallet, patience=0.2).open("BTC", "long", amount("100"), leverage=2)
    assert raised.value.outcome == "unknown"
