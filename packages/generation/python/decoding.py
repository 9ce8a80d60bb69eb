"""Chooses the next tokens: rules on scores, greedy search, sampling and beam search. Works on lists and numbers, without a model.

The rules and their order are those of Hugging Face `transformers`, `GenerationMixin.generate`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

NEVER = -np.inf
MASK = (1 << 64) - 1


@dataclass
class Settings:
    """The settings of one row."""

    max_new_tokens: int
    min_new_tokens: int = 0
    eos_token_id: list = field(default_factory=list)
    forced_bos_token_id: int | None = None
    forced_eos_token_id: int | None = None
    suppress_tokens: list = field(default_factory=list)
    repetition_penalty: float = 1.0
    renormalize_logits: bool = False
    no_repeat_ngram_size: int = 0
    kind: str = "greedy"  # "sample", "beam"
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0
    row: int = 0
    num_beams: int = 1
    length_penalty: float = 1.0
    early_stopping: bool | str = False  # or "never"
    num_return_sequences: int = 1


class NothingFollows(ValueError):
    """The rules forbid every token, or the model's scores are not numbers. Only that row fails."""


def generate(decoder, rows, is_wanted, fail):
    """Runs the searches of `rows`, pairs of (search, owner), together: each decoder step advances all running searches.

    Before every step, `is_wanted` is called once for each owner; rows that end leave the batch. If no token can follow
    in a row, `fail` is called with the row's owner, and `is_wanted` is not called for that owner again.
    """
    failed = set()
    live = [(search, owner, [(row, None)]) for row, (search, owner) in enumerate(wanted(rows, is_wanted))]
    if not live:
        return
    logits = decoder.start([search.prompt for search, _, _ in live])
    while True:
        going, at = [], 0
        for search, owner, places in live:
            try:
                following = search.advance(logits[at : at + len(places)])
            except NothingFollows as error:
                following = []
                if id(owner) not in failed:
                    fail(owner, error)
                failed.add(id(owner))
            if following:
                going.append((search, owner, [(at + parent, token) for parent, token in following]))
            at += len(places)
        live = wanted([row for row in going if id(row[1]) not in failed], is_wanted)
        if not live:
            return
        places = [place for _, _, own in live for place in own]
        logits = decoder.advance([parent for parent, _ in places], [token for _, token in places])


def wanted(rows, is_wanted):
    owners = {id(row[1]): row[1] for row in rows}
    kept = {key for key, owner in owners.items() if is_wanted(owner)}
    return [row for row in rows if id(row[1]) in kept]


def open_search(prompt, ids, settings):
    """A search for one row. `prompt`: the ids that the decoder starts from; `ids`: the ids that the rules see before the first token."""
    kind = BeamSearch if settings.kind == "beam" else SingleSearch
    return kind(prompt, ids, settings)


class SingleSearch:
    """Generates one sequence, of the best tokens or of randomly drawn tokens."""

    def __init__(self, prompt, ids, settings):
        self.prompt, self.settings = prompt, settings
        self.ids, self.before = list(ids), len(ids)

    def advance(self, logits):
        """Takes the scores [1, vocabulary] of the next token; returns (parent row, token) for each continuation, or nothing."""
        settings, made = self.settings, len(self.ids) - self.before
        scores = apply_rules(logits[0].astype(np.float64), self.ids, made, settings)
        token = draw(scores, settings, made) if settings.kind == "sample" else best_token(scores)
        self.ids.append(token)
        ended = token in settings.eos_token_id or made + 1 >= settings.max_new_tokens
        return [] if ended else [(0, token)]

    def results(self):
        """(new tokens, score), best first."""
        return [(self.ids[self.before :], 0.0)]


