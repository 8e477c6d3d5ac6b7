"""Transaction envelopes: reading a prepared one, hashing it, and adding a signature. Needs stellar-sdk, the extra `trade`."""

import base64
import hashlib
from dataclasses import dataclass
from typing import Any

try:
    from stellar_sdk import Address, Keypair, StrKey, xdr
except ImportError as error:  # pragma: no cover
    raise ImportError('Signing needs stellar-sdk: pip install "perpetual-exchange-client[trade]"') from error

from ._calls import ContractCall, Value


class MalformedTransaction(Exception):
    """The bytes are not an unsigned transaction of the expected form."""


@dataclass(frozen=True)
class Authorization(ContractCall):
    """An authorized call, and the sub-calls that it may make on the account's behalf."""

    sub_calls: tuple["Authorization", ...] = ()


@dataclass(frozen=True)
class CallTransaction:
    """An unsigned transaction with one contract call. Fees are in stroops, times in Unix seconds (0: no bound)."""

    envelope: Any
    source: str
    fee: int
    sequence: int
    min_time: int
    max_time: int
    call: ContractCall
    authorizations: tuple[Authorization, ...]


def read_call_transaction(text: str) -> CallTransaction:
    """Reads an unsigned envelope with one contract call and nothing else: no memo, no precondition but time bounds, no other operation, no authorization
    except by its source account. Raises MalformedTransaction with the reason."""
    try:
        data = base64.b64decode(text, validate=True)
        envelope: Any = xdr.TransactionEnvelope.from_xdr_bytes(data)
        canonical = envelope.to_xdr_bytes()
    except Exception as error:
        raise MalformedTransaction("not a transaction envelope") from error
    # The bytes that are signed are written again from what was read, so nothing may have been skipped.
    if canonical != data:
        raise MalformedTransaction("bytes that no transaction has")
    _expect(envelope.type, xdr.EnvelopeType.ENVELOPE_TYPE_TX, "envelope type")
    _expect(len(envelope.v1.signatures), 0, "signature count")
    tx = envelope.v1.tx
    source = _account(tx.source_account)
    _expect(tx.cond.type, xdr.PreconditionType.PRECOND_TIME, "precondition type")
    _expect(tx.memo.type, xdr.MemoType.MEMO_NONE, "memo type")
    _expect(len(tx.operations), 1, "operation count")
    operation = tx.operations[0]
    if operation.source_account is not None and _account(operation.source_account) != source:
        raise MalformedTransaction("the operation has another source account")
    _expect(operation.body.type, xdr.OperationType.INVOKE_HOST_FUNCTION, "operation type")
    invoke = operation.body.invoke_host_function_op
    _expect(invoke.host_function.type, xdr.HostFunctionType.HOST_FUNCTION_TYPE_INVOKE_CONTRACT, "host function type")
    _expect(tx.ext.v, 1, "resource extension")
    bounds = tx.cond.time_bounds
    return CallTransaction(
        envelope,
        source,
        tx.fee.uint32,
        tx.seq_num.sequence_number.int64,
        bounds.min_time.time_point.uint64,
        bounds.max_time.time_point.uint64,
        _call(invoke.host_function.invoke_contract),
        tuple(_entry(entry) for entry in invoke.auth),
    )


def _expect(found: object, expected: object, what: str) -> None:
    if found != expected:
        raise MalformedTransaction(f"{what} is {getattr(found, 'name', found)}")


def _account(account: Any) -> str:
    _expect(account.type, xdr.CryptoKeyType.KEY_TYPE_ED25519, "account type")
    return StrKey.encode_ed25519_public_key(account.ed25519.uint256)


def _call(invoked: Any) -> ContractCall:
    return ContractCall(_address(invoked.contract_address), _text(invoked.function_name.sc_symbol), tuple(map(_value, invoked.args)))


def _address(address: Any) -> str:
    return Address.from_xdr_sc_address(address).address


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedTransaction("a string is not UTF-8") from None


