"""Signers: objects that sign hashes with an account's key. The client passes them only hashes of verified transactions."""

import inspect
from collections.abc import Awaitable
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Signer(Protocol):
    """Signs with the Ed25519 key of `address` (`G…`). The secret may live elsewhere: in a file, a device or a service."""

    @property
    def address(self) -> str: ...

    def sign(self, hash: bytes, /) -> bytes | Awaitable[bytes]:
        """The signature of 32 bytes: 64 bytes, or a coroutine of them (not with the synchronous client)."""
        ...


class KeypairSigner:
    """A `Keypair` of stellar-sdk as a signer. `repr` hides the secret."""

    def __init__(self, keypair: Any) -> None:
        self._keypair = keypair
        self.address: str = keypair.public_key

    def sign(self, hash: bytes, /) -> bytes:
        return self._keypair.sign(hash)

    def __repr__(self) -> str:
        return f"KeypairSigner({self.address})"


def signer_of(signer: Any) -> Signer:
    """The signer itself, or a stellar-sdk `Keypair` as one. Raises TypeError for anything else."""
    if isinstance(getattr(signer, "address", None), str) and callable(getattr(signer, "sign", None)):
        return signer
    if isinstance(getattr(signer, "public_key", None), str) and callable(getattr(signer, "sign", None)):
        return KeypairSigner(signer)
    raise TypeError("A signer has an address and a method sign(hash). A Keypair of stellar-sdk is one too.")


def _checked(signature: Any) -> bytes:
    if not isinstance(signature, bytes) or len(signature) != 64:
        raise TypeError("A signature has 64 bytes.")
    return signature


def resolve_sync(signature: bytes | Awaitable[bytes]) -> bytes:
    """The signature. Raises TypeError for a coroutine, which only the asynchronous client can wait for."""
    if inspect.isawaitable(signature):
        if inspect.iscoroutine(signature):
            signature.close()
        raise TypeError("This signer is asynchronous. Use AsyncClient.")
    return _checked(signature)


async def resolve_async(signature: bytes | Awaitable[bytes]) -> bytes:
    """The signature, once it is there."""
    return _checked(await signature if inspect.isawaitable(signature) else signature)
