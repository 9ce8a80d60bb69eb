import { byContent, tryDecodeUtf8, withoutMark } from "@tritype/core";
import { z } from "zod";
import type { CompilerHost } from "../compiler-host.ts";
import { parseJson } from "../parse-json.ts";
import { chatFormat, specialToken } from "./chat-format.ts";
import { type TokenizerPart, tokenizerParts, unknownPart } from "./tokenizer-parts.ts";
import { type TokenTemplate, tokenTemplate } from "@tritype/manifest";
import type { ManifestChat, Side } from "@tritype/manifest";

/** The models that Hugging Face `tokenizers` supports. */
const modelTypes = ["BPE", "WordPiece", "Unigram", "WordLevel"] as const;
type ModelType = (typeof modelTypes)[number];

/** The facts that the compiler knows about a `tokenizer.json` and the `tokenizer_config.json` next to it. */
export interface TokenizerFile {
  readonly kind: "tokenizer";
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly modelType: ModelType;
  readonly template: TokenTemplate;
  /** Tokens outside the vocabulary: content → id. */
  readonly addedTokens: ReadonlyMap<string, number>;
  /** Added tokens and vocabulary. */
  tokenId(token: string): number | undefined;
  /** The largest id among the vocabulary and the added tokens; -1 if there are none. */
  readonly largest: { readonly id: number; readonly token: string };
  /** The token for text outside the vocabulary; undefined if the model needs none, null if it needs one but has none. */
  readonly unknownToken: string | undefined | null;
  /** Probability of skipping merges (BPE); 0 for none. */
  readonly dropout: number;
  /** The file's own padding and truncation; at run time, only the pad token and the sides are used. */
  readonly padding:
    | { readonly token: string; readonly id: number; readonly typeId: number; readonly side: Side }
    | undefined;
  readonly truncationSide: Side | undefined;
  /** How tokens are decoded to text. If absent, they are joined with spaces. */
  readonly hasDecoder: boolean;
  /** Normalizers, pre-tokenizers, post-processors and decoders. */
  readonly parts: readonly TokenizerPart[];
  readonly config: TokenizerConfig;
  /** How a conversation is converted to text; undefined if the folder has no chat template. */
  readonly chat: ManifestChat | undefined;
}
interface TokenizerConfig {
  readonly padToken: string | undefined;
  readonly paddingSide: Side | undefined;
  readonly truncationSide: Side | undefined;
  /** Maximum number of tokens that the model was trained for; undefined if the file does not specify it. */
  readonly modelMaxLength: number | undefined;
  /** Whether decoded texts lose the spaces before punctuation; undefined if the file does not specify it. */
  readonly cleanUp: boolean | undefined;
}
/** The reason why a `tokenizer.json` cannot be used. */
export type TokenizerFileProblem =
  | { readonly kind: "not-found"; readonly path: string; readonly others: readonly string[] }
  | { readonly kind: "not-json"; readonly path: string; readonly gitLfs: boolean }
  | { readonly kind: "unknown-format"; readonly path: string; readonly reason: string };

const jsonSide = z.enum(["Left", "Right"]);
const schema = z.object({
  version: z.literal("1.0").optional(),
  truncation: z.object({ direction: jsonSide.default("Right") }).nullish(),
  padding: z
    .object({
      pad_token: z.string(),
      pad_id: z.int(),
      pad_type_id: z.int().default(0),
      direction: jsonSide.default("Right"),
    })
    .nullish(),
  added_tokens: z.array(z.object({ id: z.int(), content: z.string() })).default([]),
  normalizer: z.unknown().optional(),
  pre_tokenizer: z.unknown().optional(),
  post_processor: z.unknown().optional(),
  decoder: z.unknown().optional(),
  model: z.object({
    type: z.string().optional(),
    vocab: z.unknown().optional(),
    merges: z.unknown().optional(),
    unk_token: z.string().nullish(),
    unk_id: z.int().nullish(),
    byte_fallback: z.boolean().nullish(),
    dropout: z.number().nullish(),
    max_input_chars_per_word: z.unknown().optional(),
  }),
});
type Model = z.infer<typeof schema>["model"];

const configSchema = z.object({
  pad_token: specialToken.nullish().catch(undefined),
  padding_side: z.enum(["left", "right"]).optional().catch(undefined),
  truncation_side: z.enum(["left", "right"]).optional().catch(undefined),
  model_max_length: z.number().optional().catch(undefined),
  clean_up_tokenization_spaces: z.boolean().optional().catch(undefined),
});

/** Files that indicate other tokenizer formats. */
const otherFormats = [
  "vocab.txt",
  "tokenizer.model",
  "spiece.model",
  "sentencepiece.bpe.model",
  "vocab.json",
  "merges.txt",
];

const known = new WeakMap<CompilerHost, Map<string, TokenizerFile | TokenizerFileProblem>>();

/** Reads `<folder>/tokenizer.json` and, if it exists, `<folder>/tokenizer_config.json`, only once for all steps that share the folder. */
export const readTokenizerFile = (
  host: CompilerHost,
  folder: string,
): TokenizerFile | TokenizerFileProblem => {
  const files = known.get(host) ?? new Map<string, TokenizerFile | TokenizerFileProblem>();
  known.set(host, files);
  const file = files.get(folder) ?? readFolder(host, folder);
  files.set(folder, file);
  return file;
};

