"""Amounts: integers in 7 decimals. 1 USDC is 10,000,000."""

import re

DECIMALS = 7
ONE = 10**DECIMALS
_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d{1,7}))?", re.ASCII)


def amount(text: str | int) -> int:
    """The amount that `text` writes, in 7 decimals: `amount("12.5")` is 125000000. An `int` is a whole number of units, so `amount(100)` is 100 USDC.

    Raises ValueError for anything but a decimal number with at most 7 decimals. Floats are refused, because they are not exact.
    """
    if isinstance(text, bool) or not isinstance(text, (str, int)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"amount takes a string or a whole number, not {type(text).__name__}. Floats are not exact.")
    match = _NUMBER.fullmatch(str(text).strip())
    if match is None:
        raise ValueError(f"{text!r} is not a decimal number with at most {DECIMALS} decimals.")
    sign, whole, fraction = match.groups()
    value = int(whole) * ONE + int((fraction or "").ljust(DECIMALS, "0"))
    return -value if sign == "-" else value


def show(value: int) -> str:
    """The amount as decimal text without needless zeros: `show(125000000)` is "12.5"."""
    whole, fraction = divmod(abs(value), ONE)
    text = f"{whole}.{fraction:07d}".rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 else text
