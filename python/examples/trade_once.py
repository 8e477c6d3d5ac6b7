"""Opens and closes a position of alice, whose secret key is public. Started again after a crash, it does not open a second one."""

import asyncio
import os

from stellar_sdk import Keypair

from perpetual_exchange import AsyncClient, amount, show

URL = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")
ALICE = Keypair.from_secret(os.environ.get("SECRET", "SCK2GQCRUSFRJMUX6ECRBWIOQ2KRSMLHNJGCUOEJ2PXBLM7VXHTH4DQR"))
CLIENT_ID = "example-1"


async def main() -> None:
    async with AsyncClient(URL) as client:
        await client.create_key(ALICE, "example")
        async with client.trade(ALICE) as t:
            earlier = await t.find(CLIENT_ID)
            if earlier is not None:
                print("an earlier run has sent the order:", earlier.status, earlier.position_id)
                return
            order = await t.open("BTC", "long", amount("100"), leverage=3, slippage_bps=100, client_id=CLIENT_ID)
            print("position", order.position_id, "at", None if order.fill_price is None else show(order.fill_price))
            if order.position_id is not None:
                closed = await t.close(order.position_id, slippage_bps=500)
                print("profit or loss", None if closed.pnl is None else show(closed.pnl))


if __name__ == "__main__":
    asyncio.run(main())
