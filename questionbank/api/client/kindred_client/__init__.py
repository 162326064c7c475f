"""A client of Kindred's API."""

from kindred_client.client import Kindred, KindredError, RunFailed

__all__ = ["Kindred", "KindredError", "RunFailed"]
