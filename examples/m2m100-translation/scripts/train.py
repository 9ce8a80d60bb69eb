"""Trains an M2M100 on number words: `python train.py final|rough FOLDER`. Uses a fixed seed and one thread."""

import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import debian_torch  # noqa: F401
import torch
from number_words import DIRECTIONS, LANGUAGES, SHORT, spell, split
from tokenizer import BOS, EOS, PAD, language_code, save_tokenizer, train_tokenizer
from tokenizers import Tokenizer
from transformers import GenerationConfig, M2M100Config, M2M100ForConditionalGeneration

# Share of each stratum in a batch. There are few low numbers, so each must occur often.
EVERYWHERE = {1: 0.12, 2: 0.12, 3: 0.10, 4: 0.13, 5: 0.22, 6: 0.31}
WITH_SHORT = {1: 0.08, 2: 0.08, 3: 0.08, 4: 0.10, 5: 0.14, 6: 0.20, SHORT: 0.32}


@dataclass(frozen=True)
class Phase:
    shares: dict[int, float]
    steps: int
    hold: int
    rate: float


@dataclass(frozen=True)
class Kind:
    shape: dict[str, int]
    batch: int
    phases: tuple[Phase, ...]


KINDS = {
    "final": Kind(
        shape=dict(d_model=128, heads=4, ffn=256, layers=2),
        batch=192,
        phases=(
            Phase(EVERYWHERE, steps=1500, hold=900, rate=3e-3),
            Phase(WITH_SHORT, steps=300, hold=0, rate=1.5e-3),
        ),
    ),
    # A small model with little training is uncertain enough that beam search finds results that greedy search does not.
    "rough": Kind(
        shape=dict(d_model=32, heads=2, ffn=64, layers=1),
        batch=96,
        phases=(Phase(EVERYWHERE, steps=400, hold=400, rate=5e-3),),
    ),
}
WARMUP = 60


def configuration(vocabulary: int, *, d_model: int, heads: int, ffn: int, layers: int) -> M2M100Config:
    return M2M100Config(
        vocab_size=vocabulary,
        d_model=d_model,
        encoder_layers=layers,
        decoder_layers=layers,
        encoder_attention_heads=heads,
        decoder_attention_heads=heads,
        encoder_ffn_dim=ffn,
        decoder_ffn_dim=ffn,
        max_position_embeddings=128,
        dropout=0.0,
        attention_dropout=0.0,
        activation_dropout=0.0,
        encoder_layerdrop=0.0,
        decoder_layerdrop=0.0,
        bos_token_id=BOS,
        pad_token_id=PAD,
        eos_token_id=EOS,
        decoder_start_token_id=EOS,
        attn_implementation="eager",
    )


def padded(rows: list[list[int]], filler: int) -> torch.Tensor:
    length = max(map(len, rows))
    return torch.tensor([row + [filler] * (length - len(row)) for row in rows])


def rate_factor(step: int, phase: Phase) -> float:
    """Linear warm-up, a plateau until step `hold`, then linear decay to zero."""
    return min(1.0, (step + 1) / WARMUP, (phase.steps - step) / max(1, phase.steps - phase.hold))


def encoded(tokenizer: Tokenizer) -> dict[str, dict[int, list[int]]]:
    """The encoder's input and the decoder's labels, by language and number: the language's code, the words, EOS."""
    return {
        language: {
            number: [tokenizer.token_to_id(language_code(language)), *encoding.ids]
            for numbers in split().training.values()
            for number, encoding in zip(numbers, tokenizer.encode_batch([spell(n, language) for n in numbers]))
        }
        for language in LANGUAGES
    }


def run_phase(model: M2M100ForConditionalGeneration, phase: Phase, batch: int, ids: dict, seed: int) -> None:
    rng = random.Random(seed)
    training = split().training
    optimizer = torch.optim.AdamW(model.parameters(), lr=phase.rate, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate_factor(step, phase))
    started = time.time()
    for step in range(phase.steps):
        strata = rng.choices(list(phase.shares), list(phase.shares.values()), k=batch)
        pairs = [(rng.choice(training[stratum]), rng.choice(DIRECTIONS)) for stratum in strata]
        source = padded([ids[a][number] for number, (a, _) in pairs], PAD)
        labels = padded([ids[b][number] for number, (_, b) in pairs], -100)
        loss = model(input_ids=source, attention_mask=(source != PAD).long(), labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 50 == 49 or step == phase.steps - 1:
            print(f"step {step + 1}: loss {loss.item():.4f}, {time.time() - started:.0f} s", flush=True)


def train(name: str, folder: Path) -> None:
    """Each phase is saved next to `folder`. A saved phase is not run again."""
    kind = KINDS[name]
    tokenizer = train_tokenizer()
    ids = encoded(tokenizer)
    torch.manual_seed(10)
    model = M2M100ForConditionalGeneration(configuration(tokenizer.get_vocab_size(), **kind.shape))
    model.generation_config = GenerationConfig.from_model_config(model.config)
    model.generation_config.max_length = 64
    print(f"{name}: {sum(p.numel() for p in model.parameters()):,} parameters", flush=True)
    for at, phase in enumerate(kind.phases):
        state = folder.with_name(f"{folder.name}-phase-{at + 1}.pt")
        if state.exists():
            model.load_state_dict(torch.load(state))
            continue
        run_phase(model.train(), phase, kind.batch, ids, seed=10 + at)
        folder.parent.mkdir(parents=True, exist_ok=True)
        torch.save(model.state_dict(), state)
    model.eval().save_pretrained(folder)
    save_tokenizer(tokenizer, folder)


if __name__ == "__main__":
    train(sys.argv[1], Path(sys.argv[2]))
