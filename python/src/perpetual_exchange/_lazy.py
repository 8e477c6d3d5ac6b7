"""The models, imported at their first use, because they take most of the time of an import."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import models as models
else:

    class _Models:
        def __getattr__(self, name: str) -> Any:
            from . import models as module

            value = getattr(module, name)
            setattr(self, name, value)
            return value

    models = _Models()
