# pyright: basic
"""Adds the exchange to CCXT's own modules."""

from typing import Any


def register() -> None:
    """Makes the exchange available as `ccxt.perpetual`, `ccxt.async_support.perpetual` and `ccxt.pro.perpetual`, and by its name in their `exchanges`."""
    import ccxt
    import ccxt.async_support as ccxt_async
    import ccxt.pro as ccxt_pro

    from .._sync.ccxt import Perpetual
    from .async_support import perpetual

    module: Any
    for module, kind in ((ccxt, Perpetual), (ccxt_async, perpetual), (ccxt_pro, perpetual)):
        module.perpetual = kind
        if "perpetual" not in module.exchanges:
            module.exchanges.append("perpetual")
