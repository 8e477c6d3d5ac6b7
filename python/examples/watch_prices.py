"""Follows prices and trades, and continues after a restart where it stopped."""

import asyncio
import json
import os
from pathlib import Path

from perpetual_exchange import AsyncClient, Frame, Gap, Stalled

URL = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")
STORE = Path(os.environ.get("STORE", "data/positions.json"))
COUNT = int(os.environ.get("COUNT", "0"))


async def main() -> None:
    positions = json.loads(STORE.read_text()) if STORE.exists() else None
    async with AsyncClient(URL) as client, client.stream(["prices.BTC", "trades.BTC"], positions=positions) as stream:
        count = 0
        async for item in stream:
            match item:
                case Frame(channel="prices.BTC", data=data):
                    print("price", data["price"], "stale" if data["stale"] else "")
                case Frame(seq=seq, data=data):
                    print("trade", seq, data["kind"], data["size"], "at", data["price"])
                case Gap(since=since, until=until):
                    print(f"missed what happened after {since}, up to {until}: read /v1/trades")
                case Stalled(seconds=seconds):
                    print(f"nothing for {seconds} s")
                case _:
                    print(item)
            STORE.write_text(json.dumps(stream.positions()))
            count += 1
            if count == COUNT:
                return


if __name__ == "__main__":
    asyncio.run(main())
