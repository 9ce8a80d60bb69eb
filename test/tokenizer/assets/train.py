"""Trains the three small tokenizers of these tests: `python train.py` with PyPI tokenizers 0.23.2 rewrites the folders next to it. Format them afterwards.

The padding and truncation in the files are traps, which must be ignored. Unigram training gives different scores each time; the rest is the same.
"""

from pathlib import Path

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

CORPUS = """
The quick brown fox jumps over the lazy dog while the cat sleeps in the warm sun.
How can I reset my password if I no longer have access to my phone?
Der Zug nach München fährt heute um zehn Uhr von Gleis sieben ab.
Où puis-je trouver une boulangerie ouverte le dimanche matin ?
Мы встретимся завтра вечером у входа в старый парк.
我们明天早上八点在火车站见面。東京は日本の首都です。
السلام عليكم، كيف حالك اليوم؟ שלום, מה שלומך היום?
मैं कल सुबह बाज़ार जाऊँगा। วันนี้อากาศดีมาก
Tôi thích uống cà phê sữa đá vào buổi sáng. 한국어 문장도 있습니다.
1234567890 !?.,;:()[]{}<>@#$%^&*-_=+ "quoted" 'text'
""".strip().splitlines()


def byte_bpe():
    """In RoBERTa's form: bytes, `<s> A </s></s> B </s>`, padded and truncated on the left."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    special = ["<s>", "<pad>", "</s>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=700, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    tokenizer.enable_truncation(7, stride=2, strategy="only_first", direction="left")
    tokenizer.enable_padding(direction="left", pad_id=1, pad_token="<pad>", length=19)
    return tokenizer


def unigram():
    """In T5's form without its precompiled normalizer: `A </s> B </s>`, with the pad token only among the added tokens."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " "), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=600, unk_token="<unk>", special_tokens=["<pad>", "</s>", "<unk>"], show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing("$A </s>", "$A </s> $B:1 </s>:1", [("</s>", 1)])
    return tokenizer


def word_level():
    """Only words, without special tokens around them, and a pad token with a separate type."""
    tokenizer = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    trainer = trainers.WordLevelTrainer(special_tokens=["[UNK]", "[PAD]"], show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_tokens([AddedToken("tritype", single_word=True, lstrip=True)])
    tokenizer.enable_padding(pad_id=1, pad_type_id=3, pad_token="[PAD]", pad_to_multiple_of=5)
    return tokenizer


for name, train in {"byte-bpe": byte_bpe, "unigram": unigram, "word-level": word_level}.items():
    folder = Path(__file__).parent / name
    folder.mkdir(exist_ok=True)
    train().save(str(folder / "tokenizer.json"), pretty=True)
