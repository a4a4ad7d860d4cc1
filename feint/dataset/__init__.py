"""Data sets: every decision of many games, a row each, in Parquet files that any program reads. docs/datasets.md says what is in them."""

from feint.dataset.folder import Dataset
from feint.dataset.making import make

__all__ = ["Dataset", "make"]
