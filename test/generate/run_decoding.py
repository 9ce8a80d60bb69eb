"""Runs the emitted Python's searches with an artificial decoder. Reads cases as JSON from stdin, and prints the results as JSON."""

import json
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
from decoding import MASK, Settings, generate, mix, open_search  # noqa: E402


class MadeUpDecoder:
    """A decoder whose scores depend on all tokens so far and are exact in float32."""

    def __init__(self, vocabulary):
        self.vocabulary = vocabulary

    def start(self, prompts):
        self.rows = [list(prompt) for prompt in prompts]
        return self.scores()

    def advance(self, parents, tokens):
        self.rows = [[*self.rows[parent], token] for parent, token in zip(parents, tokens)]
        return self.scores()

    def scores(self):
        return np.array([self.row_scores(row) for row in self.rows], np.float32)

    def row_scores(self, row):
        state = 0
        for token in row:
            state = mix(state + token & MASK)
        return [(mix(state + token & MASK) >> 52) / 512 - 4 for token in range(self.vocabulary)]


def run(case):
    rows = []
    for row, given in enumerate(case["rows"]):
        settings = Settings(row=row, **{**given["settings"], "seed": int(given["settings"]["seed"])})
        rows.append((open_search(given["prompt"], given["ids"], settings), row))
    calls = {}

    def is_wanted(row):
        calls[row] = calls.get(row, 0) + 1
        return calls[row] <= case["rows"][row]["patience"]

    failed = set()
    generate(MadeUpDecoder(case["vocabulary"]), rows, is_wanted, lambda row, error: failed.add(row))
    return [
        None if row in failed or calls[row] > case["rows"][row]["patience"] else search.results()
        for search, row in rows
    ]


json.dump([run(case) for case in json.load(sys.stdin)], sys.stdout)
