"""Speed of the package beside the bare libraries that it is built on, in one run: `python bench/speed.py`.

A server in another process answers as a gateway would. Times are CPU time of this process, so neither the server nor what else the machine does counts: the
ratio is that of the work per request, and the best of alternating rounds. Exits with 1 where a target is missed.
"""

import asyncio
import json
import multiprocessing
import statistics
import subprocess
import sys
import time
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from perpetual_exchange import AsyncClient, Frame

ROUNDS = 5
REQUESTS = 150
FRAMES = 4_000
IMPORTS = 5
REST_TARGET = 0.8
STREAM_TARGET = 0.6
IMPORT_TARGET = 0.3

PRICE = {"asset": "BTC", "price": "923837208885", "priceFloat": 92383.7208885, "timestamp": 1796071767, "stale": False, "ageSec": 2, "ledger": 62}
BODY = json.dumps(PRICE).encode()
ANSWER = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-ledger: 62\r\nx-seq: 9\r\nx-epoch: e1\r\ncontent-length: "
    + str(len(BODY)).encode()
    + b"\r\n\r\n"
    + BODY
)
HELLO = {"type": "hello", "ts": 1, "epoch": "e1", "head": 0, "ledger": 3}
SUBSCRIBED = {"type": "subscribed", "channels": ["events"], "heads": {"events": 0}}
EVENT = {
    "topic": "position_opened",
    "ledger": 366,
    "ledgerCloseTs": 1796072074,
    "txHash": "d714deb04cfabb841dde7afae6d0c2bfdd29fa147ca08543db89c96066b0eecd",
    "payload": {"asset": "ETH", "size": "1000000000", "direction": 0, "entryPrice": "31248401489", "positionId": 26},
}


def frames() -> list[str]:
    """The frames of one connection, of which the gateway sends several at once."""
    return [json.dumps({"channel": "events", "seq": number, "prev": number - 1, "data": EVENT}) for number in range(1, FRAMES + 1)]


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(ANSWER)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def push(connection: ServerConnection) -> None:
    await connection.send(json.dumps(HELLO))
    await connection.recv()
    await connection.send(json.dumps(SUBSCRIBED))
    for text in frames():
        await connection.send(text)
    await connection.wait_closed()


def run_servers(ports: Any) -> None:
    async def main() -> None:
        http = await asyncio.start_server(answer, "127.0.0.1", 0)
        stream = await serve(push, "127.0.0.1", 0)
        ports.send((http.sockets[0].getsockname()[1], next(iter(stream.sockets)).getsockname()[1]))
        await asyncio.Future()

    asyncio.run(main())


async def request_rates(base: str) -> tuple[float, float]:
    """Requests per second: of httpx with the same headers and a parsed answer, and of the package."""
    async with httpx.AsyncClient() as bare, AsyncClient(base) as client:

        async def with_httpx() -> None:
            response = await bare.get(f"{base}/v1/markets/BTC/price", headers={"x-request-id": "00" * 12})
            response.json()

        async def with_client() -> None:
            await client.get_market_price("BTC")

        rates: list[list[float]] = [[], []]
        for _ in range(ROUNDS):
            for at, call in enumerate((with_httpx, with_client)):
                start = time.process_time()
                for _ in range(REQUESTS):
                    await call()
                rates[at].append(REQUESTS / (time.process_time() - start))
    return max(rates[0]), max(rates[1])


async def frame_rates(base: str) -> tuple[float, float]:
    """Frames per second: of websockets with parsed JSON, and of the package."""
    rates: list[list[float]] = [[], []]
    for _ in range(ROUNDS):
        async with connect(f"ws{base.removeprefix('http')}/v1/ws") as connection:
            await connection.recv()
            await connection.send("{}")
            await connection.recv()
            start = time.process_time()
            for _ in range(FRAMES):
                json.loads(await connection.recv())
            rates[0].append(FRAMES / (time.process_time() - start))
        async with AsyncClient(base) as client, client.stream(["events"], queue=FRAMES) as stream:
            count = 0
            start = 0.0
            async for item in stream:
                assert isinstance(item, Frame), item
                start = start or time.process_time()
                count += 1
                if count == FRAMES:
                    break
            rates[1].append(FRAMES / (time.process_time() - start))
    return max(rates[0]), max(rates[1])


def import_time() -> float:
    """Seconds that an import takes, without those of the interpreter."""
    code = "import time; start = time.process_time(); import perpetual_exchange; print(time.process_time() - start)"
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout) for _ in range(IMPORTS)]
    return statistics.median(times)


def main() -> int:
    receiver, sender = multiprocessing.Pipe(duplex=False)
    server = multiprocessing.Process(target=run_servers, args=(sender,), daemon=True)
    server.start()
    http_port, stream_port = receiver.recv()
    bare, ours = asyncio.run(request_rates(f"http://127.0.0.1:{http_port}"))
    bare_frames, our_frames = asyncio.run(frame_rates(f"http://127.0.0.1:{stream_port}"))
    server.terminate()
    seconds = import_time()
    rest, stream = ours / bare, our_frames / bare_frames
    results = (
        ("requests per second", f"httpx {bare:,.0f}, package {ours:,.0f},", rest, REST_TARGET, rest >= REST_TARGET),
        ("frames per second", f"websockets {bare_frames:,.0f}, package {our_frames:,.0f},", stream, STREAM_TARGET, stream >= STREAM_TARGET),
        ("import, seconds", "", seconds, IMPORT_TARGET, seconds < IMPORT_TARGET),
    )
    for what, rates, value, target, is_met in results:
        print(f"{what}: {rates} {value:.2f}, target {target} {'met' if is_met else 'MISSED'}")
    return 0 if all(result[-1] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
