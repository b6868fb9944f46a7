"""The skills of an agent over HTTP, on FastAPI: a router for a host, and an application that stands alone."""
