"""Training and accuracy."""

import random
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch.nn import functional

from classifier import Classifier
from sentences import Sentence

Encode = Callable[[Sequence[str]], list[list[int]]]


def batch_of(rows: Sequence[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """The ids and the mask of rows that are padded to the longest one."""
    longest = max(map(len, rows))
    ids = torch.zeros(len(rows), longest, dtype=torch.int64)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = torch.tensor(row)
    mask = torch.zeros_like(ids)
    for at, row in enumerate(rows):
        mask[at, : len(row)] = 1
    return ids, mask


def train(model: Classifier, encode: Encode, sentences: list[Sentence], epochs: int, chance: random.Random,
          rate: float = 3e-3, size: int = 128, unknown: float = 0.1) -> None:
    """
    AdamW with a one-cycle schedule; the resulting weights are a running mean over the steps. One word in ten is masked, so that the model learns to look
    at the whole sentence.
    """
    rows = encode([text for text, _ in sentences])
    labels = torch.tensor([label for _, label in sentences])
    steps = epochs * (len(rows) // size)
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=rate, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)
    mean = [p.detach().clone() for p in model.parameters()]
    model.train()
    for _ in range(epochs):
        for chosen in batches(rows, size, chance):
            ids, mask = batch_of([rows[at] for at in chosen])
            hide = (torch.rand(ids.shape) < unknown) & (ids > 3)
            loss = functional.cross_entropy(model(ids.masked_fill(hide, 1), mask), labels[chosen], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            for average, weights in zip(mean, model.parameters()):
                average.lerp_(weights.detach(), 0.005)
    for average, weights in zip(mean, model.parameters()):
        weights.data.copy_(average)
    model.eval()


def batches(rows: Sequence[list[int]], size: int, chance: random.Random) -> list[list[int]]:
    """Batches of rows of similar lengths, in random order, without the last, smaller batch."""
    order = sorted(range(len(rows)), key=lambda at: (len(rows[at]), chance.random()))
    groups = [order[at : at + size] for at in range(0, len(order) - size + 1, size)]
    chance.shuffle(groups)
    return groups


def right(model: Classifier, encode: Encode, sentences: list[Sentence]) -> np.ndarray:
    """Whether the model classifies each sentence correctly."""
    with torch.no_grad():
        logits = model(*batch_of(encode([text for text, _ in sentences])))
    return logits.argmax(1).numpy() == np.array([label for _, label in sentences])