class BeamSearch:
    """The `beams` best sequences at each step, ranked by the sum of their tokens' log probabilities."""

    def __init__(self, prompt, ids, settings):
        self.prompt, self.settings, self.before = prompt, settings, len(ids)
        self.beams = [list(ids)]
        # Before the first token all beams are identical, so only the first one is used.
        self.sums = [0.0] + [-1e9] * (settings.num_beams - 1)
        self.finished = []  # (score, tokens)
        self.worst = 1e9
        self.done = False

    def advance(self, logits):
        settings = self.settings
        made = len(self.beams[0]) - self.before
        scores = [self.score(row.astype(np.float64), ids, made) for row, ids in zip(logits, self.beams)]
        first = len(scores) < settings.num_beams
        rows = [0] * settings.num_beams if first else range(settings.num_beams)
        sums = np.concatenate([scores[row] + total for row, total in zip(rows, self.sums)])
        size = logits.shape[1]
        best = best_candidates(sums, max(2, 1 + len(settings.eos_token_id)) * settings.num_beams)
        refuse_nothing(sums[best].max())
        following = []
        for rank, candidate in enumerate(best):
            parent, token = rows[candidate // size], int(candidate % size)
            if token not in settings.eos_token_id:
                following.append((parent, token, float(sums[candidate])))
            elif rank < settings.num_beams:
                self.finish(self.beams[parent], float(sums[candidate]), made + 1)
            if len(following) == settings.num_beams:
                break
        made += 1
        self.done = self.cannot_improve(float(sums[best[0]]), made)
        self.beams = [self.beams[parent] + [token] for parent, token, _ in following]
        self.sums = [total for _, _, total in following]
        if self.done or made >= settings.max_new_tokens:
            return []
        return [(parent, token) for parent, token, _ in following]

    def score(self, logits, ids, made):
        scores = apply_rules(log_softmax(logits), ids, made, self.settings)
        return log_softmax(scores) if self.settings.renormalize_logits else scores

    def finish(self, ids, total, made):
        """Adds a finished hypothesis if it is among the best."""
        score = total / made**self.settings.length_penalty
        if len(self.finished) >= self.settings.num_beams and score <= self.worst:
            return
        self.finished.append((score, ids))
        if len(self.finished) > self.settings.num_beams:
            ranked = sorted((kept, index) for index, (kept, _) in enumerate(self.finished))
            del self.finished[ranked[0][1]]
            self.worst = ranked[1][0]
        else:
            self.worst = min(score, self.worst)

    def cannot_improve(self, best, made):
        settings = self.settings
        if len(self.finished) < settings.num_beams:
            return False
        if settings.early_stopping is True:
            return True
        if settings.early_stopping == "never" and settings.length_penalty > 0:
            made = settings.max_new_tokens
        return self.worst >= best / made**settings.length_penalty

    def results(self):
        if not self.done:
            for ids, total in zip(self.beams, self.sums):
                self.finish(ids, total, len(ids) - self.before)
        ranked = sorted(self.finished, key=lambda kept: kept[0])[::-1]
        return [(self.ended(ids[self.before :]), score) for score, ids in ranked[: self.settings.num_return_sequences]]

    def ended(self, tokens):
        """The tokens of a hypothesis with its end token, which is not stored. A hypothesis of the maximum length has none."""
        short = len(tokens) < self.settings.max_new_tokens
        return tokens + self.settings.eos_token_id[:1] if short else tokens


def apply_rules(scores, ids, made, settings):
    """Changes scores [vocabulary] according to what the settings forbid or force, given all tokens so far, of which `made` are new."""
    if settings.repetition_penalty != 1.0:
        seen = np.unique(ids)
        values = scores[seen]
        penalty = settings.repetition_penalty
        scores[seen] = np.where(values < 0, values * penalty, values / penalty)
    if settings.no_repeat_ngram_size > 0:
        scores[repeating_tokens(ids, settings.no_repeat_ngram_size)] = NEVER
    if settings.suppress_tokens:
        scores[settings.suppress_tokens] = NEVER
    if made < settings.min_new_tokens:
        scores[settings.eos_token_id] = NEVER
    if made == settings.max_new_tokens - 1 and settings.forced_eos_token_id is not None:
        return only(settings.forced_eos_token_id, scores)
    if made == 0 and settings.forced_bos_token_id is not None:
        return only(settings.forced_bos_token_id, scores)
    return scores


def only(token, scores):
    forced = np.full_like(scores, NEVER)
    forced[token] = 0.0
    return forced


def repeating_tokens(ids, size):
    """Tokens that would complete a run of `size` tokens that has already occurred."""
    last = ids[len(ids) - size + 1 :] if size > 1 else []
    if len(last) < size - 1:
        return []
    return [ids[at + size - 1] for at in range(len(ids) - size + 1) if ids[at : at + size - 1] == last]


def refuse_nothing(best):
    """Raises an error if the best score is that of a forbidden token, or not a number."""
    if not best > NEVER:
        raise NothingFollows("no token can follow: the rules forbid all of them, or the model's scores are not numbers")


def best_candidates(scores, count):
    """Indices of the `count` largest values, largest first; the first one on a tie."""
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        indices = np.flatnonzero(scores >= least)
    else:
        indices = np.arange(len(scores))
    return indices[np.argsort(-scores[indices], kind="stable")][:count]


def log_softmax(scores):
    best = scores.max()
    refuse_nothing(best)
    shifted = scores - best
    return shifted - np.log(np.exp(shifted).sum())


def best_token(scores):
    token = int(scores.argmax())
    refuse_nothing(scores[token])
    return token


def draw(scores, settings, made):
    """A token drawn by its probability; the same for the same seed, row and position, whatever else runs."""
    refuse_nothing(scores.max())
    scores = scores / settings.temperature
    if 0 < settings.top_k < len(scores):
        least = np.partition(scores, len(scores) - settings.top_k)[len(scores) - settings.top_k]
        scores = np.where(scores < least, NEVER, scores)
    tokens = np.flatnonzero(scores > NEVER)
    if settings.top_p < 1:
        rising = tokens[np.argsort(scores[tokens], kind="stable")]
        sums = np.cumsum(exp(scores[rising] - scores[rising[-1]]))
        kept = sums > (1 - settings.top_p) * sums[-1]
        kept[-1] = True
        tokens = np.sort(rising[kept])
    # `cumsum` adds numbers one by one, `sum` does not.
    sums = np.cumsum(exp(scores[tokens] - scores[tokens].max()))
    place = np.searchsorted(sums, uniform(settings.seed, settings.row, made) * sums[-1], side="right")
    return int(tokens[min(int(place), len(tokens) - 1)])


# Coefficients of e^r for |r| <= ln 2 / 2: 1/13!, …, 1/1!, 1.
FACTORIALS = [1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800, 479001600, 6227020800]
SERIES = [1 / factorial for factorial in reversed(FACTORIALS)]


def exp(values):
    """e to the power of values of at most 0, with operations that IEEE 754 rounds identically everywhere."""
    values = np.maximum(values, -700.0)
    power = np.floor(values * 1.4426950408889634 + 0.5)
    rest = (values - power * 0.6931471803691238) - power * 1.9082149292705877e-10
    result = np.full_like(values, SERIES[0])
    for coefficient in SERIES[1:]:
        result = result * rest + coefficient
    return np.ldexp(result, power.astype(np.int64))


def uniform(seed, row, made):
    """A number in [0, 1), computed from its position with SplitMix64's mixing function."""
    mixed = mix(mix(mix(seed & MASK) + row & MASK) + made & MASK)
    return (mixed >> 11) / (1 << 53)


def mix(value):
    value = value + 0x9E3779B97F4A7C15 & MASK
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31
