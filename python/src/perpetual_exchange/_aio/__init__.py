"""The asynchronous implementation. `_sync` is generated from it."""
