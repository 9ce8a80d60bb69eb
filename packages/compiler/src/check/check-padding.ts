import { type Diagnostic, type StepDefinition, type StepNode } from "@tritype/core";
import { tokenizerOptionsSchema } from "@tritype/manifest";
import type { EnsembleDefinition } from "../graph/program.ts";
import type { CapturedRequest } from "../warmup/captured-warmup.ts";
import { definedAt } from "./check-declaration.ts";
import { diagnoseTokens } from "./token-diagnostics.ts";

/** Buckets are compared with padding to multiples of this many tokens. */
const narrow = 16;
/** Buckets are reported if they take at least this many times the tokens that such multiples need. */
const wide = 2;

/**
 * Compares a tokenizer's buckets with the lengths of the samples that reached the next step.
 * @param captured The requests captured from the build's samples, one row each.
 */
export const checkPadding = (
  { name: ensemble, graph }: EnsembleDefinition,
  steps: ReadonlyMap<string, { readonly step: StepDefinition }>,
  captured: readonly CapturedRequest[],
): readonly Diagnostic[] => {
  const calls = graph.nodes.filter((node): node is StepNode => node.kind === "step");
  return calls.flatMap((tokenizer) => {
    const step = steps.get(tokenizer.step)?.step;
    if (step?.kind !== "tokenizer" || !hasBuckets(step)) return [];
    const texts = calls.flatMap((taker) => {
      const input = Object.entries(taker.inputs).find(
        ([, { node, output }]) => node === tokenizer.id && output === "attention_mask",
      )?.[0];
      if (input === undefined) return [];
      const requests = captured.filter((one) => one.ensemble === ensemble && one.model === taker.step);
      return requests.flatMap((request) => lengthsOf(request, input));
    });
    const padded = texts.reduce((sum, text) => sum + text.padded, 0);
    const needed = texts.reduce((sum, text) => sum + stepped(text.tokens), 0);
    const [widest] = texts.toSorted((a, b) => b.padded - stepped(b.tokens) - (a.padded - stepped(a.tokens)));
    if (widest === undefined || padded < wide * needed) return [];
    return [
      diagnoseTokens("tokenizer/wide-buckets", {
        with: {
          step: step.name,
          ensemble,
          times: (padded / needed).toFixed(1),
          tokens: widest.tokens,
          bucket: widest.padded,
          better: stepped(widest.tokens),
        },
        labels: definedAt(step, "padded here"),
      }),
    ];
  });
};

const hasBuckets = ({ options }: StepDefinition): boolean => {
  const { data } = tokenizerOptionsSchema.safeParse(options);
  return typeof data?.padding === "object" && "buckets" in data.padding;
};

interface TextLength {
  readonly tokens: number;
  readonly padded: number;
}

/** A row of a mask, with a 1 for each token. */
const lengthsOf = ({ inputs }: CapturedRequest, input: string): readonly TextLength[] => {
  const mask = inputs[input];
  const padded = mask?.dims.at(-1) ?? 0;
  if (mask?.dtype !== "INT64" || mask.dims.length !== 1 || padded === 0) return [];
  const view = new DataView(mask.bytes.buffer, mask.bytes.byteOffset, mask.bytes.byteLength);
  const ones = Array.from({ length: padded }, (_, at) => Number(view.getBigInt64(at * 8, true)));
  return [{ padded, tokens: ones.filter((one) => one === 1).length }];
};

const stepped = (tokens: number): number => Math.max(1, Math.ceil(tokens / narrow)) * narrow;
