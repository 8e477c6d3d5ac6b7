"""Every program of python/examples against the local network, each with an account of its own."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from conftest import TIMEOUT, Gateway, LocalNetwork
from stellar_sdk import Keypair

from perpetual_exchange import AsyncClient, Client, Key, amount

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@contextmanager
def started(name: str, gateway: Gateway, wallet: Keypair | None = None, **settings: str) -> Generator["subprocess.Popen[str]"]:
    environment = {"PATH": os.environ["PATH"], "GATEWAY_URL": gateway.url, "PYTHONUNBUFFERED": "1", **settings}
    if wallet is not None:
        environment["SECRET"] = wallet.secret
    command = [sys.executable, str(EXAMPLES / name)]
    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def run(name: str, gateway: Gateway, wallet: Keypair | None = None, **settings: str) -> str:
    """What a program prints until it ends."""
    with started(name, gateway, wallet, **settings) as process:
        text, _ = process.communicate()
        assert process.returncode == 0, text
        return text


@pytest.fixture
def account(network: LocalNetwork, gateway: Gateway) -> Keypair:
    wallet = network.fund()
    with Client(gateway.url) as client:
        client.list_events(min_ledger=network.control("local_info")["ledger"])
    return wallet


def test_every_example_is_run_by_a_test() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    for path in EXAMPLES.glob("*.py"):
        assert f'"{path.name}"' in source, path.name
        assert f"`{path.name}`" in (EXAMPLES / "README.md").read_text(encoding="utf-8"), path.name


def test_watch_prices_and_trade_once(gateway: Gateway, account: Keypair, tmp_path: Path) -> None:
    # The stream begins with the newest trades, if there are any.
    assert re.match(r"(price|trade) \d+", run("watch_prices.py", gateway, STORE=str(tmp_path / "positions.json"), COUNT="1"))
    assert "epoch" in json.loads((tmp_path / "positions.json").read_text())
    assert re.match(r"position \d+ at \d+(\.\d+)?\nprofit or loss", run("trade_once.py", gateway, account))
    assert run("trade_once.py", gateway, account).startswith("an earlier run has sent the order: SUCCESS")


def test_quotes_rest_around_the_price_and_are_taken_over_by_the_next_run(gateway: Gateway, account: Keypair) -> None:
    first = run("quotes.py", gateway, account, ROUNDS="1")
    quotes = dict(re.findall(r"^quote (\d+): (long|short) at", first, re.MULTILINE))
    assert sorted(quotes.values()) == ["long", "short"]
    with Client(gateway.url) as client:
        client.create_key(account)
        state = client.get_account_state().data
        orders = {str(order.order_id): order for order in state.orders or []}
        assert set(orders) <= set(quotes)
    second = run("quotes.py", gateway, account, ROUNDS="1")
    # What still rests near the price is not placed again.
    assert len(re.findall("^quote", second, re.MULTILINE)) <= 2


def test_survivor_buys_each_slice_once_although_it_is_killed_during_a_trade(gateway: Gateway, account: Keypair) -> None:
    with started("survivor.py", gateway, account) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("slice 1 bought")
        # The second slice is on its way, in whatever state.
        process.kill()
    text = run("survivor.py", gateway, account)
    assert text.startswith(first)
    assert text.rstrip().endswith("plan complete")
    with Client(gateway.url) as client:
        client.create_key(account)
        opened = [fill for fill in client.list_account_fills().data.fills if fill.kind == "open"]
    assert len(opened) == 3


async def test_copy_leader_repeats_an_open_and_its_close(
    network: LocalNetwork, gateway: Gateway, account: Keypair, key: Key, wallet: Keypair, tmp_path: Path
) -> None:
    settings = {"LEADER": wallet.public_key, "STORE": str(tmp_path / "copied.json"), "COPIES": "2"}
    with started("copy_leader.py", gateway, account, **settings) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("following")
        async with AsyncClient(gateway.url, key) as client, client.trade(wallet) as t:
            order = await t.open("SOL", "long", amount("100"), leverage=1, slippage_bps=300)
            assert order.position_id
            await t.close(order.position_id, slippage_bps=500)
        text, _ = process.communicate()
        assert process.returncode == 0, text
    assert re.search(r"^copied an open: \d+ \d+(\.\d+)?\ncopied a close: \d+$", text, re.MULTILINE)


def test_analysis_sums_the_exports_or_the_newest_trades(gateway: Gateway) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed: pip install -e 'python[frames]'")
    text = run("analysis.py", gateway)
    assert re.search(r"^\d+ rows of the newest trades", text, re.MULTILINE)
    assert re.search(r"^asset\s*$", text, re.MULTILINE)
    assert httpx.get(f"{gateway.url}/livez", timeout=TIMEOUT).status_code == 200
