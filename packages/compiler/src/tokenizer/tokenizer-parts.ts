/** The parts of a `tokenizer.json`, except its model, by their names in the file. */
export type PartName = "normalizer" | "pre_tokenizer" | "post_processor" | "decoder";

/** A part, or one within a `Sequence`. */
export interface TokenizerPart {
  readonly name: PartName;
  /** The part's path in the file, such as `normalizer.normalizers.1`. */
  readonly path: string;
  /** Undefined in old files, where a part is recognized by its fields. */
  readonly type: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Family {
  /** The field of a `Sequence` that contains its parts. */
  readonly sequence: string;
  readonly types: readonly string[];
}

/** The types of each part in Hugging Face `tokenizers` 0.23. */
const families: Readonly<Record<PartName, Family>> = {
  normalizer: {
    sequence: "normalizers",
    types: [
      "BertNormalizer",
      "ByteLevel",
      "Lowercase",
      "NFC",
      "NFD",
      "NFKC",
      "NFKD",
      "Nmt",
      "Precompiled",
      "Prepend",
      "Replace",
      "Sequence",
      "Strip",
      "StripAccents",
    ],
  },
  pre_tokenizer: {
    sequence: "pretokenizers",
    types: [
      "BertPreTokenizer",
      "ByteLevel",
      "CharDelimiterSplit",
      "Digits",
      "FixedLength",
      "Metaspace",
      "Punctuation",
      "Sequence",
      "Split",
      "UnicodeScripts",
      "Whitespace",
      "WhitespaceSplit",
    ],
  },
  post_processor: {
    sequence: "processors",
    types: ["BertProcessing", "ByteLevel", "RobertaProcessing", "Sequence", "TemplateProcessing"],
  },
  decoder: {
    sequence: "decoders",
    types: [
      "BPEDecoder",
      "ByteFallback",
      "ByteLevel",
      "CTC",
      "Fuse",
      "Metaspace",
      "Replace",
      "Sequence",
      "Strip",
      "WordPiece",
    ],
  },
};

/** The library's types for a part. */
export const partTypes = (name: PartName): readonly string[] => families[name].types;

/** All parts in a file; a sequence's parts come after it. */
export const tokenizerParts = (file: Readonly<Record<string, unknown>>): readonly TokenizerPart[] =>
  (Object.keys(families) as PartName[]).flatMap((name) => partsWithin(name, name, file[name]));

const partsWithin = (name: PartName, path: string, value: unknown): readonly TokenizerPart[] => {
  if (typeof value !== "object" || value === null) return [];
  const fields = value as Readonly<Record<string, unknown>>;
  const { sequence } = families[name];
  const within = fields[sequence];
  const type = typeof fields["type"] === "string" ? fields["type"] : undefined;
  return [
    { name, path, type, fields },
    ...(Array.isArray(within)
      ? within.flatMap((part: unknown, at) => partsWithin(name, `${path}.${sequence}.${at}`, part))
      : []),
  ];
};

/**
 * The first part whose type the library does not have. The library would refuse it, or confuse it with a type that has
 * the same fields.
 */
export const unknownPart = (parts: readonly TokenizerPart[]): TokenizerPart | undefined =>
  parts.find(({ name, type }) => type !== undefined && !partTypes(name).includes(type));
