"""Keeps two limit orders of alice around the oracle price, and replaces them when the price has moved away.

Trades on this exchange are made against its pool, so a quote is a resting order: one opens a long below the price, the other a short above it. A restart finds
the orders of an earlier run among the open ones and takes them over.
"""

import asyncio
import os

from stellar_sdk import Keypair

from perpetual_exchange import AsyncClient, ContractFailure, Frame, Gap, Stalled, amount, models, show

URL = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")
SIGNER = Keypair.from_secret(os.environ.get("SECRET", "SCK2GQCRUSFRJMUX6ECRBWIOQ2KRSMLHNJGCUOEJ2PXBLM7VXHTH4DQR"))
ROUNDS = int(os.environ.get("ROUNDS", "0"))
ASSET = "ETH"
SPREAD_BPS = 100
REPLACE_BPS = 40


def quote_of(price: int, direction: int) -> int:
    """The price of a quote on one side: 0 is a long below the price, 1 a short above it."""
    return price * (10_000 + (SPREAD_BPS if direction == 1 else -SPREAD_BPS)) // 10_000


def is_far(order: models.OpenOrder, price: int) -> bool:
    wanted = quote_of(price, order.direction)
    return order.trigger_price is None or abs(order.trigger_price - wanted) * 10_000 > REPLACE_BPS * wanted


async def requote(client: AsyncClient, price: int) -> None:
    """Cancels the quotes that are too far away, and places those that are missing."""
    state = (await client.get_account_state()).data
    mine = [order for order in state.orders or [] if order.asset == ASSET and order.order_type == "limit"]
    async with client.trade(SIGNER) as t:
        for order in mine:
            if is_far(order, price):
                try:
                    await t.cancel(order.order_id)
                except ContractFailure as error:
                    # The keeper was faster: the order is executed.
                    print("not cancelled:", error.contract_error)
        present = {order.direction for order in mine if not is_far(order, price)}
        for direction in {0, 1} - present:
            at = quote_of(price, direction)
            side, condition = ("long", "below") if direction == 0 else ("short", "above")
            order = await t.limit(ASSET, side, amount("20"), leverage=2, price=at, condition=condition, slippage_bps=50)
            print(f"quote {order.order_id}: {side} at {show(at)}", flush=True)


async def main() -> None:
    async with AsyncClient(URL) as client:
        await client.create_key(SIGNER, "quotes")
        rounds = 0
        async with client.stream([f"prices.{ASSET}"]) as stream:
            async for item in stream:
                match item:
                    case Frame(data=data) if not data["stale"]:
                        await requote(client, int(data["price"]))
                        rounds += 1
                    case Gap() | Stalled():
                        print("no fresh price:", item)
                    case _:
                        continue
                if rounds == ROUNDS:
                    return


if __name__ == "__main__":
    asyncio.run(main())
