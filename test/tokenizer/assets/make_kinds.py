"""Makes a small tokenizer for each kind and option that a tokenizer.json can have: `python make_kinds.py` with PyPI tokenizers 0.23.2
rewrites kinds.json next to it, with seven complete files and, for the others, the parts that differ from one of these.

`pieces` has a token for each byte, so that ids show every character, and merges across spaces, digits and punctuation,
so that they show every split.
"""

import base64
import json
import struct
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = """
The quick brown fox jumps over the lazy dog, while the cat sleeps in the warm sun. The sun sets.
It isn't here, and they're sure we've lost it: I'm late, she said; they're late.
Der Zug nach München fährt heute um 10:45 Uhr von Gleis 7 ab. Où est la boulangerie ?
мы встретимся завтра вечером. 我们明天早上八点见。 東京は日本の首都です。
1234567890 1234 90 !?.,;:()[]{}<>@#$%^&*-_=+ "quoted" 'text' a|b|c one|two
thethe thethe 3434 3434 1 a1 b2 1 a1 b2 1 a !! ?! !! ?! ... ... -- --
a  b  ,,  b  a  x y z ▁a▁b a▁b aĠb .Ġa Ġ. a. b. c, d, ab12 ab12 ab. ab,
""".strip().splitlines()

BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
SPECIAL = ["<pad>", "<unk>", "<s>", "</s>"]


def trained(model, trainer, pre_tokenizer=None):
    tokenizer = Tokenizer(model)
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.train_from_iterator(CORPUS, trainer)
    made = json.loads(tokenizer.to_str())["model"]
    return {"vocab": made["vocab"]} | ({"merges": made["merges"]} if "merges" in made else {})


def pieces():
    """The bytes, the corpus' characters, and every pair of adjacent characters. Pairs of different kinds merge first."""
    kinds = [str.isspace, str.isdigit, str.isupper, str.isalpha, lambda char: char in "▁Ġ"]
    of = lambda char: next((at for at, is_kind in enumerate(kinds) if is_kind(char)), -1)  # noqa: E731
    pairs = {(a, b) for line in CORPUS for a, b in zip(line, line[1:])}
    merges = sorted(pairs, key=lambda pair: (of(pair[0]) == of(pair[1]), pair))
    # No merge produces the last one, so it is a token only where whole words are looked up.
    tokens = SPECIAL + BYTES + sorted(set("".join(CORPUS))) + [a + b for a, b in merges] + ["hello"]
    return {"vocab": {token: id for id, token in enumerate(tokens)}, "merges": [list(pair) for pair in merges]}


def unigram():
    """Every letter of the corpus, and frequent pairs and triples of letters, with scores by frequency."""
    text = "▁" + "▁".join(" ".join(CORPUS).split())
    counts = {}
    for size in (1, 2, 3):
        for at in range(len(text) - size + 1):
            piece = text[at : at + size]
            if "▁" in piece[1:]:
                continue
            counts[piece] = counts.get(piece, 0) + 1
    pieces = sorted(piece for piece, count in counts.items() if len(piece) == 1 or count >= 5)
    scored = [[piece, round(-9 + min(counts[piece], 40) / 10 + len(piece), 4)] for piece in pieces]
    return {"vocab": [[name, 0.0] for name in SPECIAL] + [[name, -14.0] for name in BYTES] + scored}