const readFolder = (host: CompilerHost, folder: string): TokenizerFile | TokenizerFileProblem => {
  const inFolder = (name: string): string => `${folder.replace(/\/+$/, "")}/${name}`;
  const path = inFolder("tokenizer.json");
  const bytes = host.readFile(path);
  if (bytes === undefined) {
    const others = otherFormats.filter((name) => host.readFile(inFolder(name)) !== undefined);
    return { kind: "not-found", path, others };
  }
  const content = contentOf(bytes);
  if (content.kind !== "tokenizer") return { ...content, path };
  const config = parseJson(host.readFile(inFolder("tokenizer_config.json")));
  return {
    ...content,
    path,
    // `tokenizers` refuses a byte order mark.
    bytes: withoutMark(bytes),
    config: readConfig(config),
    chat: chatFormat(host, folder, content.template.single, content.addedTokens, config),
  };
};

type TokenizerContent = Omit<TokenizerFile, "path" | "bytes" | "config" | "chat">;
type ContentProblem =
  | { readonly kind: "not-json"; readonly gitLfs: boolean }
  | { readonly kind: "unknown-format"; readonly reason: string };

const contentOf = byContent((bytes): TokenizerContent | ContentProblem => {
  const json = parseJson(bytes);
  if (json === undefined)
    return { kind: "not-json", gitLfs: tryDecodeUtf8(bytes)?.startsWith("version https://git-lfs") === true };
  const read = schema.safeParse(json);
  if (!read.success) {
    const [issue] = read.error.issues;
    return {
      kind: "unknown-format",
      reason: `${issue?.path.join(".") || "the file"}: ${issue?.message}`,
    };
  }
  const { data } = read;
  const modelType = modelTypeOf(data.model);
  if (modelType === undefined)
    return {
      kind: "unknown-format",
      reason: `model.type is ${JSON.stringify(data.model.type) ?? "missing"}`,
    };
  const parts = tokenizerParts(data);
  const unknown = unknownPart(parts);
  if (unknown !== undefined)
    return { kind: "unknown-format", reason: `${unknown.path}.type is ${JSON.stringify(unknown.type)}` };
  const addedTokens = new Map(data.added_tokens.map(({ content, id }) => [content, id]));
  return {
    kind: "tokenizer",
    modelType,
    template: tokenTemplate(data.post_processor),
    addedTokens,
    tokenId: (token) => addedTokens.get(token) ?? vocabularyId(data.model.vocab, token),
    largest: largestOf(data.model.vocab, addedTokens),
    unknownToken: unknownToken(modelType, data.model),
    dropout: data.model.dropout ?? 0,
    padding: data.padding
      ? {
          token: data.padding.pad_token,
          id: data.padding.pad_id,
          typeId: data.padding.pad_type_id,
          side: sideOf(data.padding.direction),
        }
      : undefined,
    truncationSide: data.truncation ? sideOf(data.truncation.direction) : undefined,
    hasDecoder: data.decoder !== undefined && data.decoder !== null,
    parts,
  };
});

const readConfig = (json: unknown): TokenizerConfig => {
  const { data } = configSchema.safeParse(json);
  return {
    padToken: data?.pad_token ?? undefined,
    paddingSide: data?.padding_side,
    truncationSide: data?.truncation_side,
    modelMaxLength: data?.model_max_length,
    cleanUp: data?.clean_up_tokenization_spaces,
  };
};

const sideOf = (direction: z.infer<typeof jsonSide>): Side => (direction === "Left" ? "left" : "right");

/** Files that predate `model.type` are recognized by their fields. */
const modelTypeOf = (model: Model): ModelType | undefined => {
  if (model.type !== undefined) return modelTypes.find((type) => type === model.type);
  if (Array.isArray(model.vocab)) return "Unigram";
  if (model.vocab === undefined) return undefined;
  if (model.merges !== undefined) return "BPE";
  return model.max_input_chars_per_word === undefined ? "WordLevel" : "WordPiece";
};

const unknownToken = (type: ModelType, model: Model): string | undefined | null => {
  if (type === "BPE" || model.byte_fallback === true) return undefined;
  if (type === "Unigram") {
    const entry = Array.isArray(model.vocab) ? (model.vocab as unknown[])[model.unk_id ?? -1] : undefined;
    return Array.isArray(entry) ? String(entry[0]) : null;
  }
  return model.unk_token ?? null;
};

/** `{ token: id }` in all models except Unigram, which has `[[token, score], …]`. */
const vocabularyId = (vocab: unknown, token: string): number | undefined => {
  if (Array.isArray(vocab)) {
    const index = vocab.findIndex((entry) => Array.isArray(entry) && entry[0] === token);
    return index < 0 ? undefined : index;
  }
  if (typeof vocab !== "object" || vocab === null || !Object.hasOwn(vocab, token)) return undefined;
  const id = (vocab as Readonly<Record<string, unknown>>)[token];
  return typeof id === "number" ? id : undefined;
};

const largestOf = (vocab: unknown, addedTokens: ReadonlyMap<string, number>): TokenizerFile["largest"] => {
  let largest = { id: -1, token: "" };
  const add = (token: string, id: unknown): void => {
    if (typeof id === "number" && id > largest.id) largest = { id, token };
  };
  if (Array.isArray(vocab)) {
    const last: unknown = vocab.at(-1);
    if (Array.isArray(last)) add(String(last[0]), vocab.length - 1);
  } else if (typeof vocab === "object" && vocab !== null)
    for (const token in vocab) add(token, (vocab as Readonly<Record<string, unknown>>)[token]);
  for (const [token, id] of addedTokens) add(token, id);
  return largest;
};
