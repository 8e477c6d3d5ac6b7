"""API keys."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Key:
    """An API key: its public id and its secret. `repr` hides the secret."""

    id: str
    secret: str = field(repr=False)
