/** The character that represents a byte in a byte-level vocabulary such as GPT-2's. */
const characterOf = (byte: number): string => {
  const plain = (one: number): boolean => (one > 0x20 && one < 0x7f) || (one > 0xa0 && one !== 0xad);
  if (plain(byte)) return String.fromCharCode(byte);
  const before = Array.from({ length: byte }, (_, one) => one).filter((one) => !plain(one));
  return String.fromCharCode(0x100 + before.length);
};

/**
 * A tokenizer.json with 40 byte-level tokens: special tokens (0 to 2), letters, and first and second bytes of two-byte
 * characters, so that a character is often two tokens.
 */
export const byteTokenizer = (): string => {
  const special = ["<s>", "<pad>", "</s>"];
  const letters = Array.from("abcdefgh .,", (letter) => Buffer.from(letter));
  const firstBytes = ["", "a", " ", "bc"].flatMap((before) =>
    [0xc3, 0xc4].map((first) => Buffer.from([...Buffer.from(before), first])),
  );
  const laterBytes = Array.from({ length: 18 }, (_, index) => Buffer.from([0xa0 + index]));
  const spelled = [...letters, ...firstBytes, ...laterBytes].map((bytes) =>
    [...bytes].map(characterOf).join(""),
  );
  const tokens = [...special, ...spelled];
  return JSON.stringify({
    version: "1.0",
    added_tokens: special.map((content, id) => ({
      id,
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    padding: {
      strategy: "BatchLongest",
      direction: "Right",
      pad_to_multiple_of: null,
      pad_id: 1,
      pad_type_id: 0,
      pad_token: "<pad>",
    },
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: "",
      end_of_word_suffix: "",
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: [],
    },
  });
};

/**
 * A SentencePiece tokenizer.json with 40 tokens and byte fallback: special tokens (0 to 2), words and punctuation with and
 * without a space before them, which clean-up may remove, and bytes outside ASCII.
 */
export const fallbackTokenizer = (): string => {
  const special = ["<s>", "<pad>", "</s>"];
  const words = ["▁", "▁a", "b", "c", "▁.", ".", "▁,", "▁?", "▁!", "▁n't", "▁'s", "▁'", "'", "s", "▁do", "d"];
  const bytes = [0xc3, 0xc4, 0xc5, 0xe2, 0xf0, ...Array.from({ length: 16 }, (_, index) => 0xa0 + index)];
  const tokens = [
    ...special,
    ...words,
    ...bytes.map((byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`),
  ];
  return JSON.stringify({
    version: "1.0",
    added_tokens: special.map((content, id) => ({
      id,
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    decoder: {
      type: "Sequence",
      decoders: [
        { type: "Replace", pattern: { String: "▁" }, content: " " },
        { type: "ByteFallback" },
        { type: "Fuse" },
      ],
    },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: true,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges: [],
    },
  });
};