def subwords(merges, prefix, suffix=""):
    """BPE with affixes. Pairs with the same count are in alphabetical order, because the library's trainer orders them randomly."""
    words = {}
    for word, _ in (cut for line in CORPUS for cut in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(line)):
        parts = [(prefix if at else "") + char for at, char in enumerate(word)]
        words.setdefault(word, [0, parts[:-1] + [parts[-1] + suffix]])[0] += 1
    vocab = SPECIAL + sorted({part for _, parts in words.values() for part in parts})
    made = []
    for _ in range(merges):
        counts = {}
        for count, parts in words.values():
            for pair in zip(parts, parts[1:]):
                counts[pair] = counts.get(pair, 0) + count
        first, second = min(counts, key=lambda pair: (-counts[pair], pair))
        whole = first + second.removeprefix(prefix)
        made.append([first, second])
        vocab.append(whole)
        for entry in words.values():
            parts, at = entry[1], 0
            while at < len(parts) - 1:
                if (parts[at], parts[at + 1]) == (first, second):
                    parts[at : at + 2] = [whole]
                at += 1
    return {"vocab": {token: id for id, token in enumerate(dict.fromkeys(vocab))}, "merges": made}


def train(trainer, **options):
    return getattr(trainers, trainer)(special_tokens=SPECIAL, show_progress=False, **options)


VOCABULARIES = {
    "pieces": pieces(),
    "bytes": trained(
        models.BPE(),
        train("BpeTrainer", vocab_size=330, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()),
        pre_tokenizers.ByteLevel(),
    ),
    "affixes": subwords(60, "##", "</w>"),
    "suffixes": subwords(60, "", "</w>"),
    "wordpiece": {"vocab": subwords(60, "##")["vocab"]},
    "words": trained(models.WordLevel(), train("WordLevelTrainer"), pre_tokenizers.Whitespace()),
    "unigram": unigram(),
}

BASES, KINDS = {}, {}


def kind(name, tokenizer, base):
    """Adds a tokenizer as the difference between its file and its base, the first one with its name."""
    file = json.loads(tokenizer.to_str())
    base_file = BASES.setdefault(base, file)
    different = {part: value for part, value in file.items() if value != base_file[part]}
    if "model" in different:
        different["model"] = {it: value for it, value in file["model"].items() if value != base_file["model"].get(it)}
    if "added_tokens" in different:
        different["added_tokens"] = file["added_tokens"][len(base_file["added_tokens"]) :]
    if name in KINDS:
        raise ValueError(f"{name} stands twice")
    KINDS[name] = {"base": base} | different


def bpe(vocabulary="pieces", **options):
    made = VOCABULARIES[vocabulary]
    options = {"unk_token": "<unk>", "byte_fallback": vocabulary == "pieces"} | options
    merges = [tuple(pair) for pair in made["merges"]]
    tokenizer = Tokenizer(models.BPE(vocab=made["vocab"], merges=merges, **options))
    tokenizer.add_special_tokens(SPECIAL)
    return tokenizer


def other(model, vocabulary, **options):
    tokenizer = Tokenizer(model(VOCABULARIES[vocabulary]["vocab"], **options))
    tokenizer.add_special_tokens(SPECIAL)
    return tokenizer


def unigram_model(**options):
    vocab = [tuple(piece) for piece in VOCABULARIES["unigram"]["vocab"]]
    tokenizer = Tokenizer(models.Unigram(vocab, unk_id=1, **options))
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


def with_part(part, value, tokenizer=None):
    tokenizer = tokenizer or bpe()
    if value is not None:
        setattr(tokenizer, part, value)
    return tokenizer


