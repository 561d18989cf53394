"""Names and numbers as the page writes them."""

from __future__ import annotations

import re


def as_label(name: str) -> str:
    """An id without a name, as a reader wants it: ``of=ranking_loss;k=7`` becomes ``of = ranking loss, k = 7``."""
    return re.sub(r"\s*=\s*", " = ", name.replace("_", " ").replace(";", ", "))


def slug(verdict: str) -> str:
    return verdict.replace(" ", "-")


def as_number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def precise(value: float | None, digits: int) -> str:
    """One decimal more than printed; counts stay whole."""
    if value is None:
        return ""
    return as_number(value, 0 if digits == 0 and value == round(value) else digits + 1)


def signed(value: float | None, digits: int) -> str:
    text = precise(value, digits)
    return f"+{text}" if value is not None and value > 0 and text.strip("0.") else text
