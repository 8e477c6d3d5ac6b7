"""The exchange for programs that use CCXT. It needs the extra `ccxt`.

`perpetual` is a CCXT exchange, and `perpetual_exchange.ccxt.async_support.perpetual` its asynchronous twin. `register` adds both to CCXT, for
programs that choose an exchange by its name.
"""

from .._sync.ccxt import Perpetual as perpetual
from .register import register

__all__ = ["perpetual", "register"]
