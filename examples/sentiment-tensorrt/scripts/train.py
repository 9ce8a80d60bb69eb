"""Creates assets/: model.onnx, model.pt and tokenizer/tokenizer.json. See assets/MODEL_CARD.md."""

import argparse
import json
import random
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from classifier import Classifier
from export import export
from sentences import Sentence, generated, joined, read_lexicon, read_sentences, right_by_lexicon
from training import Encode, right, train
from vocabulary import make_vocabulary

HERE = Path(__file__).resolve().parent.parent
PREFIX = "classification: "
COMMON, SIZE, TEMPLATES, JOINED, REPEATS, EPOCHS, SEED = 16_000, 64, 16_000, 6_000, 10, 2, 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=0, help="cross-validate on data/training.tsv, write nothing")
    parser.add_argument("--out", type=Path, default=HERE / "assets")
    options = parser.parse_args()
    torch.set_num_threads(1)

    lexicon = read_lexicon()
    vocabulary = make_vocabulary(HERE.parent / "sentence-embedding" / "assets", lexicon, COMMON, SIZE)
    tokenizer = Tokenizer.from_str(json.dumps(vocabulary.tokenizer))
    table = torch.from_numpy(vocabulary.table)
    written = read_sentences(HERE / "data" / "training.tsv")

    def encode(texts: list[str]) -> list[list[int]]:
        return [encoding.ids for encoding in tokenizer.encode_batch(texts)]

    if options.folds > 0:
        cross_validate(table, encode, lexicon, written, options.folds)
        return
    model = fitted(table, encode, lexicon, written)
    for name in ("held-out", "fresh"):
        sentences = read_sentences(HERE / "data" / f"{name}.tsv")
        print(
            f"{name}: {right(model, encode, sentences).mean():.1%} plain, "
            f"{right(model, encode, prefixed(sentences)).mean():.1%} with the prefix, {right_by_lexicon(sentences):.1%} VADER"
        )
    export(model, options.out)
    (options.out / "tokenizer").mkdir(parents=True, exist_ok=True)
    (options.out / "tokenizer" / "tokenizer.json").write_text(json.dumps(vocabulary.tokenizer, ensure_ascii=False))


def fitted(table: torch.Tensor, encode: Encode, lexicon: dict[str, float], written: list[Sentence]) -> Classifier:
    chance = random.Random(SEED)
    torch.manual_seed(SEED)
    sentences = generated(lexicon, TEMPLATES, chance) + joined(written, JOINED, chance) + written * REPEATS
    half = [(PREFIX + text, label) if chance.random() < 0.5 else (text, label) for text, label in sentences]
    model = Classifier(table)
    train(model, encode, half, EPOCHS, chance)
    return model


def cross_validate(table: torch.Tensor, encode: Encode, lexicon: dict[str, float], written: list[Sentence], folds: int) -> None:
    order = random.Random(0).sample(range(len(written)), len(written))
    hits: list[np.ndarray] = []
    for fold in range(folds):
        test = [written[at] for at in order[fold::folds]]
        model = fitted(table, encode, lexicon, [written[at] for n, at in enumerate(order) if n % folds != fold])
        hits.append(right(model, encode, test))
        print(f"fold {fold}: {hits[-1].mean():.1%} plain, {right(model, encode, prefixed(test)).mean():.1%} prefixed", flush=True)
    print(f"all: {np.concatenate(hits).mean():.1%}")


def prefixed(sentences: list[Sentence]) -> list[Sentence]:
    return [(PREFIX + text, label) for text, label in sentences]


if __name__ == "__main__":
    main()