def charsmap(rules):
    """A map as compiled by SentencePiece: a double-array trie of the characters' bytes, and the replacements."""
    blob, leaves = b"", {}
    for source, target in sorted(rules.items()):
        leaves[source.encode("utf-8")] = len(blob)
        blob += target.encode("utf-8") + b"\0"
    units, used = [0] * 4096, {0}

    def place(prefix, at):
        labels = sorted({key[len(prefix)] if len(key) > len(prefix) else 0 for key in leaves if key.startswith(prefix)})
        base = next(base for base in range(1, 3000) if all(base ^ label not in used for label in labels))
        offset = base ^ at
        units[at] |= offset << 10 if offset < 1 << 21 else offset << 2 | 1 << 9
        used.update(base ^ label for label in labels)
        for label in labels:
            if label == 0:
                units[at] |= 1 << 8
                units[base] = leaves[prefix] | 1 << 31
            else:
                units[base ^ label] |= label
                place(prefix + bytes([label]), base ^ label)

    place(b"", 0)
    units = units[: max(used) // 256 * 256 + 256]
    return struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + blob


MODELS = {
    "pieces": bpe,
    "bytes": lambda: bpe("bytes", unk_token=None),
    "affixes": lambda: bpe("affixes", continuing_subword_prefix="##", end_of_word_suffix="</w>"),
    "suffixes": lambda: bpe("suffixes", end_of_word_suffix="</w>"),
    "wordpiece": lambda: other(models.WordPiece, "wordpiece", unk_token="<unk>"),
    "words": lambda: other(models.WordLevel, "words", unk_token="<unk>"),
    "unigram": unigram_model,
}
for base, make in MODELS.items():
    BASES[base] = json.loads(make().to_str())

RULES = {"ﬁ": "fi", "Å": "A\u030a", "½": "1⁄2", "\u3000": " ", "\t": " ", "ｶ": "カ", "①": "1", "\u200b": ""}

NORMALIZERS = {
    "none": None,
    "NFC": normalizers.NFC(),
    "NFD": normalizers.NFD(),
    "NFKC": normalizers.NFKC(),
    "NFKD": normalizers.NFKD(),
    "Nmt": normalizers.Nmt(),
    "Lowercase": normalizers.Lowercase(),
    "Strip": normalizers.Strip(),
    "Strip, left": normalizers.Strip(left=True, right=False),
    "Strip, right": normalizers.Strip(left=False, right=True),
    "StripAccents": normalizers.StripAccents(),
    "StripAccents of NFD": normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()]),
    "Replace, string": normalizers.Replace("e", "3€"),
    "Replace, string by nothing": normalizers.Replace(" ", ""),
    "Replace, regex": normalizers.Replace(Regex(r"(?<=\w)[\p{P}\s]+(?=\w)"), "_"),
    "Prepend": normalizers.Prepend("▁"),
    "BertNormalizer": normalizers.BertNormalizer(),
    "BertNormalizer, accents kept": normalizers.BertNormalizer(strip_accents=False),
    "BertNormalizer, case kept": normalizers.BertNormalizer(lowercase=False),
    "BertNormalizer, only accents": normalizers.BertNormalizer(False, False, True, False),
    "BertNormalizer, only controls": normalizers.BertNormalizer(True, False, False, False),
    "BertNormalizer, only Chinese": normalizers.BertNormalizer(False, True, False, False),
    "ByteLevel": normalizers.ByteLevel(),
    "Precompiled": normalizers.Precompiled(charsmap(RULES)),
    "Sequence": normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Lowercase(), normalizers.Replace("ß", "ss"), normalizers.Prepend("_")]
    ),
    "Sequence of none": normalizers.Sequence([]),
}
for name, part in NORMALIZERS.items():
    kind(f"normalizer {name}", with_part("normalizer", part), "pieces")

BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
PRE_TOKENIZERS = {
    "BertPreTokenizer": pre_tokenizers.BertPreTokenizer(),
    "ByteLevel": pre_tokenizers.ByteLevel(),
    "ByteLevel, no space in front": pre_tokenizers.ByteLevel(add_prefix_space=False),
    "ByteLevel, no regex": pre_tokenizers.ByteLevel(use_regex=False),
    "Metaspace, always": pre_tokenizers.Metaspace(),
    "Metaspace, first": pre_tokenizers.Metaspace(prepend_scheme="first"),
    "Metaspace, never": pre_tokenizers.Metaspace(prepend_scheme="never"),
    "Metaspace, always, not split": pre_tokenizers.Metaspace(split=False),
    "Metaspace, never, other mark": pre_tokenizers.Metaspace(replacement="_", prepend_scheme="never"),
    "Whitespace": pre_tokenizers.Whitespace(),
    "WhitespaceSplit": pre_tokenizers.WhitespaceSplit(),
    "Digits": pre_tokenizers.Digits(),
    "Digits, each": pre_tokenizers.Digits(individual_digits=True),
    "CharDelimiterSplit": pre_tokenizers.CharDelimiterSplit("|"),
    "UnicodeScripts": pre_tokenizers.UnicodeScripts(),
    "FixedLength": pre_tokenizers.FixedLength(3),
    "Sequence": pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.Metaspace(prepend_scheme="never"),
        ]
    ),
    "Sequence of none": pre_tokenizers.Sequence([]),
}
for behavior in BEHAVIORS:
    PRE_TOKENIZERS[f"Punctuation, {behavior}"] = pre_tokenizers.Punctuation(behavior)
    PRE_TOKENIZERS[f"Split, string, {behavior}"] = pre_tokenizers.Split(" ", behavior)
    PRE_TOKENIZERS[f"Split, regex, {behavior}"] = pre_tokenizers.Split(Regex(r"[\p{L}&&[^e]]+|(?<=\d)\s"), behavior)
    PRE_TOKENIZERS[f"Split, regex, inverted, {behavior}"] = pre_tokenizers.Split(Regex(r"\p{L}+|\p{N}{1,3}"), behavior, True)
for name, part in PRE_TOKENIZERS.items():
    kind(f"pre-tokenizer {name}", with_part("pre_tokenizer", part), "pieces")

BPE = {
    "byte fallback": {},
    "no byte fallback": {"byte_fallback": False},
    "fused unknowns": {"byte_fallback": False, "fuse_unk": True},
    "no unknown token": {"byte_fallback": False, "unk_token": None},
    "merges ignored for whole words": {"ignore_merges": True},
}
for name, options in BPE.items():
    kind(f"model BPE, {name}", with_part("pre_tokenizer", pre_tokenizers.Whitespace(), bpe(**options)), "pieces")
for vocabulary in ("affixes", "suffixes"):
    made = with_part("pre_tokenizer", pre_tokenizers.BertPreTokenizer(), MODELS[vocabulary]())
    kind(f"model BPE, {vocabulary}", made, vocabulary)
kind("model BPE, bytes", with_part("pre_tokenizer", pre_tokenizers.ByteLevel(), bpe("bytes", unk_token=None)), "bytes")
for name, options in {"": {}, ", short words": {"max_input_chars_per_word": 6}}.items():
    made = other(models.WordPiece, "wordpiece", unk_token="<unk>", **options)
    kind(f"model WordPiece{name}", with_part("pre_tokenizer", pre_tokenizers.BertPreTokenizer(), made), "wordpiece")
words = other(models.WordLevel, "words", unk_token="<unk>")
kind("model WordLevel", with_part("pre_tokenizer", pre_tokenizers.Whitespace(), words), "words")
kind("model Unigram", unigram_model(), "unigram")
kind("model Unigram, byte fallback", unigram_model(byte_fallback=True), "unigram")

BEGIN, END = ("<s>", 2), ("</s>", 3)
TEMPLATE = processors.TemplateProcessing("<s> $A </s>", "<s> $A </s>:4 $B:1 </s>:1", [BEGIN, END])
PROCESSORS = {
    "BertProcessing": processors.BertProcessing(END, BEGIN),
    "RobertaProcessing": processors.RobertaProcessing(END, BEGIN),
    "RobertaProcessing, offsets not trimmed": processors.RobertaProcessing(END, BEGIN, trim_offsets=False),
    "RobertaProcessing, no space in front": processors.RobertaProcessing(END, BEGIN, add_prefix_space=False),
    "TemplateProcessing": TEMPLATE,
    "TemplateProcessing, second text first": processors.TemplateProcessing("$A:2 </s>:5", "$B:1 </s> $A:3", [END]),
    "TemplateProcessing, two tokens in one": processors.TemplateProcessing(
        "$A pair", "$A pair $B pair:1", [{"id": "pair", "ids": [3, 2], "tokens": ["</s>", "<s>"]}]
    ),
    "ByteLevel": processors.ByteLevel(),
    "ByteLevel, offsets not trimmed": processors.ByteLevel(trim_offsets=False),
    "ByteLevel, no space in front": processors.ByteLevel(add_prefix_space=False),
    "Sequence": processors.Sequence([processors.ByteLevel(), TEMPLATE]),
    "Sequence, offsets not trimmed": processors.Sequence([processors.ByteLevel(trim_offsets=False), TEMPLATE]),
    "Sequence of none": processors.Sequence([]),
}
for name, part in PROCESSORS.items():
    made = with_part("pre_tokenizer", pre_tokenizers.ByteLevel(), bpe("bytes", unk_token=None))
    kind(f"post-processor {name}", with_part("post_processor", part, made), "bytes")

