import type { TokenizerPart } from "./tokenizer-parts.ts";

/**
 * A part with which the library fails in a way that cannot be caught. The library panics, which ends the process in
 * Node and bypasses `except Exception` in Python, or it creates rows with more tokens than it counted.
 */
export interface BrokenPart {
  readonly part: string;
  readonly problem: string;
  readonly advice: string;
}

/** The first part that makes every text fail to tokenize. @param pair Whether rows consist of two texts. */
export const brokenForTexts = (parts: readonly TokenizerPart[], pair: boolean): BrokenPart | undefined =>
  brokenForAll(parts) ??
  firstOf(parts, ({ path, type, fields }) => {
    if (type === "FixedLength" && fields["length"] === 0)
      return { part: path, problem: "has `length` 0", advice: "set the number of characters per piece" };
    return type === "TemplateProcessing" ? brokenTemplate(path, fields, pair) : undefined;
  }) ??
  secondTemplate(parts);

/** The first part that prevents some tokens from being decoded to text. */
export const brokenForIds = (parts: readonly TokenizerPart[]): BrokenPart | undefined =>
  brokenForAll(parts) ??
  firstOf(parts, ({ name, path, type, fields }) =>
    name === "decoder" && type === "Strip" && Number(fields["stop"] ?? 0) > 0
      ? {
          part: path,
          problem: `has \`stop\` ${String(fields["stop"])}, which makes the library fail on shorter pieces`,
          advice: 'set "stop" to 0 and remove them from the text in a step after the detokenizer',
        }
      : undefined,
  );

const brokenForAll = (parts: readonly TokenizerPart[]): BrokenPart | undefined =>
  firstOf(parts, ({ path, type, fields }) =>
    type === "Precompiled" && !isCharsmap(fields["precompiled_charsmap"])
      ? {
          part: path,
          problem: "has no valid `precompiled_charsmap` from SentencePiece",
          advice: "recreate tokenizer.json from its SentencePiece model",
        }
      : undefined,
  );

const firstOf = (
  parts: readonly TokenizerPart[],
  broken: (part: TokenizerPart) => BrokenPart | undefined,
): BrokenPart | undefined => {
  for (const part of parts) {
    const found = broken(part);
    if (found !== undefined) return found;
  }
  return undefined;
};

const putTokensAround: readonly (string | undefined)[] = [
  "TemplateProcessing",
  "BertProcessing",
  "RobertaProcessing",
];

const secondTemplate = (parts: readonly TokenizerPart[]): BrokenPart | undefined => {
  const [first, second] = parts.filter(({ type }) => putTokensAround.includes(type));
  if (first === undefined || second === undefined) return undefined;
  return {
    part: second.path,
    problem: `puts tokens around texts, as \`${first.path}\` already does`,
    advice: "keep one of them",
  };
};

const brokenTemplate = (
  path: string,
  fields: TokenizerPart["fields"],
  pair: boolean,
): BrokenPart | undefined => {
  const name = pair ? "pair" : "single";
  const pieces = Array.isArray(fields[name]) ? (fields[name] as unknown[]) : [];
  const named = (kind: "Sequence" | "SpecialToken"): readonly string[] =>
    pieces.flatMap((piece) => {
      const id = member(member(piece, kind), "id");
      return typeof id === "string" ? [id] : [];
    });
  const texts = named("Sequence")
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join(" and ");
  const wanted = pair ? "A and B" : "A";
  if (texts !== wanted)
    return {
      part: `${path}.${name}`,
      problem: `names ${texts === "" ? "no text" : `texts ${texts}`}, but rows consist of ${wanted}`,
      advice: `name ${wanted} once`,
    };
  const tokens = fields["special_tokens"];
  const lacking = named("SpecialToken").find((token) => member(tokens, token) === undefined);
  if (lacking === undefined) return undefined;
  return {
    part: `${path}.${name}`,
    problem: `names the token \`${lacking}\`, which its \`special_tokens\` lack`,
    advice: 'add the ids of the token to "special_tokens"',
  };
};

const member = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 of a trie, preceded by its size in bytes (32 bits, little-endian), and followed by the strings in it. */
const isCharsmap = (value: unknown): boolean => {
  if (typeof value !== "string" || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]{8,}={0,2}$/.test(value))
    return false;
  const sixes = Array.from(value.slice(0, 6), (char) => alphabet.indexOf(char));
  const byte = (at: number): number => {
    const bits =
      (((sixes[Math.floor((at * 8) / 6)] ?? 0) << 6) | (sixes[Math.floor((at * 8) / 6) + 1] ?? 0)) & 0xfff;
    return (bits >> (4 - ((at * 8) % 6))) & 0xff;
  };
  const size = byte(0) + byte(1) * 2 ** 8 + byte(2) * 2 ** 16 + byte(3) * 2 ** 24;
  const bytes = (value.length / 4) * 3 - (value.length - value.replace(/=+$/, "").length);
  return size >= 4 && size % 4 === 0 && bytes >= 4 + size;
};
