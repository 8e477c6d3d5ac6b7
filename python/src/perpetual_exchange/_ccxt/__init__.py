"""Converts between the gateway's resources and CCXT's structures, without sending anything. Both exchange classes use it."""