def _entry(entry: Any) -> Authorization:
    kind = entry.credentials.type
    if kind != xdr.SorobanCredentialsType.SOROBAN_CREDENTIALS_SOURCE_ACCOUNT:
        # Such an entry has a signature of its own, and anyone can submit what it authorizes.
        raise MalformedTransaction("an authorization that is not by the source account")
    return _authorization(entry.root_invocation)


def _authorization(invocation: Any, depth: int = 0) -> Authorization:
    if depth > 100:
        raise MalformedTransaction("nested too deeply")
    function = invocation.function
    _expect(function.type, xdr.SorobanAuthorizedFunctionType.SOROBAN_AUTHORIZED_FUNCTION_TYPE_CONTRACT_FN, "authorized function type")
    call = _call(function.contract_fn)
    return Authorization(call.contract, call.function, call.args, tuple(_authorization(sub, depth + 1) for sub in invocation.sub_invocations))


def _value(value: Any) -> Value:
    kinds = xdr.SCValType
    match value.type:
        case kinds.SCV_BOOL:
            return ("bool", value.b)
        case kinds.SCV_U32:
            return ("u32", value.u32.uint32)
        case kinds.SCV_U64:
            return ("u64", value.u64.uint64)
        case kinds.SCV_I128:
            return ("i128", (value.i128.hi.int64 << 64) | value.i128.lo.uint64)
        case kinds.SCV_SYMBOL:
            return ("symbol", _text(value.sym.sc_symbol))
        case kinds.SCV_STRING:
            return ("string", _text(value.str.sc_string))
        case kinds.SCV_ADDRESS:
            return ("address", _address(value.address))
        case _:
            # Never equal to an expected argument.
            return (value.type.name, None)


def hash_of(envelope: Any, passphrase: str) -> bytes:
    """The hash that is signed, 32 bytes."""
    network = hashlib.sha256(passphrase.encode()).digest()
    return hashlib.sha256(network + b"\0\0\0\2" + envelope.v1.tx.to_xdr_bytes()).digest()


def sign_envelope(envelope: Any, address: str, tx_hash: bytes, signature: bytes) -> str:
    """The envelope with this signature, base64. Raises ValueError if the signature is not that of the account."""
    keypair = Keypair.from_public_key(address)
    try:
        keypair.verify(tx_hash, signature)
    except Exception:
        raise ValueError(f"The signer returned a signature that is not of {address}.") from None
    decorated = xdr.DecoratedSignature(xdr.SignatureHint(keypair.signature_hint()), xdr.Signature(signature))
    signed = xdr.TransactionEnvelope(envelope.type, v1=xdr.TransactionV1Envelope(envelope.v1.tx, [decorated]))
    return signed.to_xdr()


def challenge_envelope(address: str, challenge: bytes) -> Any:
    """The transaction that proves that the signer owns `address`: it writes the challenge into the account's data. No ledger accepts it, because its
    sequence number is 0. Only the 32 bytes of challenge come from the gateway."""
    if len(challenge) != 32:
        raise MalformedTransaction("a challenge has 32 bytes")
    account = Keypair.from_public_key(address).xdr_muxed_account()
    data = xdr.ManageDataOp(xdr.String64(b"key"), xdr.DataValue(challenge))
    body = xdr.OperationBody(xdr.OperationType.MANAGE_DATA, manage_data_op=data)
    zero = xdr.TimePoint(xdr.Uint64(0))
    tx = xdr.Transaction(
        account,
        xdr.Uint32(0),
        xdr.SequenceNumber(xdr.Int64(0)),
        xdr.Preconditions(xdr.PreconditionType.PRECOND_TIME, time_bounds=xdr.TimeBounds(zero, zero)),
        xdr.Memo(xdr.MemoType.MEMO_NONE),
        [xdr.Operation(account, body)],
        xdr.TransactionExt(0),
    )
    return xdr.TransactionEnvelope(xdr.EnvelopeType.ENVELOPE_TYPE_TX, v1=xdr.TransactionV1Envelope(tx, []))
