# pyright: basic, reportMissingImports=false
# Freqtrade is installed beside this package, which does not depend on it.
"""Runs Freqtrade with this exchange: `python -m perpetual_exchange.ccxt.freqtrade trade --config config.json`.

Freqtrade finds exchanges by their name in CCXT and in its own package. This module adds a class to each and then starts Freqtrade as its own command does.
"""

import sys
from datetime import datetime
from typing import Any

import freqtrade.exchange as exchanges
from freqtrade.enums import MarginMode, TradingMode
from freqtrade.exceptions import ExchangeError
from freqtrade.exchange import Exchange
from freqtrade.main import main

from .register import register


class Perpetual(Exchange):
    """Freqtrade's view of the exchange: isolated futures, candles without a limit of age, and stops that rest on the exchange."""

    _ft_has = {  # noqa: RUF012 - as in Freqtrade
        "ohlcv_candle_limit": 5_000,
        "tickers_have_bid_ask": False,
        "ws_enabled": False,
    }
    _ft_has_futures = {  # noqa: RUF012
        "stoploss_on_exchange": True,
        "stoploss_order_types": {"market": "market"},
        "stoploss_blocks_assets": False,
        "mark_ohlcv_price": "futures",
        "mark_ohlcv_timeframe": "1h",
        "funding_fee_timeframe": "1h",
    }
    _supported_trading_mode_margin_pairs = [(TradingMode.FUTURES, MarginMode.ISOLATED)]  # noqa: RUF012

    def get_funding_fees(self, pair: str, amount: float, is_short: bool, open_date: datetime) -> float:
        """The funding since the position was opened, computed from the rates: it is settled when the position closes, so there are no payments to list."""
        try:
            return self._fetch_and_calculate_funding_fees(pair, amount, is_short, open_date)
        except ExchangeError:
            return 0.0

    def _lev_prep(self, pair: str, leverage: float, side: Any, accept_fail: bool = False) -> None:
        # The exchange has whole leverages only.
        super()._lev_prep(pair, int(leverage), side, accept_fail)


def install() -> None:
    """Adds the exchange to CCXT and to Freqtrade."""
    register()
    exchanges.Perpetual = Perpetual  # pyright: ignore[reportAttributeAccessIssue]


if __name__ == "__main__":
    install()
    main(sys.argv[1:])
