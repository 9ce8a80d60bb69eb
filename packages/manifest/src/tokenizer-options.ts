import { z } from "zod";

/** How the rows of one request are padded to form one tensor. */
export type TokenizerPadding =
  | "longest"
  | "maxLength"
  | { readonly multipleOf: number }
  | { readonly buckets: readonly number[] };

/** How requests specify the languages of their texts. */
export interface LanguageChoice {
  /** An input `source_language` for each row, whose token is placed next to the text's tokens. */
  readonly source: boolean;
  /** An input `target_language` for each row, whose token id is returned as the output `forced_bos_token_id`. */
  readonly target: boolean;
  /**
   * `"__*__"`, where `*` stands for the name in requests; or name in requests → token. Default: the names of M2M100, NLLB and mBART.
   */
  readonly tokens?: string | Readonly<Record<string, string>> | undefined;
}

/** The languages that requests may choose. */
export interface Languages {
  readonly source: boolean;
  readonly target: boolean;
  /** Name in requests → id of the token, sorted. */
  readonly ids: Readonly<Record<string, number>>;
  /** Position of the source language's token in a row without padding; a negative position counts from the end. */
  readonly at: number;
  /** Whether it replaces the language token from the file; otherwise it comes before all of the file's tokens. */
  readonly replaces: boolean;
}

/** For a step that reads a `tokenizer.json`: the name of each option and its schema. */
export type StepForms = Readonly<Record<string, z.ZodType>> & { readonly from: z.ZodType<string> };

/** The options of a tokenizer step, as in `StepDefinition.options`, with every default resolved. */
export interface TokenizerStepOptions {
  /** Folder with `tokenizer.json`, from the project's root. */
  readonly from: string;
  /** Maximum number of tokens per row, including special tokens. */
  readonly maxLength: number;
  /** Default `"longest"`. Buckets ascend and end at `maxLength`; rows are padded to the smallest that fits the longest row. */
  readonly padding: TokenizerPadding;
  /**
   * Default true: longer rows are truncated; in a pair, the longer text first, or only the named one. If false, a longer row is an error.
   */
  readonly truncation: boolean | "onlyFirst" | "onlySecond";
  /** The side on which texts are truncated. Default: from the tokenizer's files, otherwise right. */
  readonly truncationSide?: Side | undefined;
  /** The side on which shorter rows are padded. Default: from the tokenizer's files, otherwise right. */
  readonly paddingSide?: Side | undefined;
  /** Default true. */
  readonly addSpecialTokens: boolean;
  /** Added in front of `text` (not of `text_pair`) before tokenizing. Default `""`. */
  readonly prefix: string;
  /** A second text per row, the input `text_pair`. Default false. */
  readonly pair: boolean;
  /** dtype of every output. Default INT64. */
  readonly ids: "INT64" | "INT32";
  readonly tokenTypeIds: boolean;
  readonly specialTokensMask: boolean;
  /** The start and end of every token, in Unicode code points of the text with its prefix. */
  readonly offsets: boolean;
  /** Default: requests do not choose languages. */
  readonly languages?: LanguageChoice | undefined;
}

const length = z.int("must be a whole number of tokens").positive("must be at least 1 token");
const flag = z.boolean("must be true or false");
const padding = z.union(
  [
    z.enum(["longest", "maxLength"]),
    z.strictObject({ multipleOf: length }),
    z.strictObject({ buckets: z.array(length).min(1) }),
  ],
  'must be "longest", "maxLength", { multipleOf: n } or { buckets: [n, …] } with whole numbers from 1',
);
const options = {
  maxLength: length,
  padding: padding.default("longest"),
  truncation: z
    .union(
      [z.boolean(), z.enum(["onlyFirst", "onlySecond"])],
      'must be true, false, "onlyFirst" or "onlySecond"',
    )
    .default(true),
  addSpecialTokens: flag.default(true),
  prefix: z
    .string("must be a string")
    .refine(
      (text) => !/\p{Surrogate}/u.test(text),
      "must not contain a lone surrogate, which is not valid text",
    )
    .default(""),
  pair: flag.default(false),
  ids: z.enum(["INT64", "INT32"], "must be int64 or int32").default("INT64"),
  tokenTypeIds: flag.default(false),
  specialTokensMask: flag.default(false),
  offsets: flag.default(false),
};

