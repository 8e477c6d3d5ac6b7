"""Copies the trades of a leader: opens what the leader opens with a tenth of the size, and closes it when the leader closes.

The copy of a leader's position has a client id that follows from the position's number, so a trade that is seen twice is copied once, and a restart continues
where the last run stopped.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stellar_sdk import Keypair

from perpetual_exchange import ApiError, AsyncClient, Frame, Gap, amount, show
from perpetual_exchange.trading import AsyncTrading

URL = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")
SIGNER = Keypair.from_secret(os.environ.get("SECRET", "SCK2GQCRUSFRJMUX6ECRBWIOQ2KRSMLHNJGCUOEJ2PXBLM7VXHTH4DQR"))
LEADER = os.environ.get("LEADER", "")
STORE = Path(os.environ.get("STORE", "data/copied.json"))
COPIES = int(os.environ.get("COPIES", "0"))
ASSETS = ("BTC", "ETH", "SOL")


async def copy(t: AsyncTrading, trade: Mapping[str, Any]) -> bool:
    """Repeats one trade of the leader. False if there is nothing to repeat."""
    client_id = f"copy:{trade['positionId']}:{trade['kind']}"
    if trade["kind"] == "open":
        collateral = max(int(trade["size"]) // 10, amount("10"))
        direction = "long" if trade["direction"] == 0 else "short"
        try:
            order = await t.open(trade["asset"], direction, collateral, leverage=1, slippage_bps=200, client_id=client_id)
        except ApiError as error:
            if error.code != "client_id_in_use":
                raise
            return False
        print("copied an open:", order.position_id, None if order.size is None else show(order.size), flush=True)
        return True
    opened = await t.find(f"copy:{trade['positionId']}:open")
    if opened is None or opened.position_id is None or await t.find(client_id) is not None:
        return False
    order = await t.close(opened.position_id, slippage_bps=500, client_id=client_id)
    print("copied a close:", order.position_id, flush=True)
    return True


async def main() -> None:
    positions = json.loads(STORE.read_text()) if STORE.exists() else None
    copied = 0
    async with AsyncClient(URL) as client:
        await client.create_key(SIGNER, "copy")
        async with client.trade(SIGNER) as t, client.stream([f"trades.{asset}" for asset in ASSETS], positions=positions) as stream:
            print("following", LEADER, flush=True)
            async for item in stream:
                match item:
                    case Frame(data=data) if data["trader"] == LEADER and data["kind"] in ("open", "close", "liquidation"):
                        copied += await copy(t, data)
                    case Gap():
                        print("missed trades: compare the leader's positions with the copies", item)
                    case _:
                        pass
                STORE.write_text(json.dumps(stream.positions()))
                if COPIES and copied >= COPIES:
                    return


if __name__ == "__main__":
    asyncio.run(main())
