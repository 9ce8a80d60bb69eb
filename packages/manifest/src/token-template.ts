import { z } from "zod";

/** A part of a row: its text, its second text, or special tokens with fixed ids. */
export type TemplatePart =
  | { readonly kind: "text" | "text_pair"; readonly typeId: number }
  | { readonly kind: "special"; readonly ids: readonly number[]; readonly typeId: number };
/** The order of texts and special tokens in a row. */
export interface TokenTemplate {
  readonly single: readonly TemplatePart[];
  readonly pair: readonly TemplatePart[];
}

const text = (typeId: number): TemplatePart => ({ kind: "text", typeId });
const textPair = (typeId: number): TemplatePart => ({ kind: "text_pair", typeId });
const special = (ids: readonly number[], typeId: number): TemplatePart => ({ kind: "special", ids, typeId });
const plain: TokenTemplate = { single: [text(0)], pair: [text(0), textPair(1)] };

const token = z.tuple([z.string(), z.int()]).transform(([, id]) => id);
const piece = z.union([
  z.object({ Sequence: z.object({ id: z.enum(["A", "B"]), type_id: z.int() }) }),
  z.object({ SpecialToken: z.object({ id: z.string(), type_id: z.int() }) }),
]);
type Piece = z.infer<typeof piece>;

const templateProcessing = z
  .object({
    type: z.literal("TemplateProcessing"),
    single: z.array(piece),
    pair: z.array(piece),
    special_tokens: z.record(z.string(), z.object({ ids: z.array(z.int()) })),
  })
  .transform(({ single, pair, special_tokens: tokens }): TokenTemplate => {
    const part = (it: Piece): TemplatePart => {
      if ("SpecialToken" in it)
        return special(tokens[it.SpecialToken.id]?.ids ?? [], it.SpecialToken.type_id);
      return it.Sequence.id === "A" ? text(it.Sequence.type_id) : textPair(it.Sequence.type_id);
    };
    return { single: single.map(part), pair: pair.map(part) };
  });
const bertProcessing = z
  .object({ type: z.literal("BertProcessing"), sep: token, cls: token })
  .transform(({ sep, cls }): TokenTemplate => {
    const single = [special([cls], 0), text(0), special([sep], 0)];
    return { single, pair: [...single, textPair(1), special([sep], 1)] };
  });
const robertaProcessing = z
  .object({ type: z.literal("RobertaProcessing"), sep: token, cls: token })
  .transform(({ sep, cls }): TokenTemplate => {
    const single = [special([cls], 0), text(0), special([sep], 0)];
    return { single, pair: [...single, special([sep], 0), textPair(0), special([sep], 0)] };
  });
const sequence = z
  .object({ type: z.literal("Sequence"), processors: z.array(z.unknown()) })
  .transform(
    ({ processors }) =>
      processors.map(tokenTemplate).findLast((template) => specialCount(template.single) > 0) ?? plain,
  );
const processor = z.union([templateProcessing, bertProcessing, robertaProcessing, sequence]);

/**
 * The tokens that the `post_processor` of a `tokenizer.json` adds around the texts; just the texts if it adds none. In
 * a `Sequence`, the last processor that adds tokens counts.
 */
export const tokenTemplate = (postProcessor: unknown): TokenTemplate =>
  processor.safeParse(postProcessor).data ?? plain;

/** The number of special tokens in the parts. */
export const specialCount = (parts: readonly TemplatePart[]): number =>
  parts.reduce((n, part) => n + (part.kind === "special" ? part.ids.length : 0), 0);