const languageTokens =
  'must be a pattern with one star such as "__*__", or { code: token } with codes of 1 to 40 ASCII letters';
/** Printable ASCII, because codes that only look equal could be different in JavaScript and Python. */
const code = z.string().regex(/^[\x21-\x7e]{1,40}$/, languageTokens);
const languages = z
  .strictObject(
    {
      source: flag.default(false),
      target: flag.default(false),
      tokens: z
        .union(
          [
            z.string().regex(/^[^*]*\*[^*]*$/, languageTokens),
            z.record(code, z.string()).refine((table) => Object.keys(table).length > 0, languageTokens),
          ],
          languageTokens,
        )
        .optional(),
    },
    "must be { source, target, tokens }",
  )
  .refine(({ source, target }) => source || target, "must set `source: true`, `target: true` or both");

const side = z.enum(["left", "right"]);
const givenSide = z.enum(["left", "right"], 'must be "left" or "right"');
export type Side = "left" | "right";

/** Error for `stride`: overflowing windows are not supported. */
const oneRowEach =
  "is not supported: overflowing windows would turn one text into several rows, but Triton's batches have one row for each row of the request; cut texts into windows before the request";

const stepOptions = z.object({
  from: z.string("must be a folder").min(1, "must be a folder"),
  languages: languages.optional(),
  truncationSide: givenSide.optional(),
  paddingSide: givenSide.optional(),
  stride: z.undefined(oneRowEach).optional(),
  ...options,
});

/** The schema for each option of a tokenizer step. */
export const tokenizerForms: StepForms = { ...stepOptions.shape, seq: z.string("must be a string") };

/** Reads `StepDefinition.options`; ignores the fields of Triton's configuration in it. */
export const tokenizerOptionsSchema: z.ZodType<TokenizerStepOptions> = stepOptions
  .refine((given) => given.pair || typeof given.truncation === "boolean", {
    path: ["truncation"],
    error: "applies to one text of a pair, so it needs `pair`",
  })
  .refine((given) => !(given.pair && given.languages?.source === true), {
    path: ["languages", "source"],
    error: "cannot be combined with `pair`: a row has one source language",
  });

/** The values used to pad rows that are shorter than their tensor. */
export interface PadToken {
  readonly token: string;
  readonly id: number;
  readonly typeId: number;
  readonly side: Side;
}

/** The manifest's options for the tokenizer's twin: all constants in `model.py`. */
export interface TokenizerTwinOptions
  extends Omit<TokenizerStepOptions, "from" | "languages" | "paddingSide" | "truncationSide"> {
  /** The step's name, for messages. Does not contain its position in the source, because then every edit above it would change the model. */
  readonly step: string;
  readonly pad: PadToken;
  /** The side on which a row is truncated. */
  readonly truncationSide: Side;
  readonly languages?: Languages | undefined;
}

export const tokenizerTwinSchema: z.ZodType<TokenizerTwinOptions> = z.object({
  ...options,
  step: z.string(),
  pad: z.object({ token: z.string(), id: z.int(), typeId: z.int(), side }),
  truncationSide: side,
  languages: z
    .object({ source: flag, target: flag, ids: z.record(z.string(), z.int()), at: z.int(), replaces: flag })
    .optional(),
});

/** The number of tokens that every row has in addition to the file's: the token for its source language. */
export const addedLength = ({ languages: given }: Pick<TokenizerTwinOptions, "languages">): 0 | 1 =>
  given?.source === true && !given.replaces ? 1 : 0;
