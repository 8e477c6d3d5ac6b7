"""The local network and gateways, started by the tests as users start them, on free ports."""

import asyncio
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from stellar_sdk import Keypair

from perpetual_exchange import AsyncClient, Client, Key

PROJECT = Path(__file__).resolve().parents[2]
NODE = PROJECT / "node_modules" / ".bin" / "node"
# A loaded machine takes minutes to start the network.
LINE_TIMEOUT = 600.0
# Of one answer, seconds. It becomes the default of every client in the tests, because a loaded machine may need longer than the package's own default.
TIMEOUT = 120
for kind in (AsyncClient, Client):
    defaults = kind.__init__.__kwdefaults__
    assert defaults is not None and "timeout" in defaults
    defaults["timeout"] = TIMEOUT
# By default V8 optimises so much of the embedded database that a short process spends more time on it than it saves.
FLAGS = ("--wasm-tiering-budget=100000000",)


class Process:
    """A process of the project, with the lines that it prints."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        known = {"PATH": os.environ["PATH"], "NODE_COMPILE_CACHE": str(PROJECT / "node_modules" / ".cache" / "node-compile")}
        self._child = subprocess.Popen(
            [str(NODE), *FLAGS, "main.ts", *arguments],
            cwd=PROJECT,
            env={**known, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._changed = threading.Condition()
        self._is_over = False
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            with self._changed:
                self.lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def find(self, pattern: str) -> str:
        """The first match in what the process prints; waits for it."""

        def matches() -> bool:
            return self._is_over or re.search(pattern, "".join(self.lines), re.MULTILINE) is not None

        with self._changed:
            self._changed.wait_for(matches, LINE_TIMEOUT)
            found = re.search(pattern, "".join(self.lines), re.MULTILINE)
        assert found is not None, "".join(self.lines)
        return found[1]

    def kill(self, number: int = signal.SIGKILL) -> None:
        self._child.send_signal(number)
        self._child.wait()


class LocalNetwork:
    """The local network in a process of its own, so that gateways can be killed while its ledgers close."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.rpc_url = process.find(r"^ *Network +local, JSON-RPC at (http:\S+)")

    def control(self, method: str, **params: object) -> Any:
        answer = httpx.post(self.rpc_url, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, timeout=300).json()
        assert "error" not in answer, answer
        return answer["result"]

    def fund(self, usdc: int = 100_000) -> Keypair:
        """A new account with this much USDC."""
        wallet = Keypair.random()
        self.control("local_fund", address=wallet.public_key, usdc=str(usdc * 10**7))
        return wallet


class Gateway:
    """A gateway that can be killed and started again, on the same port and database."""

    def __init__(self, network: LocalNetwork, folder: Path, port: int) -> None:
        self._environment = {
            "PORT": str(port),
            "NETWORK": "local",
            "RPC_URL": network.rpc_url,
            "DATA_DIR": str(folder),
            "WS_DRAIN_MS": "500",
        }
        self.url = f"http://127.0.0.1:{port}"
        self.process = self._launch()

    def _launch(self) -> Process:
        process = Process(**self._environment)
        process.find(r"^ *Gateway +(http:\S+)")
        return process

    def kill(self) -> None:
        self.process.kill()

    def start(self) -> None:
        self.process = self._launch()


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def run_network(folder: Path, **settings: str) -> Generator[LocalNetwork]:
    process = Process("localnet", LOCAL_RPC_PORT="0", DATA_DIR=str(folder), **settings)
    try:
        yield LocalNetwork(process)
    finally:
        process.kill()


@pytest.fixture(scope="session")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalNetwork]:
    folder = tmp_path_factory.mktemp("network")
    with run_network(folder, LOCAL_TRADERS="4", LOCAL_GENERATION="2", LOCAL_SEED="python") as started:
        yield started


@pytest.fixture(scope="session")
def gateway(network: LocalNetwork, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    started = Gateway(network, tmp_path_factory.mktemp("gateway"), free_port())
    yield started
    started.kill()


@pytest.fixture(scope="session")
def wallet(network: LocalNetwork) -> Keypair:
    return network.fund()


@pytest.fixture(scope="session")
def key(network: LocalNetwork, gateway: Gateway, wallet: Keypair) -> Key:
    async def create() -> Key:
        async with AsyncClient(gateway.url) as client:
            # Everything that the network has done so far is indexed.
            await client.list_events(min_ledger=network.control("local_info")["ledger"])
            issued = (await client.create_key(wallet, "tests")).data
            return Key(issued.key_id, issued.secret)

    return asyncio.run(create())


@pytest.fixture
async def client(gateway: Gateway, key: Key) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(gateway.url, key) as opened:
        yield opened


Answer = tuple[int, dict[str, str], Any]


def scripted(answer: Callable[[httpx.Request], Answer | Exception]) -> httpx.MockTransport:
    """A transport that answers as the test says."""

    def respond(request: httpx.Request) -> httpx.Response:
        found = answer(request)
        if isinstance(found, Exception):
            raise found
        status, headers, body = found
        return httpx.Response(status, headers=headers, content=json.dumps(body))

    return httpx.MockTransport(respond)
