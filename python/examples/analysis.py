# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pandas declares the types of only a part of its functions.
"""An analysis of the daily exports with pandas: volume and profit by asset and by hour. Each cell, `# %%`, can be run in a notebook.

The exports hold complete days. A new network has none yet: then the newest trades are read from the list instead, which has the same rows.
"""

# %% Read
import gzip
import json
import os
from datetime import UTC, datetime

import pandas as pd

from perpetual_exchange import ApiError, Client

URL = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")
DAYS = 7


def trades_of_days(client: Client) -> pd.DataFrame:
    """The trades of the newest complete days."""
    rows: list[dict[str, object]] = []
    days = [entry.date for entry in client.list_exports(limit=DAYS).data.exports if entry.kind == "trades"]
    for day in days:
        content = client.download_export("trades", f"{day}.ndjson.gz").data
        rows += [json.loads(line) for line in gzip.decompress(content).splitlines()]
    return pd.DataFrame(rows)


def newest_trades(client: Client) -> pd.DataFrame:
    """The newest trades as a frame with the columns of the exports."""
    rows = [
        {"ts": row.ts, "asset": row.asset, "kind": row.kind, "size": row.size, "pnl": row.pnl}
        for row in client.list_trades(limit=200, include_opens=True).data.trades
    ]
    return pd.DataFrame(rows, columns=["ts", "asset", "kind", "size", "pnl"])


with Client(URL) as client:
    try:
        trades = trades_of_days(client)
    except ApiError as error:
        print("exports:", error)
        trades = pd.DataFrame()
    source = "daily exports"
    if trades.empty:
        trades, source = newest_trades(client), "newest trades"

# %% Prepare: amounts are integers in 7 decimals
trades = trades[trades["asset"].notna()].assign(
    time=lambda frame: pd.to_datetime(frame["ts"], unit="s", utc=True),
    size=lambda frame: frame["size"].astype(float) / 1e7,
    pnl=lambda frame: frame["pnl"].astype(float) / 1e7,
)

# %% By asset
by_asset = trades.groupby("asset").agg(trades=("kind", "size"), volume=("size", "sum"), pnl=("pnl", "sum")).sort_values("volume", ascending=False)
print(f"{len(trades)} rows of the {source}, as of {datetime.now(UTC):%F %H:%M}")
print(by_asset.round(2).to_string())

# %% By hour: what the traders won or lost
by_hour = trades.set_index("time")["pnl"].resample("1h").sum()
print(by_hour.round(2).tail(24).to_string())
