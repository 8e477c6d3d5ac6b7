"""Freqtrade on the local network, by the steps of the guide. Freqtrade has many dependencies, so it is installed into an environment of its own."""

import json
import os
import re
import shlex
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT, Gateway, LocalNetwork

from perpetual_exchange import Client

PYTHON = os.environ.get("TEST_FREQTRADE", "")
PAGE = (PROJECT / "docs" / "guides" / "python.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("\n## Freqtrade\n")[2].partition("\n## ")[0]
TIMEOUT = 900.0

pytestmark = pytest.mark.skipif(not PYTHON, reason="Freqtrade is not installed: set TEST_FREQTRADE to the Python of an environment with it and this package")


def block(language: str, start: str = "") -> str:
    found = re.search(rf"^```{language}\n({re.escape(start)}.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def commands() -> list[list[str]]:
    """The arguments of each command of the guide."""
    return [shlex.split(line)[1:] for line in block("sh", "alias").splitlines() if line.startswith("ft ")]


@pytest.fixture
def folder(tmp_path: Path, network: LocalNetwork, gateway: Gateway) -> Path:
    wallet = network.fund()
    with Client(gateway.url) as client:
        client.list_events(min_ledger=network.control("local_info")["ledger"])
        key = client.create_key(wallet).data
    config: dict[str, Any] = json.loads(block("json"))
    config["exchange"].update(key=key.key_id, secret=key.secret, private_key=wallet.secret, ccxt_config={"urls": {"api": gateway.url}})
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "user_data" / "strategies").mkdir(parents=True)
    (tmp_path / "user_data" / "strategies" / "turns.py").write_text(block("py"))
    return tmp_path


def start(folder: Path, arguments: list[str]) -> subprocess.Popen[str]:
    command = [PYTHON, "-m", "perpetual_exchange.ccxt.freqtrade", *arguments]
    # Freqtrade breaks lines at the width of the terminal.
    wide = {**os.environ, "COLUMNS": "400"}
    return subprocess.Popen(command, cwd=folder, env=wide, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def output_of(folder: Path, arguments: list[str]) -> str:
    """What a command prints until it ends."""
    text, _ = (process := start(folder, arguments)).communicate(timeout=TIMEOUT)
    assert process.returncode == 0, text[-4000:]
    return text


def lines_until(folder: Path, arguments: list[str], *wanted: str) -> str:
    """What a command prints until all these patterns were printed. It is then interrupted."""
    process = start(folder, arguments)
    assert process.stdout is not None
    timer = threading.Timer(TIMEOUT, process.kill)
    timer.start()
    text = ""
    for line in process.stdout:
        text += line
        if all(re.search(pattern, text) for pattern in wanted):
            process.send_signal(signal.SIGINT)
            process.stdout.read()
            break
    timer.cancel()
    process.wait()
    assert all(re.search(pattern, text) for pattern in wanted), text[-4000:]
    return text


def test_freqtrade_loads_markets_downloads_candles_backtests_and_trades(folder: Path, gateway: Gateway) -> None:
    markets, download, backtest, dry_run, live = commands()
    # Both trade while the other commands run: a start takes longer than a trade.
    texts: dict[str, str] = {}

    def trade(name: str, arguments: list[str]) -> None:
        texts[name] = lines_until(
            folder, [*arguments, "--db-url", f"sqlite:///{name}.sqlite"], "MARKET_BUY has been fulfilled", "MARKET_SELL has been fulfilled"
        )

    threads = [threading.Thread(target=trade, args=(name, arguments)) for name, arguments in (("dry", dry_run), ("live", live))]
    for thread in threads:
        thread.start()
    assert "BTC/USDC:USDC" in output_of(folder, markets)
    output_of(folder, download)
    assert list((folder / "user_data" / "data").rglob("BTC_USDC_USDC-5m-futures.*"))
    assert "Turns" in output_of(folder, backtest).partition("STRATEGY SUMMARY")[2]
    for thread in threads:
        thread.join()
    assert set(texts) == {"dry", "live"}
    exchange = json.loads((folder / "config.json").read_text())["exchange"]
    from perpetual_exchange import Key

    with Client(gateway.url, Key(exchange["key"], exchange["secret"])) as client:
        assert [fill.kind for fill in reversed(client.list_account_fills().data.fills)][:2] == ["open", "close"]
