"""Numbers as words in four languages, and the split into training and test numbers."""

import random
import re
from dataclasses import dataclass
from functools import lru_cache

from num2words import num2words

LANGUAGES = ("en", "fr", "de", "es")
DIRECTIONS = tuple((a, b) for a in LANGUAGES for b in LANGUAGES if a != b)
LIMIT = 1_000_000
# Keys are numbers of digits. All numbers below 100 are training numbers.
HELD_OUT = {3: 60, 4: 140, 5: 300, 6: 500}
TRAINING = {4: 4_000, 5: 12_000, 6: 24_000}
# A random sample contains few numbers with short names, which people use most often: multiples of 100, and those that end in 001 to 110.
HELD_OUT_SHORT = 300
TRAINING_SHORT = 4_000


@lru_cache(maxsize=None)
def spell(number: int, language: str) -> str:
    """The spelling of num2words 0.5.14, without the commas in English, and with "un mil" in Spanish and "eintausend" in German, where
    num2words writes "uno mil" and "einstausend"."""
    text = num2words(number, lang=language)
    if language == "en":
        return text.replace(",", "")
    if language == "es":
        return re.sub(r"\buno mil", "un mil", text.replace("veintiuno mil", "veintiún mil"))
    if language == "de":
        return text.replace("einstausend", "eintausend")
    return text


@dataclass(frozen=True)
class Split:
    """`training` by stratum: strata 1 to 6 are numbers of digits, stratum 0 contains the numbers with short names. All other numbers are never used for training."""

    training: dict[int, list[int]]
    held_out: list[int]
    held_out_rounds: list[int]
    held_out_tails: list[int]


SHORT = 0


@lru_cache(maxsize=None)
def split(seed: int = 10) -> Split:
    rng = random.Random(seed)
    training = {1: list(range(10)), 2: list(range(10, 100))}
    held_out = []
    for digits, count in HELD_OUT.items():
        numbers = list(range(10 ** (digits - 1), 10**digits))
        rng.shuffle(numbers)
        held_out += numbers[:count]
        training[digits] = sorted(numbers[count : count + TRAINING.get(digits, len(numbers))])
    taken = {number for numbers in training.values() for number in numbers} | set(held_out)
    free = [number for number in range(1_000, LIMIT) if number not in taken]
    rounds = [number for number in free if number % 100 == 0]
    tails = [number for number in free if 0 < number % 1_000 <= 110 and number % 100 != 0]
    rng.shuffle(rounds)
    rng.shuffle(tails)
    training[SHORT] = [
        number for numbers in (rounds, tails) for number in numbers[HELD_OUT_SHORT : HELD_OUT_SHORT + TRAINING_SHORT]
    ]
    return Split(training, sorted(held_out), sorted(rounds[:HELD_OUT_SHORT]), sorted(tails[:HELD_OUT_SHORT]))
