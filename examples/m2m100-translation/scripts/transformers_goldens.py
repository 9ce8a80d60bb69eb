"""Writes the results of transformers' `generate` as goldens. test/fixtures/generate/README.md describes the JSON.

Every row is a separate request and is generated alone. If all rows have the same options, the padded batch must give the same results.
"""

import copy
import json
from pathlib import Path

import debian_torch  # noqa: F401
import torch
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList

NOISE = 2e-4
TRIES = 3


class Noise(LogitsProcessor):
    """Noise on the scores, larger than the rounding differences between runtimes."""

    def __init__(self, seed: int):
        self.generator = torch.Generator().manual_seed(seed)

    def __call__(self, input_ids, scores):
        return scores + (torch.rand(scores.shape, generator=self.generator) - 0.5) * NOISE


def token_ids(model) -> dict:
    """The model's special ids, which all cases share."""
    names = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id")
    return {name: value for name in names if (value := getattr(model.config, name, None)) is not None}


def generated(model, inputs: list[list[int]], options: dict, *, noise: int | None = None, record: bool = False):
    longest = max(map(len, inputs))
    pad = model.config.pad_token_id
    left = not model.config.is_encoder_decoder
    rows = [[pad] * (longest - len(row)) + row if left else row + [pad] * (longest - len(row)) for row in inputs]
    gaps = [[0] * (longest - len(row)) for row in inputs]
    ones = [[1] * len(row) for row in inputs]
    mask = [gap + one if left else one + gap for gap, one in zip(gaps, ones)]
    config = GenerationConfig(**token_ids(model), **options, return_dict_in_generate=True, output_scores=True)
    # Otherwise `generate` would take missing settings of `config` from the model's file.
    model = copy.copy(model)
    model.generation_config = GenerationConfig(**token_ids(model))
    processors = LogitsProcessorList([] if noise is None else [Noise(noise)])
    with torch.no_grad():
        return model.generate(
            torch.tensor(rows), attention_mask=torch.tensor(mask), generation_config=config, logits_processor=processors
        ), (longest if left else 1)


def sequences_of(model, result, prompt: int, inputs: int) -> list[list[dict]]:
    """The sequences of each row, best first: the generated tokens including EOS, and the score for beam search."""
    eos = model.config.eos_token_id
    found = []
    scores = getattr(result, "sequences_scores", None)
    for at, row in enumerate(result.sequences[:, prompt:].tolist()):
        tokens = row[: row.index(eos) + 1] if eos in row else row
        found.append({"tokens": tokens} if scores is None else {"tokens": tokens, "score": round(scores[at].item(), 6)})
    each = len(found) // inputs
    return [found[i * each : (i + 1) * each] for i in range(inputs)]


def own(row: dict) -> dict:
    return {name: row[name] for name in ("forced_bos_token_id",) if name in row}


def tokens_of(rows: list[list[dict]]) -> list[list[list[int]]]:
    return [[sequence["tokens"] for sequence in row] for row in rows]


def search_case(model, name: str, rows: list[dict], options: dict, *, most: int | None = None) -> dict:
    """Greedy or beam search of `rows` (input_ids, forced_bos_token_id?, and fields that are copied to the golden), at most
    `most` of them. Omits rows that generate padding or whose result changes with noise of 1e-4 on every score."""
    kept = []
    for row in rows:
        if len(kept) == most:
            break
        settings = {**options, **own(row)}
        answer = sequences_of(model, *generated(model, [row["input_ids"]], settings), 1)
        noisy = [
            sequences_of(model, *generated(model, [row["input_ids"]], settings, noise=seed), 1) for seed in range(TRIES)
        ]
        pads = any(model.config.pad_token_id in sequence["tokens"] for sequence in answer[0])
        if not pads and all(tokens_of(answer) == tokens_of(other) for other in noisy):
            kept.append({**row, "sequences": answer[0]})
    if kept and len({json.dumps(own(row)) for row in kept}) == 1 and "max_length" not in options:
        batch, prompt = generated(model, [row["input_ids"] for row in kept], {**options, **own(kept[0])})
        together = sequences_of(model, batch, prompt, len(kept))
        assert tokens_of(together) == [[s["tokens"] for s in row["sequences"]] for row in kept], name
    assert len(kept) >= (most or len(rows) // 2), f"{name}: only {len(kept)} of {len(rows)} rows are stable"
    return {"name": name, "options": options, "rows": kept}


def sampling_case(model, name: str, rows: list[dict], options: dict, *, steps: int = 4, seed: int = 10) -> dict:
    """For each row, a sampled sequence and, for each step, the distribution from which the token was drawn."""
    kept = []
    for row in rows:
        torch.manual_seed(seed)
        settings = {"do_sample": True, "max_new_tokens": steps, **options, **own(row)}
        if "top_k" not in options:
            settings["top_k"] = 0
        result, prompt = generated(model, [row["input_ids"]], settings)
        tokens = result.sequences[0, prompt:].tolist()
        distributions = []
        for scores in result.scores:
            logs = torch.log_softmax(scores[0].double(), -1)
            distributions.append([[i, round(v, 5)] for i, v in enumerate(logs.tolist()) if v != float("-inf")])
        kept.append({**row, "tokens": tokens, "log_probs": distributions})
    return {"name": name, "options": options, "rows": kept}


def write_goldens(file: Path, model, cases: list[dict]) -> None:
    """Writes one row per line, which keeps the file small and diffs readable."""
    lines = ["{", f'"tokens": {json.dumps(token_ids(model))},', '"cases": [']
    for at, case in enumerate(cases):
        lines.append(f'{{"name": {json.dumps(case["name"])}, "options": {json.dumps(case["options"])}, "rows": [')
        rows = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in case["rows"]]
        lines.append(",\n".join(rows))
        lines.append("]}" + ("," if at < len(cases) - 1 else ""))
    file.write_text("\n".join([*lines, "]", "}", ""]), encoding="utf-8")
