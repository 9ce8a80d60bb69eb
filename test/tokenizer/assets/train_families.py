"""Trains the small tokenizers of these tests in the forms of well-known models: `python train_families.py` with PyPI tokenizers 0.23.2
and sentencepiece rewrites the folders next to it.

Unigram training gives different scores each time; the rest is the same.
"""

import json
import sys
import tempfile
from pathlib import Path

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = """
The quick brown fox jumps over the lazy dog while the cat sleeps in the warm sun.
How can I reset my password if I no longer have access to my phone?
It isn't here, and they're sure we've lost it: I'm late, she said.
Der Zug nach München fährt heute um zehn Uhr von Gleis sieben ab.
Où puis-je trouver une boulangerie ouverte le dimanche matin ?
¿Dónde está la estación de tren más cercana? El perro duerme.
Мы встретимся завтра вечером у входа в старый парк.
我们明天早上八点在火车站见面。東京は日本の首都です。
السلام عليكم، كيف حالك اليوم؟ שלום, מה שלומך היום?
मैं कल सुबह बाज़ार जाऊँगा। วันนี้อากาศดีมาก
1234567890 !?.,;:()[]{}<>@#$%^&*-_=+ "quoted" 'text'
""".strip().splitlines()


def special(*contents, **options):
    return [AddedToken(content, special=True, normalized=False, **options) for content in contents]


def wordpiece():
    """A tokenizer in BERT's form."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=600, special_tokens=names, show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", [("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def llama():
    """In Llama 2's form: BPE of pieces, with bytes for missing characters."""
    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    names = ["<unk>", "<s>", "</s>", "<pad>", *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=700, special_tokens=names, show_progress=False)
    trained.train_from_iterator(CORPUS[:7], trainer)
    model = json.loads(trained.to_str())["model"]
    merges = [tuple(pair) for pair in model["merges"]]
    tokenizer = Tokenizer(
        models.BPE(vocab=model["vocab"], merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    )
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tokenizer.add_special_tokens(special("<unk>", "<s>", "</s>", "<pad>"))
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A", "<s> $A <s>:1 $B:1", [("<s>", 1)])
    return tokenizer


def gpt():
    """In the form of GPT-4 and Llama 3: bytes, split by a regular expression, and added tokens of every kind."""
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.normalizer = normalizers.NFC()
    pattern = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=600, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.add_special_tokens(special("<|begin|>", "<|end|>", "<|pad|>"))
    tokenizer.add_tokens(
        [
            AddedToken("<left>", lstrip=True, normalized=False),
            AddedToken("<right>", rstrip=True, normalized=False),
            AddedToken("word", single_word=True, normalized=False),
            AddedToken("caf\u00e9 au lait", normalized=True),
        ]
    )
    begin = tokenizer.token_to_id("<|begin|>")
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing("<|begin|> $A", "<|begin|> $A <|begin|>:1 $B:1", [("<|begin|>", begin)]),
        ]
    )
    return tokenizer


M2M100 = ["af", "de", "en", "es", "fr", "zh"]


def m2m100():
    """In M2M100's form: SentencePiece's pieces, and language codes such as `__en__`, which nothing in the file adds to a text."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="first")
    names = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=600, special_tokens=names, show_progress=False)
    )
    tokenizer.add_special_tokens(special(*(f"__{code}__" for code in M2M100)))
    tokenizer.post_processor = processors.TemplateProcessing("$A </s>", "$A </s> $B:1 </s>:1", [("</s>", 2)])
    return tokenizer


NLLB = ["deu_Latn", "eng_Latn", "fra_Latn", "spa_Latn", "zho_Hans", "zho_Hant"]


def nllb():
    """In NLLB's form: `eng_Latn`, the file's default language, before the text."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    names = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=600, special_tokens=names, show_progress=False)
    )
    tokenizer.add_special_tokens(special(*NLLB))
    english = ("eng_Latn", tokenizer.token_to_id("eng_Latn"))
    tokenizer.post_processor = processors.TemplateProcessing(
        "eng_Latn $A </s>", "eng_Latn $A $B </s>", [("</s>", 2), english]
    )
    return tokenizer


MBART = ["de_DE", "en_XX", "es_XX", "fr_XX", "zh_CN"]

RULES = {"ﬁ": "fi", "Å": "A\u030a", "A\u030a": "Å", "½": "1⁄2", "\u3000": " ", "\t": " ", "ｶﾞ": "ガ", "①": "1"}


def mbart():
    """In mBART's form: Unigram with a map compiled by SentencePiece, and `</s> en_XX` after the text."""
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder, "rules.tsv")
        point = lambda text: " ".join(f"{ord(char):X}" for char in text)  # noqa: E731
        rules.write_text("".join(f"{point(one)}\t{point(other)}\n" for one, other in RULES.items()), "utf-8")
        corpus = Path(folder, "corpus.txt")
        corpus.write_text("\n".join(CORPUS), "utf-8")
        sentencepiece.SentencePieceTrainer.train(
            input=str(corpus),
            model_prefix=f"{folder}/model",
            vocab_size=220,
            normalization_rule_tsv=str(rules),
            unk_id=3,
            bos_id=0,
            eos_id=2,
            pad_id=1,
            minloglevel=2,
        )
        model = sentencepiece_model_pb2.ModelProto()
        model.ParseFromString(Path(folder, "model.model").read_bytes())
    tokenizer = Tokenizer(models.Unigram([(it.piece, round(it.score, 4)) for it in model.pieces], unk_id=3))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Precompiled(model.normalizer_spec.precompiled_charsmap),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.add_special_tokens(special("<s>", "<pad>", "</s>", "<unk>", *MBART))
    english = ("en_XX", tokenizer.token_to_id("en_XX"))
    tokenizer.post_processor = processors.TemplateProcessing(
        "$A </s> en_XX", "$A $B </s> en_XX", [("</s>", 2), english]
    )
    return tokenizer


families = [wordpiece, llama, gpt, m2m100, nllb, mbart]
for train in families:
    if sys.argv[1:] and train.__name__ not in sys.argv[1:]:
        continue
    folder = Path(__file__).parent / train.__name__
    folder.mkdir(exist_ok=True)
    train().save(str(folder / "tokenizer.json"), pretty=False)