DECODERS = {
    "none": ("pieces", None),
    "ByteLevel": ("bytes", decoders.ByteLevel()),
    "WordPiece": ("wordpiece", decoders.WordPiece()),
    "WordPiece, not cleaned up": ("wordpiece", decoders.WordPiece(cleanup=False)),
    "WordPiece, other prefix": ("affixes", decoders.WordPiece(prefix="e", cleanup=False)),
    "Metaspace, always": ("unigram", decoders.Metaspace()),
    "Metaspace, first": ("unigram", decoders.Metaspace(prepend_scheme="first")),
    "Metaspace, never": ("unigram", decoders.Metaspace(prepend_scheme="never")),
    "BPEDecoder": ("affixes", decoders.BPEDecoder()),
    "BPEDecoder, other suffix": ("affixes", decoders.BPEDecoder(suffix="e")),
    "CTC": ("pieces", decoders.CTC(pad_token="<s>", word_delimiter_token="|")),
    "CTC, not cleaned up": ("pieces", decoders.CTC(pad_token="<s>", word_delimiter_token="e", cleanup=False)),
    "ByteFallback": ("pieces", decoders.ByteFallback()),
    "Fuse": ("pieces", decoders.Fuse()),
    "Strip, left": ("pieces", decoders.Strip(" ", 2, 0)),
    "Replace, string": ("pieces", decoders.Replace("e", "3")),
    "Replace, regex": ("pieces", decoders.Replace(Regex("[aeiou]+"), "*")),
    "Sequence": (
        "pieces",
        decoders.Sequence([decoders.Replace(" ", "_"), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip("_", 1, 0)]),
    ),
    "Sequence of none": ("pieces", decoders.Sequence([])),
}
for name, (vocabulary, part) in DECODERS.items():
    kind(f"decoder {name}", with_part("decoder", part, MODELS[vocabulary]()), vocabulary)

ADDED = {
    "plain": {},
    "among words with a space in front": {},
    "single word": {"single_word": True},
    "space on the left": {"lstrip": True},
    "space on the right": {"rstrip": True},
    "space on both sides": {"lstrip": True, "rstrip": True},
    "not normalized": {"normalized": False},
    "special": {"special": True},
    "special, not normalized": {"special": True, "normalized": False},
    "single word, special, space on both sides": {"single_word": True, "lstrip": True, "rstrip": True, "special": True},
}
for name, options in ADDED.items():
    made = with_part("normalizer", normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]))
    if name == "among words with a space in front":
        made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    made.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    tokens = [AddedToken(content, **({"normalized": True} | options)) for content in ("Hello", "tritype", "ﬁ", "[SEP]")]
    made.add_tokens(tokens)
    kind(f"added tokens, {name}", made, "pieces")


def lines(entries):
    """One entry per line, so that a diff shows the kind."""
    body = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in entries.items())
    return "{\n" + body + "\n }"


text = f'{{\n "bases": {lines(BASES)},\n "kinds": {lines(KINDS)}\n}}\n'
json.loads(text)
Path(__file__).with_name("kinds.json").write_text(text, "utf-8")
