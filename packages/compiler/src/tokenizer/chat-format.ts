import { tryDecodeUtf8 } from "@tritype/core";
import type { ManifestChat, TemplatePart } from "@tritype/manifest";
import { z } from "zod";
import type { CompilerHost } from "../compiler-host.ts";
import { parseJson } from "../parse-json.ts";

/** The text of a special token in `tokenizer_config.json`. */
export const specialToken: z.ZodType<string> = z.union([
  z.string(),
  z.object({ content: z.string() }).transform((it) => it.content),
]);
const named = z.array(z.object({ name: z.string(), template: z.string() }));
const schema = z.object({
  chat_template: z.union([z.string(), named]).nullish().catch(undefined),
});

const inFolder = (folder: string, name: string): string => `${folder.replace(/\/+$/, "")}/${name}`;

/** The tokens that templates know by these names. */
const tokenNames = [
  "bos_token",
  "eos_token",
  "unk_token",
  "sep_token",
  "pad_token",
  "cls_token",
  "mask_token",
];

/**
 * The chat template in a tokenizer's folder: the file `chat_template.jinja`, or otherwise the template in
 * `tokenizer_config.json`. If that file contains several, the template is the one called `default`. Undefined if there
 * is none.
 * @param parts How the tokenizer splits a text.
 * @param idsOf The ids of its added tokens.
 * @param config The content of `tokenizer_config.json`. Default: it is read.
 */
export const chatFormat = (
  host: Pick<CompilerHost, "readFile">,
  folder: string,
  parts: readonly TemplatePart[],
  idsOf: ReadonlyMap<string, number>,
  config: unknown = parseJson(host.readFile(inFolder(folder, "tokenizer_config.json"))),
): ManifestChat | undefined => {
  const file = host.readFile(inFolder(folder, "chat_template.jinja"));
  const template =
    (file === undefined ? undefined : tryDecodeUtf8(file)) ??
    defaultOf(schema.safeParse(config).data?.chat_template ?? undefined);
  if (template === undefined) return undefined;
  const at = parts.findIndex(({ kind }) => kind === "text");
  const contentOf = new Map([...idsOf].map(([content, id]) => [id, content]));
  const spelled = (special: readonly TemplatePart[]): readonly string[] =>
    special.flatMap((part) => (part.kind === "special" ? part.ids.map((id) => contentOf.get(id) ?? "") : []));
  return {
    template,
    tokens: tokensOf(config),
    before: spelled(parts.slice(0, Math.max(at, 0))),
    after: spelled(parts.slice(at + 1)),
  };
};

const defaultOf = (template: string | z.infer<typeof named> | undefined): string | undefined =>
  typeof template === "string" ? template : template?.find(({ name }) => name === "default")?.template;

const tokensOf = (config: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    tokenNames.flatMap((name) => {
      const { data } = specialToken.safeParse(
        (config as Readonly<Record<string, unknown>> | undefined)?.[name],
      );
      return data === undefined ? [] : [[name, data]];
    }),
  );
