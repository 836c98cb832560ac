"""Datasets, and loaders that walk through them in batches."""

from .dataset import Dataset, Subset, TensorDataset, random_split
from .loader import DataLoader, default_collate

__all__ = ["DataLoader", "Dataset", "Subset", "TensorDataset", "default_collate", "random_split"]
