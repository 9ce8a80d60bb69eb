"""BPE with Metaspace over number words: `<s> <pad> </s> <unk>` have the ids 0 to 3, and language codes (`__en__`) come last, as in M2M100."""

from pathlib import Path

from number_words import LANGUAGES, spell, split
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")
BOS, PAD, EOS, UNK = range(4)
WORDS = 400


def language_code(language: str) -> str:
    return f"__{language}__"


def train_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Lowercase(), normalizers.Replace(Regex("[,\\s]+"), " "), normalizers.Strip()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    training = split().training
    texts = [
        spell(number, language) for digits in range(1, 7) for number in training[digits][::4] for language in LANGUAGES
    ]
    tokenizer.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=WORDS, special_tokens=list(SPECIAL), show_progress=False)
    )
    tokenizer.add_special_tokens([AddedToken(language_code(language), normalized=False) for language in LANGUAGES])
    # The first token is the code of the request's source language, which a template cannot express.
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", EOS)])
    return tokenizer


def save_tokenizer(tokenizer: Tokenizer, folder: Path) -> None:
    """Writes tokenizer.json, tokenizer_config.json and special_tokens_map.json in transformers' form."""
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        additional_special_tokens=[language_code(language) for language in LANGUAGES],
        model_max_length=128,
        clean_up_tokenization_spaces=False,
    )
    fast.save_pretrained(folder)
