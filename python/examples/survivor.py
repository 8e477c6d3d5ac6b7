"""Buys in slices, each exactly once, and can be killed at any moment: `kill -9` and start it again.

A slice has a client id that follows from its number. Opening with an id that was used returns the result of the earlier order, so the program needs no
journal: it repeats its whole plan after each start.
"""

import asyncio
import os

from stellar_sdk import Keypair

from perpetual_exchange import AsyncClient, Order, UnknownOutcome, amount, show
from perpetual_exchange.trading import AsyncTrading

URL = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")
SIGNER = Keypair.from_secret(os.environ.get("SECRET", "SCK2GQCRUSFRJMUX6ECRBWIOQ2KRSMLHNJGCUOEJ2PXBLM7VXHTH4DQR"))
PLAN = os.environ.get("PLAN", "plan-1")
SLICES = 3


async def buy(t: AsyncTrading, slice: int) -> Order:
    """The order of a slice, made now or by an earlier run."""
    try:
        return await t.open("SOL", "long", amount("15"), leverage=2, slippage_bps=200, client_id=f"{PLAN}:{slice}")
    except UnknownOutcome as error:
        # The network may have it. Sending the same transaction again cannot apply it twice.
        return await t.finish(error.transaction)


async def main() -> None:
    async with AsyncClient(URL) as client:
        await client.create_key(SIGNER, "survivor")
        async with client.trade(SIGNER) as t:
            for slice in range(1, SLICES + 1):
                order = await buy(t, slice)
                print(f"slice {slice} bought at", None if order.fill_price is None else show(order.fill_price), order.hash, flush=True)
        print("plan complete")


if __name__ == "__main__":
    asyncio.run(main())
