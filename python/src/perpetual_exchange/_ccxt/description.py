"""The exchange's description in CCXT's form."""

from typing import Any

# CCXT's names for precisions that are step sizes.
_TICK_SIZE = 4

CANDLES_MAX = 5_000
# Rows of a page, and pages that are read to find old rows.
PAGE_MAX = 200
PAGES_MAX = 100

TIMEFRAMES = {"1m": "1m", "5m": "5m", "15m": "15m", "1h": "1h", "4h": "4h", "1d": "1d", "1w": "1w"}

_TRUE = (
    "swap cancelAllOrders cancelOrder closePosition createLimitOrder createMarketOrder createMarketOrderWithCost createOrder createReduceOnlyOrder "
    "createStopLimitOrder createStopLossOrder createTakeProfitOrder createTrailingPercentOrder createTriggerOrder fetchBalance fetchCanceledOrders "
    "fetchClosedOrders fetchFundingRate fetchFundingRateHistory fetchFundingRates fetchL2OrderBook fetchLedger fetchLeverageTiers fetchMarkets fetchMyTrades "
    "fetchOHLCV fetchOpenInterest fetchOpenInterests fetchOpenOrders fetchOrder fetchOrderBook fetchOrders fetchPosition fetchPositions fetchStatus "
    "fetchTicker fetchTickers fetchTime fetchTrades signIn"
)
_FALSE = (
    "spot margin future option cancelOrders closeAllPositions createPostOnlyOrder createStopMarketOrder createTrailingAmountOrder deposit editOrder "
    "fetchBidsAsks fetchCurrencies fetchDepositAddress fetchDeposits fetchFundingHistory fetchLeverage fetchOpenInterestHistory fetchTradingFees "
    "fetchWithdrawals setMarginMode setPositionMode transfer withdraw ws watchBalance watchMyTrades watchOHLCV watchOrderBook "
    "watchOrders watchPositions watchTicker watchTickers watchTrades"
)


def _features() -> dict[str, Any]:
    """What the methods take, in CCXT's form. None: unlimited or not known."""
    listed = {"marginMode": False, "limit": PAGE_MAX * PAGES_MAX, "daysBack": None, "untilDays": None}
    by_trigger = {"trigger": False, "trailing": False}
    return {
        "sandbox": False,
        "createOrder": {
            "marginMode": True,
            "triggerPrice": True,
            "triggerPriceType": None,
            "triggerDirection": False,
            "stopLossPrice": True,
            "takeProfitPrice": True,
            "attachedStopLossTakeProfit": None,
            "timeInForce": {"GTC": True, "IOC": False, "FOK": False, "PO": False, "GTD": False},
            "hedged": True,
            "trailing": True,
            "leverage": True,
            "marketBuyByCost": True,
            "marketBuyRequiresPrice": False,
            "selfTradePrevention": False,
            "iceberg": False,
        },
        "createOrders": None,
        "fetchMyTrades": {**listed},
        "fetchOrder": {"marginMode": False, **by_trigger},
        "fetchOpenOrders": {"marginMode": False, "limit": None, **by_trigger},
        "fetchOrders": {**listed, **by_trigger},
        "fetchClosedOrders": {**listed, **by_trigger, "daysBackCanceled": None},
        "fetchOHLCV": {"limit": CANDLES_MAX},
    }


def description() -> dict[str, Any]:
    """The description. CCXT merges it with that of its base class."""
    has: dict[str, object] = {**dict.fromkeys(_TRUE.split(), True), **dict.fromkeys(_FALSE.split(), False), "setLeverage": "emulated", "CORS": None}
    return {
        "id": "perpetual",
        "name": "Perpetual Exchange",
        "countries": [],
        "version": "v1",
        "certified": False,
        "pro": False,
        "dex": True,
        # Milliseconds between calls. The package enforces the gateway's rate limit itself.
        "rateLimit": 50,
        "precisionMode": _TICK_SIZE,
        "has": has,
        "timeframes": TIMEFRAMES,
        "urls": {"api": "http://127.0.0.1:8080", "www": None, "doc": []},
        "requiredCredentials": {
            "apiKey": True,
            "secret": True,
            "privateKey": True,
            "walletAddress": False,
            "uid": False,
            "login": False,
            "password": False,
            "token": False,
        },
        "features": {"swap": {"linear": _features(), "inverse": None}},
        # The fees of the lowest tier.
        "fees": {"trading": {"taker": 0.0005, "maker": 0.0002, "percentage": True, "tierBased": True}},
        "options": {"slippageToleranceBps": 100},
    }
