"""Creates the tokenizer and one vector for each of its tokens, from the static encoder of ../sentence-embedding."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


@dataclass(frozen=True)
class Vocabulary:
    tokenizer: dict
    """Contents of tokenizer.json."""
    table: np.ndarray
    """FP16[tokens, size]: meaning, then the word's sentiment according to the vectors, then according to the lexicon."""


def make_vocabulary(source: Path, lexicon: dict[str, float], common: int, size: int) -> Vocabulary:
    """The `common` most frequent tokens of the static encoder's tokenizer, its single characters, and the lexicon's words."""
    contents = json.loads((source / "tokenizer" / "tokenizer.json").read_text("utf-8"))
    ids: dict[str, int] = contents["model"]["vocab"]
    directions = unit_rows(static_table(source / "static" / "model.onnx", len(ids)))

    def pieces(word: str) -> list[int]:
        return [ids[piece] for piece in longest_first(word, ids)]

    vectors = {word: directions[pieces(word)].mean(axis=0) for word in lexicon}
    valence = fit_valence(np.array(list(vectors.values())), np.array(list(lexicon.values())))

    plain = [token for token in ids if token.removeprefix("##").isascii() and token.removeprefix("##").isalnum()]
    marks = [token for token in ids if len(token.removeprefix("##")) == 1 and token.isascii()]
    kept = sorted({*plain[:common], *(token for token in plain if len(token.removeprefix("##")) == 1), *marks}, key=ids.get)
    kept += [word for word in lexicon if word not in set(kept)]

    meaning = [vectors[token] if token in vectors else directions[ids[token]] for token in kept]
    rows = np.zeros((len(SPECIAL) + len(kept), size), np.float32)
    scale = np.sqrt(size)
    for at, (token, vector) in enumerate(zip(kept, meaning), start=len(SPECIAL)):
        rows[at, : size - 2] = vector[: size - 2] * scale
        rows[at, size - 2] = vector @ valence[:-1] + valence[-1]
        rows[at, size - 1] = lexicon.get(token, 0)
    return Vocabulary(tokenizer_json(contents, [*SPECIAL, *kept]), rows.astype(np.float16))


def static_table(model: Path, count: int) -> np.ndarray:
    import onnxruntime

    ids = np.arange(count, dtype=np.int64)[None]
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    return onnxruntime.InferenceSession(str(model)).run(None, inputs)[0][0]


def unit_rows(table: np.ndarray) -> np.ndarray:
    return table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-6)


def fit_valence(vectors: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Ridge regression of a word's value on its vector; the last number is the constant term."""
    rows = np.c_[vectors, np.ones(len(vectors))].astype(np.float64)
    return np.linalg.solve(rows.T @ rows + 3 * np.eye(rows.shape[1]), rows.T @ values)


def longest_first(word: str, ids: dict[str, int]) -> list[str]:
    """WordPiece."""
    pieces: list[str] = []
    at = 0
    while at < len(word):
        prefix = "##" if at > 0 else ""
        end = next(end for end in range(len(word), at, -1) if prefix + word[at:end] in ids)
        pieces.append(prefix + word[at:end])
        at = end
    return pieces


def tokenizer_json(source: dict, tokens: list[str]) -> dict:
    ids = {token: at for at, token in enumerate(tokens)}
    added = [
        {"id": ids[token], "content": token, "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": False, "special": True}
        for token in SPECIAL
    ]
    processor = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                   {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
        "pair": source["post_processor"]["pair"],
        "special_tokens": {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")},
    }
    return source | {
        "truncation": None, "padding": None, "added_tokens": added, "post_processor": processor,
        "model": source["model"] | {"vocab": ids},
    }
