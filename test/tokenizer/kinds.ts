import { readFileSync } from "node:fs";

type Json = Readonly<Record<string, unknown>>;
interface File extends Json {
  readonly model: Json;
  readonly added_tokens: readonly Json[];
}
/** The parts of a file that replace those of its base, and its additional added tokens. */
type Kind = { readonly base: string } & Partial<File>;

const { bases, kinds } = JSON.parse(readFileSync(new URL("assets/kinds.json", import.meta.url), "utf8")) as {
  readonly bases: Readonly<Record<string, File>>;
  readonly kinds: Readonly<Record<string, Kind>>;
};

const fileOf = (name: string, parts: Partial<File>): File => {
  const base = bases[name];
  if (base === undefined) throw new Error(`kinds.json has no base ${name}`);
  return {
    ...base,
    ...parts,
    model: { ...base.model, ...parts.model },
    added_tokens: [...base.added_tokens, ...(parts.added_tokens ?? [])],
  };
};

/** A tokenizer.json for each kind and option of each of its parts, under names such as `normalizer NFC`. */
export const tokenizerKinds: ReadonlyMap<string, string> = new Map(
  Object.entries(kinds).map(([name, { base, ...parts }]) => [name, JSON.stringify(fileOf(base, parts))]),
);
