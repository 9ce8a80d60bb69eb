"""The classifier: two pre-norm transformer layers over frozen token vectors."""

import torch
from torch import Tensor, nn
from torch.nn import functional

LONGEST = 512
REACH = 12


class Attention(nn.Module):
    def __init__(self, size: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(size, 3 * size)
        self.out = nn.Linear(size, size)
        self.near = nn.Embedding(2 * REACH + 1, heads)

    def forward(self, x: Tensor, distance: Tensor, hidden: Tensor) -> Tensor:
        batch, length, size = x.shape
        qkv = self.project(x).reshape(batch, length, 3, self.heads, size // self.heads).permute(2, 0, 3, 1, 4)
        scores = qkv[0] @ qkv[1].transpose(-1, -2) / (size // self.heads) ** 0.5
        scores = scores + self.near(distance).permute(2, 0, 1) + hidden
        return self.out((functional.softmax(scores, -1) @ qkv[2]).transpose(1, 2).reshape(batch, length, size))


class Layer(nn.Module):
    def __init__(self, size: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(size)
        self.attention = Attention(size, heads)
        self.before_wide = nn.LayerNorm(size)
        self.wide = nn.Sequential(nn.Linear(size, 2 * size), nn.GELU(), nn.Dropout(dropout), nn.Linear(2 * size, size))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, distance: Tensor, hidden: Tensor) -> Tensor:
        x = x + self.dropout(self.attention(self.before_attention(x), distance, hidden))
        return x + self.dropout(self.wide(self.before_wide(x)))


class Classifier(nn.Module):
    """INT64[batch, seq] ids and mask → FP32[batch, 2] logits; positions are relative, so any length up to 512 works."""

    def __init__(self, table: Tensor, size: int = 64, heads: int = 4, layers: int = 2, dropout: float = 0.2) -> None:
        super().__init__()
        self.register_buffer("table", table)
        self.register_buffer("positions", torch.arange(LONGEST))
        self.start = nn.Embedding(4, size)
        self.enter = nn.Linear(table.shape[1], size)
        self.layers = nn.ModuleList(Layer(size, heads, dropout) for _ in range(layers))
        self.dropout = nn.Dropout(dropout)
        self.leave = nn.LayerNorm(size)
        self.label = nn.Linear(size, 2)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        positions = self.positions[: input_ids.shape[1]]
        distance = (positions[None, :] - positions[:, None]).clamp(-REACH, REACH) + REACH
        mask = attention_mask.to(torch.float32)
        hidden = (1 - mask)[:, None, None, :] * -10000.0
        words = functional.embedding(input_ids, self.table).to(torch.float32)
        x = self.dropout(self.enter(words))
        x = x + self.start(input_ids.clamp(max=3)) * (input_ids < 4).to(torch.float32)[:, :, None]
        for layer in self.layers:
            x = layer(x, distance, hidden)
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1).clamp(min=1)[:, None]
        return self.label(self.leave(mean))
