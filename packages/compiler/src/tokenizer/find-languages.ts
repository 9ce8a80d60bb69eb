import { invariant } from "@tritype/core";
import {
  type Languages,
  specialCount,
  type TokenizerStepOptions,
  type TokenTemplate,
} from "@tritype/manifest";
import type { TokenizerFile } from "./tokenizer-file.ts";

/** Patterns for the language tokens of well-known models, whose first group is the name used in requests. */
const families: readonly RegExp[] = [
  // M2M100
  /^__([a-z]{2,3})__$/,
  // NLLB
  /^([a-z]{3}_[A-Z][a-z]{3})$/,
  // mBART
  /^([a-z]{2}_[A-Z]{2})$/,
];

/**
 * The languages that requests may choose for a tokenizer, or the reason why there are none; undefined if the tokenizer has no such option.
 */
export const findLanguages = (
  { languages, addSpecialTokens }: TokenizerStepOptions,
  file: TokenizerFile,
): Languages | { readonly problem: string } | undefined => {
  if (languages === undefined) return undefined;
  const { source, target, tokens } = languages;
  const ids =
    tokens === undefined
      ? ofFamilies(file)
      : typeof tokens === "string"
        ? matching(file, patternOf(tokens))
        : ofTable(tokens, file);
  if ("problem" in ids) return ids;
  if (ids.size === 0)
    return {
      problem:
        tokens === undefined
          ? "none of its added tokens is a language token"
          : `no added token matches ${JSON.stringify(tokens)}`,
    };
  const sorted = [...ids].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const place = addSpecialTokens ? placeOf(file.template, new Set(ids.values())) : inFront;
  return { source, target, ids: Object.fromEntries(sorted), ...place };
};

const inFront = { at: 0, replaces: false } as const;

type Ids = ReadonlyMap<string, number>;

/** Uses the family with the most tokens, because a single token may have a different meaning. */
const ofFamilies = (file: TokenizerFile): Ids => {
  const found = families.map((family) => matching(file, family)).toSorted((a, b) => b.size - a.size)[0];
  invariant(found !== undefined, "there are families");
  return found.size > 1 ? found : new Map();
};

const matching = ({ addedTokens }: TokenizerFile, pattern: RegExp): Ids =>
  new Map(
    [...addedTokens].flatMap(([token, id]) => {
      const code = pattern.exec(token)?.[1];
      return code === undefined ? [] : [[code, id] as const];
    }),
  );

const patternOf = (text: string): RegExp => {
  const [before = "", after = ""] = text
    .split("*")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  return new RegExp(`^${before}([\\x21-\\x7e]{1,40})${after}$`);
};

const ofTable = (
  table: Readonly<Record<string, string>>,
  file: TokenizerFile,
): Ids | { readonly problem: string } => {
  const ids = new Map<string, number>();
  for (const [code, token] of Object.entries(table)) {
    const id = file.tokenId(token);
    if (id === undefined)
      return {
        problem: `${JSON.stringify(token)}, the token for ${JSON.stringify(code)}, is not in the file`,
      };
    ids.set(code, id);
  }
  return ids;
};

/** A request's language token replaces the one that the file adds to a text, or comes first if the file adds none. */
const placeOf = ({ single }: TokenTemplate, ids: ReadonlySet<number>): Pick<Languages, "at" | "replaces"> => {
  const index = single.findIndex(
    (part) => part.kind === "special" && part.ids.length === 1 && ids.has(part.ids[0] ?? -1),
  );
  if (index < 0) return inFront;
  const text = single.findIndex((part) => part.kind === "text");
  return {
    at: index < text ? specialCount(single.slice(0, index)) : -specialCount(single.slice(index)),
    replaces: true,
  };
};
