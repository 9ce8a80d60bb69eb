"""Records what transformers generates with a checkpoint: `python goldens.py CHECKPOINT FILE`."""

import random
import sys
from pathlib import Path

import debian_torch  # noqa: F401
from number_words import DIRECTIONS, spell, split
from tokenizer import language_code
from tokenizers import Tokenizer
from transformers import M2M100ForConditionalGeneration
from transformers_goldens import sampling_case, search_case, write_goldens


def requests(tokenizer: Tokenizer) -> list[dict]:
    """Numbers on which no model was trained, and six low numbers, in varying directions."""
    rng = random.Random(11)
    numbers = [0, 7, 16, 21, 80, 99, *rng.sample(split().held_out_rounds, 6), *rng.sample(split().held_out, 48)]
    rng.shuffle(numbers)
    rows = []
    for number in numbers:
        source, target = rng.choice(DIRECTIONS)
        text = spell(number, source)
        rows.append(
            {
                "source": source,
                "target": target,
                "text": text,
                "input_ids": [tokenizer.token_to_id(language_code(source)), *tokenizer.encode(text).ids],
                "forced_bos_token_id": tokenizer.token_to_id(language_code(target)),
            }
        )
    return rows


def cases_of(model, rows: list[dict]) -> list[dict]:
    limit = dict(max_length=64)
    beams = dict(limit, num_beams=4, num_return_sequences=4)
    searches = [
        ("greedy", limit, 30),
        ("greedy, repetition penalty", dict(limit, repetition_penalty=1.3), 6),
        ("greedy, no repeated pairs", dict(limit, no_repeat_ngram_size=2), 6),
        ("greedy, at least 20 long", dict(limit, min_length=20), 6),
        ("greedy, 12 new", dict(min_new_tokens=12, max_new_tokens=12), 6),
        ("greedy, at most 6 long", dict(max_length=6), 6),
        ("4 beams", beams, 12),
        ("4 beams, length penalty 2", dict(beams, length_penalty=2.0), 6),
        ("4 beams, length penalty -1", dict(beams, length_penalty=-1.0), 6),
        ("4 beams, early stopping", dict(beams, early_stopping=True), 6),
        ("4 beams, never early, length penalty 2", dict(beams, early_stopping="never", length_penalty=2.0), 6),
        ("4 beams, repetitions", dict(beams, repetition_penalty=1.2, no_repeat_ngram_size=3), 6),
        ("4 beams, at least 20 long", dict(beams, min_length=20), 4),
        ("3 beams, 2 returned", dict(limit, num_beams=3, num_return_sequences=2), 6),
        ("4 beams, at most 8 new", dict(max_new_tokens=8, num_beams=4, num_return_sequences=4), 6),
    ]
    cases = [search_case(model, name, rows, options, most=most) for name, options, most in searches]
    samplings = [
        ("sampling, temperature", dict(temperature=2.0), 1, 3),
        ("sampling, top k", dict(top_k=8), 3, 5),
        ("sampling, temperature and top p", dict(temperature=2.5, top_p=0.9), 3, 5),
        ("sampling, everything", dict(temperature=3.0, top_k=20, top_p=0.8, repetition_penalty=1.3, no_repeat_ngram_size=2), 3, 5),
    ]
    return cases + [sampling_case(model, name, rows[:n], options, steps=steps) for name, options, n, steps in samplings]


if __name__ == "__main__":
    checkpoint, file = map(Path, sys.argv[1:])
    model = M2M100ForConditionalGeneration.from_pretrained(checkpoint, attn_implementation="eager").eval()
    tokenizer = Tokenizer.from_file(str(checkpoint / "tokenizer.json"))
    cases = cases_of(model, requests(tokenizer))
    for case in cases:
        for row in case["rows"]:
            if "sequences" in row:
                row["answer"] = tokenizer.decode(row["sequences"][0]["tokens"])
    file.parent.mkdir(parents=True, exist_ok=True)
    write_goldens(file, model, cases)
    greedy = {row["text"] + row["target"]: row["sequences"][0]["tokens"] for row in cases[0]["rows"]}
    found = [row for row in cases[6]["rows"] if row["text"] + row["target"] in greedy]
    differ = sum(greedy[row["text"] + row["target"]] != row["sequences"][0]["tokens"] for row in found)
    print(f"{file}: the best of 4 beams is not the greedy answer in {differ} of {len(found)} rows")
