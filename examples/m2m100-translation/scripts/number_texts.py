"""Writes the tests' numbers in all languages; those above 99 were not seen in training: `python number_texts.py FILE`."""

import json
import random
import sys
from pathlib import Path

from number_words import LANGUAGES, spell, split

if __name__ == "__main__":
    rng = random.Random(12)
    numbers = {
        "low": list(range(100)),
        "held out": sorted(rng.sample(split().held_out, 120)),
        "held out, in few words": sorted(rng.sample([*split().held_out_rounds, *split().held_out_tails], 80)),
    }
    parts = [
        f"{json.dumps(part)}: [\n"
        + ",\n".join(
            json.dumps({"number": n, **{language: spell(n, language) for language in LANGUAGES}}, ensure_ascii=False) for n in of
        )
        + "\n]"
        for part, of in numbers.items()
    ]
    Path(sys.argv[1]).write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
