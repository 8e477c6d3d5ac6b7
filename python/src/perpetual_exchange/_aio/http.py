"""HTTP calls: timeouts, retries and rate limits."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, TypeVar

import httpx

from .._protocol import Call, RetryPolicy, content_of, failure_of, headers_of, make_call, read_answer
from .._results import Result
from ..errors import ApiError, UnexpectedAnswer
from ..keys import Key

T = TypeVar("T")


class AsyncHttp:
    """Sends calls to one gateway. It follows no redirect, which could send the key to another address."""

    def __init__(self, client: httpx.AsyncClient, base: str, key: Key | None, policy: RetryPolicy) -> None:
        self.base = base
        self.key = key
        self._client = client
        self._policy = policy

    async def call(
        self,
        method: str,
        path: str,
        kind: type[T],
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        repeatable: bool = False,
        sends: bool = False,
        min_ledger: int | None = None,
        timeout: float | None = None,
        attempts: int | None = None,
    ) -> Result[T]:
        call = make_call(method, path, query=query, body=body, repeatable=repeatable, sends=sends, min_ledger=min_ledger)
        wait_left = self._policy.max_wait
        delay = 0.0
        attempt = 0
        last: ApiError | None = None
        while True:
            delay = max(delay, self._policy.limited_for(call.kind))
            if delay > wait_left and last is not None:
                raise last
            if delay > 0:
                await asyncio.sleep(min(delay, wait_left))
            wait_left -= delay
            attempt += 1
            had_timestamp = self._policy.sends_timestamp
            try:
                return await self._attempt(call, kind, timeout)
            except ApiError as error:
                last = error
                next_delay = self._policy.delay_after(call, error, attempt, attempts=attempts, had_timestamp=had_timestamp)
                if next_delay is None:
                    raise
                delay = next_delay

    async def _attempt(self, call: Call, kind: type[T], timeout: float | None) -> Result[T]:
        headers = headers_of(call, self.key, self._policy.sends_timestamp)
        try:
            response = await self._client.request(
                call.method,
                self.base + call.path,
                headers=headers,
                content=content_of(call),
                timeout=httpx.USE_CLIENT_DEFAULT if timeout is None else timeout,
            )
        except httpx.HTTPError as error:
            # The cause is left out, because it holds the request and with it the key.
            raise failure_of(call, self.base, error) from None
        return read_answer(call, response, kind)

    async def aclose(self) -> None:
        await self._client.aclose()


async def walk(read: Callable[[str | None], Awaitable[tuple[list[T], str | None]]]) -> AsyncIterator[T]:
    """The rows of all pages. No page is read after the loop ends."""
    cursor: str | None = None
    while True:
        rows, following = await read(cursor)
        if following is not None and following == cursor:
            raise UnexpectedAnswer("unexpected_answer", "The next page is this same page.")
        for row in rows:
            yield row
        if following is None:
            return
        cursor = following
