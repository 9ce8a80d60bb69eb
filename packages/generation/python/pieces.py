"""Tokens to text, piece by piece."""

UNFINISHED = "\ufffd"  # the text that a decoder returns for bytes that do not form a character yet
CLEANED = 8  # number of characters at the end of a text that clean-up may still change when more text follows


class Pieces:
    """The text of a row. Its pieces are whole characters and never contain the start of a stop string."""

    def __init__(self, tokenizer, options, stop):
        self.tokenizer, self.options, self.stop = tokenizer, options, stop
        self.ids = []  # the tokens of the last whole characters, and the tokens after them
        self.known = 0  # number of these characters that are in the text
        self.before = ""  # their text
        self.raw = ""  # all whole characters so far
        self.given = 0  # number of characters that were emitted
        self.is_stopped = False

    def add(self, token):
        """Takes the next token; returns whether a stop string has occurred."""
        if token == self.options["padId"]:
            return False
        if self.tokenizer.id_to_token(token) is None:
            size = self.tokenizer.get_vocab_size()
            raise ValueError(f"the model generated id {token}, which is not one of the {size} tokens of tokenizer.json")
        self.ids.append(token)
        text = self.decode(self.ids)
        if text.startswith(self.before) and not text.endswith(UNFINISHED):
            self.grow(text)
        return self.is_stopped

    def end(self):
        """Ends the text. Bytes that do not form a character by now never will."""
        self.grow(self.decode(self.ids))

    def take(self, is_last):
        """The text since the previous call that can no longer change."""
        text = self.text()
        end = len(text) if is_last or self.is_stopped else max(self.given, len(text) - self.held(text))
        piece = text[self.given : end]
        self.given += len(piece)
        return piece

    def grow(self, text):
        if len(text) > len(self.before):
            self.raw += text[len(self.before) :]
            self.ids = self.ids[self.known :]
            self.known, self.before = len(self.ids), self.decode(self.ids)
            self.is_stopped = self.stopped_at(self.cleaned()) is not None

    def decode(self, ids):
        return self.tokenizer.decode(ids, skip_special_tokens=self.options["skipSpecialTokens"])

    def text(self):
        text = self.cleaned()
        return text[: self.stopped_at(text)]

    def cleaned(self):
        text = self.raw
        for part, replacement in self.options["cleanUp"]:
            text = text.replace(part, replacement)
        return text

    def stopped_at(self, text):
        """Where the first stop string begins."""
        found = [at for at in (text.find(stop, self.given) for stop in self.stop) if at >= 0]
        return min(found, default=None)

    def held(self, text):
        """How many characters at the end may still change or become a stop string."""
        starts = (size for stop in self.stop for size in range(1, len(stop)) if text.endswith(stop[:size]))
        return max(CLEANED if self.options["cleanUp"] else 0, max(starts, default=0))
