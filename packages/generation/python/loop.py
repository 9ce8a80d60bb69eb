"""Continuous batching: rows join and leave between two steps of the model."""

import copy
import queue
import threading

import numpy as np
from decoding import NothingFollows
from sessions import Decoder


class Loop:
    """A thread that runs all rows. A row has a `search`; the loop calls its `add`, `fail` and `is_wanted`."""

    def __init__(self, open_decoder):
        self.open_decoder = open_decoder
        self.arrivals = queue.SimpleQueue()  # rows; None ends the loop
        self.arrived = []  # rows whose first step has not run
        self.batches = []
        self.thread = threading.Thread(target=self.run, name="generate", daemon=True)
        self.thread.start()

    def add(self, row):
        self.arrivals.put(row)

    def close(self):
        """Ends the loop after its current step; rows that have not ended fail."""
        self.arrivals.put(None)
        self.thread.join()

    def run(self):
        while self.wait():
            try:
                self.step()
            except Exception as error:  # such as out of memory: only these rows fail
                self.fail(error)
        while not self.arrivals.empty():
            self.arrived.append(self.arrivals.get())
        self.fail(RuntimeError("the model is being unloaded"))

    def wait(self):
        """Takes the rows that arrived during the last step, or waits for one if no row is running; returns false at the end."""
        is_idle = not self.batches
        while is_idle or not self.arrivals.empty():
            row = self.arrivals.get()
            if row is None:
                return False
            self.arrived.append(row)
            is_idle = False
        return True

    def step(self):
        """Generates one token for each row. Running rows continue; new rows start and join them."""
        stepped = [alone for batch in self.batches for alone in batch.step()]
        for rows in self.starting():
            stepped += self.start(rows)
        merged = {}
        for batch in stepped:
            if batch.rows:
                first = merged.setdefault(batch.decoder.place(), batch)
                if first is not batch:
                    first.join(batch)
        self.batches, self.arrived = list(merged.values()), []

    def starting(self):
        """The new rows that start together: all of them, or those of one length if the model treats padding as tokens."""
        groups = {}
        for row in self.arrived:
            if row.is_wanted():
                key = 0 if self.open_decoder().exported["padded"] else len(row.search.prompt)
                groups.setdefault(key, []).append(row)
        return list(groups.values())

    def start(self, rows):
        """Runs the first step of rows. If it fails, each row starts alone, so that no row fails because of another."""
        decoder = self.open_decoder()
        try:
            logits = decoder.start([row.search.prompt for row in rows])
        except Exception as error:
            if len(rows) > 1:
                return [batch for row in rows for batch in self.start([row])]
            rows[0].fail(error)
            return []
        batch = Batch(decoder, rows)
        batch.take(logits)
        return [batch]

    def fail(self, error):
        """Fails the rows of a step. Those that arrive during the step, and the end of the loop, are left for later."""
        unstarted = [row for row in self.arrived if row.is_wanted()]
        for row in [*unstarted, *(row for batch in self.batches for row in batch.rows)]:
            row.fail(error)
        self.arrived, self.batches = [], []


class Batch:
    """Rows that run together, in the decoder's order."""

    def __init__(self, decoder, rows):
        self.decoder, self.rows = decoder, rows
        self.tokens = []  # the token from which each row continues

    def step(self):
        """Generates one more token for each row. Returns the resulting batches: several if the step fails for some rows."""
        self.keep([place for place, row in enumerate(self.rows) if row.is_wanted()])
        if not self.rows:
            return []
        try:
            logits = self.decoder.advance(list(range(len(self.rows))), self.tokens)
        except Exception as error:
            if len(self.rows) > 1:
                return [alone for part in self.parts() for alone in part.step()]
            self.rows[0].fail(error)
            return []
        self.take(logits)
        return [self]

    def take(self, logits):
        """Chooses the next token of each row. Rows that end leave the batch."""
        self.tokens, going = [], []
        for place, row in enumerate(self.rows):
            try:
                following = row.search.advance(logits[place : place + 1])
            except NothingFollows as error:
                row.fail(error)
                following = []
            else:
                row.add(row.search.ids[-1], is_last=not following)
            self.tokens.append(row.search.ids[-1])
            if following:
                going.append(place)
        self.keep(going)

    def keep(self, places):
        if len(places) < len(self.rows):
            self.decoder.select(places)
            self.rows = [self.rows[place] for place in places]
            self.tokens = [self.tokens[place] for place in places]

    def parts(self):
        """Runs each row alone."""
        for place, row in enumerate(self.rows):
            part = Batch(self.decoder.pick(place), [row])
            part.tokens = [self.tokens[place]]
            yield part

    def join(self, other):
        self.decoder.join(other.decoder)
        self.rows += other.rows
        self.tokens += other.tokens


class JoiningDecoder(Decoder):
    """A decoder that other decoders can join."""

    def __init__(self, exported, sessions, pad):
        super().__init__(exported, sessions, pad)
        self.steps = 0
        self.is_encoded = "encoder" in exported
        self.axes = {cache["past"]: cache["axis"] for cache in exported["caches"]}  # the axis of the tokens

    def place(self):
        """The position of the cache. Only decoders at the same position can join: a model without a cache mask mistakes padding for tokens."""
        if self.is_encoded:
            return self.steps
        return 0 if self.exported["padded"] else self.mask.shape[1]

    def run(self, part, ids):
        logits = super().run(part, ids)
        self.steps += 1
        return logits

    def advance(self, parents, tokens):
        mask = self.mask
        try:
            return super().advance(parents, tokens)
        except Exception:
            self.mask = mask
            raise

    def select(self, parents):
        """Selects rows. Removes positions of the cache that are padding in all of them."""
        super().select(parents)
        unused = 0 if self.mask is None or not parents else int(self.mask.any(axis=0).argmax())
        if unused > 0:
            self.mask = self.mask[:, unused:]
            for name, tensor in self.tensors.items():
                self.tensors[name] = np.delete(tensor, np.s_[:unused], self.axes[name])

    def pick(self, row):
        """A decoder that continues this row."""
        picked = copy.copy(self)
        picked.tensors = dict(self.tensors)
        picked.select([row])
        return picked

    def join(self, other):
        """Adds the rows of another decoder after its own."""
        rows = list(range(self.rows)), list(range(other.rows))
        self.select(rows[0])
        other.select(rows[1])
        for name in self.tensors:
            both = self.tensors[name], other.tensors[name]
            self.tensors[name] = stacked(*both, self.axes.get(name, 1), self.is_encoded)
        if self.mask is not None:
            self.mask = stacked(self.mask, other.mask, 1, at_end=False)
        self.rows += other.rows
        self.prompts = list(range(self.rows))


def stacked(first, second, axis, at_end):
    """The rows of both arrays; along `axis`, zeros are added to the smaller one, at its end or its start."""
    size = max(first.shape[axis], second.shape[axis])
    return np.concatenate([widened(array, size, axis, at_end) for array in (first, second)])


def widened(array, size, axis, at_end):
    missing = size - array.shape[axis]
    if missing == 0:
        return array
    widths = [(0, 0)] * array.ndim
    widths[axis] = (0, missing) if at_end else (missing, 0)
    return np.pad(array, widths)
