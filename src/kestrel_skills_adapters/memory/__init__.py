"""Fakes for every port: small, complete, and kept honest by the contract suites that run on the real adapters."""
