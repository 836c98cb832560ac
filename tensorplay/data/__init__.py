"""Datasets, and loaders that walk through them in batches."""

from tensorplay.data.dataset import Dataset, Subset, TensorDataset, random_split
from tensorplay.data.loader import DataLoader, default_collate

__all__ = ["DataLoader", "Dataset", "Subset", "TensorDataset", "default_collate", "random_split"]
