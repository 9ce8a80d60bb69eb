"""Converts sentencepiece.bpe.model and vocab.json of an M2M100 to tokenizer.json in the same folder: `python convert_tokenizer.py FOLDER < texts.txt`.

Needs transformers, sentencepiece and protobuf. Each line of stdin is also tokenized with transformers' M2M100Tokenizer; exit code 1 if a result differs.
"""

import sys
from pathlib import Path
from types import SimpleNamespace

from tokenizers import AddedToken, Tokenizer
from tokenizers.models import BPE
from tokenizers.processors import TemplateProcessing
from transformers import M2M100Tokenizer
from transformers.convert_slow_tokenizer import SpmConverter, generate_merges


class M2M100Converter(SpmConverter):
    """SentencePiece's pieces and merges with the ids of vocab.json, followed by the ids of the languages."""

    def __init__(self, slow: M2M100Tokenizer):
        super().__init__(SimpleNamespace(vocab_file=slow.spm_file))
        self.slow = slow

    def tokenizer(self, proto) -> Tokenizer:
        ids = self.slow.encoder
        scores = [(piece.piece, piece.score) for piece in proto.pieces if piece.type == 1]
        missing = [piece for piece, _ in scores if piece not in ids]
        if missing:
            print(f"{len(missing)} pieces are not in vocab.json, such as {missing[0]!r}: transformers turns them into <unk>, this file splits them", file=sys.stderr)
        merges = generate_merges({piece: at for at, (piece, _) in enumerate(scores) if piece in ids}, [one for one in scores if one[0] in ids])
        tokenizer = Tokenizer(BPE(ids, merges, unk_token="<unk>", fuse_unk=True))
        special = ["<s>", "<pad>", "</s>", "<unk>", *self.slow.lang_token_to_id]
        tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
        for token, wanted in self.slow.lang_token_to_id.items():
            assert tokenizer.token_to_id(token) == wanted, token
        return tokenizer

    def post_processor(self) -> TemplateProcessing:
        return TemplateProcessing(single="$A </s>", pair="$A $B </s>", special_tokens=[("</s>", self.slow.eos_token_id)])


def convert(folder: Path, texts: list[str]) -> int:
    slow = M2M100Tokenizer.from_pretrained(folder, src_lang="en")
    fast = M2M100Converter(slow).converted()
    fast.save(str(folder / "tokenizer.json"))
    different = [text for text in texts if [slow.get_lang_id("en"), *fast.encode(text).ids] != slow(text).input_ids]
    # transformers strips white space from both ends of a text.
    undone = [text for text in texts if fast.decode(fast.encode(text).ids).strip() != slow.decode(slow(text).input_ids[1:], skip_special_tokens=True)]
    print(f"{len(texts)} texts: different ids for {len(different)}, different texts from ids for {len(undone)}")
    for text in [*different, *undone][:10]:
        print(repr(text))
    return 1 if different or undone else 0


if __name__ == "__main__":
    sys.exit(convert(Path(sys.argv[1]), sys.stdin.read().splitlines()))
