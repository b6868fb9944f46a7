"""Thin adapters: each translates one technology into one port, or one caller into the service."""
