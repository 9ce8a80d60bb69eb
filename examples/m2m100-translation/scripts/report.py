"""Reports an export's accuracy and the drift of its int8 variant: `python report.py FP32_FOLDER INT8_FOLDER REPORT`. Takes minutes on one core."""

import json
import sys
from itertools import zip_longest
from pathlib import Path

from greedy import Translator
from number_words import DIRECTIONS, LANGUAGES, spell, split
from tokenizers import Tokenizer

BATCH = 64
SINGLY = 400
Pair = tuple[int, str, str]


def translations(folder: Path, tokenizer: Tokenizer, pairs: list[Pair], size: int = BATCH) -> list[list[int]]:
    translator = Translator(folder)
    code = {language: tokenizer.token_to_id(f"__{language}__") for language in LANGUAGES}
    answers = []
    for at in range(0, len(pairs), size):
        part = pairs[at : at + size]
        rows = [[code[a], *tokenizer.encode(spell(number, a)).ids] for number, a, _ in part]
        answers += translator.translate(rows, [code[b] for _, _, b in part])
    return answers


def share(right: list[bool]) -> dict:
    return {"right": sum(right), "of": len(right), "percent": round(100 * sum(right) / len(right), 2)}


def report(fp32: Path, int8: Path) -> dict:
    tokenizer = Tokenizer.from_file(str(fp32 / "tokenizer.json"))
    parts = {
        "held out": split().held_out,
        "held out, multiples of 100": split().held_out_rounds,
        "held out, ending in 001 to 110": split().held_out_tails,
        "0 to 99": list(range(100)),
    }
    pairs = [(number, a, b) for numbers in parts.values() for a, b in DIRECTIONS for number in numbers]
    wanted = [spell(number, b) for number, _, b in pairs]
    answers = {kind: translations(folder, tokenizer, pairs) for kind, folder in (("fp32", fp32), ("int8", int8))}
    result: dict = {}
    for kind, rows in answers.items():
        right = [tokenizer.decode(row) == text for row, text in zip(rows, wanted)]
        result[kind] = {
            **{
                part: share([r for r, (number, _, _) in zip(right, pairs) if number in numbers])
                for part, numbers in parts.items()
            },
            "wrong": [
                {"number": n, "from": a, "to": b, "answer": tokenizer.decode(row)}
                for ok, (n, a, b), row in zip(right, pairs, rows)
                if not ok
            ],
        }
    both = list(zip(answers["fp32"], answers["int8"]))
    tokens = [x == y for one, other in both for x, y in zip_longest(one, other)]
    result["int8 against fp32"] = {"same sequence": share([x == y for x, y in both]), "same token": share(tokens)}
    several = pairs[:: len(pairs) // SINGLY]
    for kind, folder in (("fp32", fp32), ("int8", int8)):
        batch, single = (translations(folder, tokenizer, several, size) for size in (BATCH, 1))
        result[f"{kind}: batch of {BATCH} against single"] = {"same sequence": share([x == y for x, y in zip(batch, single)])}
    return result


if __name__ == "__main__":
    fp32, int8, file = map(Path, sys.argv[1:])
    figures = report(fp32, int8)
    file.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps({k: {n: v for n, v in d.items() if n != "wrong"} for k, d in figures.items()}, indent=1))
