"""The client of one gateway."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx

from .._lazy import models
from .._protocol import TESTNET_PASSPHRASE, RetryPolicy, check_address
from .._results import Result
from ..keys import Key
from ..signing import resolve_async, signer_of
from ..streaming import AsyncStream, open_async_stream
from .endpoints import AsyncEndpoints
from .http import AsyncHttp

if TYPE_CHECKING:
    from .trade import AsyncTrading


class AsyncClient(AsyncEndpoints):
    """Asynchronous client of one gateway: one method for each operation, iterators over lists, the stream and trading.

    `key` authenticates the calls; `create_key` creates one. `timeout` is the time for one answer, `max_wait` bounds the delays between the attempts of
    one call, both in seconds. `transport` replaces httpx's, for tests and proxies. Use it in a `with` block, or call `close`.
    """

    def __init__(
        self,
        base_url: str,
        key: Key | None = None,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        timeout: float = 10.0,
        attempts: int = 4,
        max_wait: float = 65.0,
        passphrase: str = TESTNET_PASSPHRASE,
    ) -> None:
        base = check_address(base_url)
        self._client = httpx.AsyncClient(transport=transport, timeout=timeout, follow_redirects=False)
        self._passphrase = passphrase
        super().__init__(AsyncHttp(self._client, base, key, RetryPolicy(attempts, max_wait)))

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    def __repr__(self) -> str:
        key = "without a key" if self._http.key is None else f"with key {self._http.key.id}"
        return f"<client of {self._http.base} {key}>"

    @property
    def key(self) -> Key | None:
        """The key in use. Set it to use another one, or None."""
        return self._http.key

    @key.setter
    def key(self, key: Key | None) -> None:
        self._http.key = key

    async def create_key(self, signer: Any, label: str | None = None, restrictions: Mapping[str, object] | None = None) -> Result[models.IssuedKey]:
        """Creates an API key for the signer's account by signing a challenge, and uses it from then on. The secret is returned only this once.

        `restrictions` make the key less than its owner: `{"scopes": ["read"], "expiresAt": …}`, with the names of the API. Raises ApiError `not_in_beta`
        where keys are limited to listed accounts.
        """
        from .._envelope import challenge_envelope, hash_of, sign_envelope

        wallet = signer_of(signer)
        challenge = (await self.request_key_challenge(address=wallet.address, restrictions=restrictions)).data.challenge_hex
        envelope = challenge_envelope(wallet.address, bytes.fromhex(challenge))
        tx_hash = hash_of(envelope, self._passphrase)
        signature = sign_envelope(envelope, wallet.address, tx_hash, await resolve_async(wallet.sign(tx_hash)))
        body: dict[str, object] = {"address": wallet.address, "challenge": challenge, "signature": signature}
        if label is not None:
            body["label"] = label
        issued = await self._http.call("POST", "/v1/keys", models.IssuedKey, body=body)
        self._http.key = Key(issued.data.key_id, issued.data.secret)
        return issued

    def stream(self, channels: Iterable[str], *, positions: Mapping[str, Any] | None = None, queue: int = 10_000, silence: float = 15.0) -> AsyncStream:
        """The stream of these channels, an iterator of `Frame | Gap | Upgrade | Stalled | KeyExpiring`.

        `positions` continues where an earlier stream stopped: the value of its `positions()`. `queue` bounds the frames that wait for the loop. `silence`
        is the time without a frame after which `Stalled` is yielded and the connection is replaced, seconds.
        """
        return open_async_stream(self._http.base, self._http, list(channels), positions=positions, queue=queue, silence=silence)

    def trade(
        self,
        signer: Any,
        *,
        contracts: Mapping[str, str] | None = None,
        max_fee: int | None = None,
        max_validity: int | None = None,
        accept_unusual_fee: bool = False,
        patience: float = 120.0,
    ) -> AsyncTrading:
        """Trading with the signer's account, which must be that of the key.

        `contracts` are the addresses of the exchange's contracts by the names of `/v1/health`; without them the client trusts those that the gateway names. A
        transaction with a fee above `max_fee` is refused (in XLM with 7 decimals, 10 XLM by default), and one that is valid for more than `max_validity`
        seconds. `patience` is the time to wait for an outcome, seconds.
        """
        from .._trading import MAX_FEE, MAX_VALIDITY
        from .trade import AsyncTrading

        return AsyncTrading(
            self._http,
            self,
            signer_of(signer),
            passphrase=self._passphrase,
            contracts=contracts,
            max_fee=MAX_FEE if max_fee is None else max_fee,
            max_validity=MAX_VALIDITY if max_validity is None else max_validity,
            accept_unusual_fee=accept_unusual_fee,
            patience=patience,
        )
