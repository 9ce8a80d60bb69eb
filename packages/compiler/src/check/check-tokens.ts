import { type Diagnostic, type Label, type StepDefinition, type StepNode } from "@tritype/core";
import { calledVersions } from "../authored-versions.ts";
import { labels } from "../graph/infer-graph.ts";
import type { EnsembleDefinition } from "../graph/program.ts";
import type { MadeTokens, ReadSteps, TakenTokens } from "../step-kind.ts";
import { definedAt } from "./check-declaration.ts";
import { diagnoseTokens } from "./token-diagnostics.ts";

/** Checks the token ids of tokenizers against the tables of the models that receive them. */
export const checkTokens = (pairings: readonly Pairing[]): readonly Diagnostic[] => pairings.flatMap(compare);

/** The tokenizers of an ensemble, each with a model that receives its ids. */
export const tokenPairings = ({ graph }: EnsembleDefinition, steps: ReadSteps): readonly Pairing[] => {
  const called = graph.nodes.flatMap((node) => {
    const found = node.kind === "step" ? steps.get(node.step) : undefined;
    return node.kind === "step" && found !== undefined
      ? [{ node, ...found, version: versionOf(found.step, node) }]
      : [];
  });
  return called.flatMap(({ node, step, read, version }) => {
    const made = read.makesTokens?.(version);
    if (made === undefined) return [];
    return called.flatMap((taker) => {
      const input = Object.entries(taker.node.inputs).find(
        ([, port]) => port.node === node.id && port.output === made.output,
      )?.[0];
      if (input === undefined) return [];
      const taken = taker.read.takesTokens?.(taker.version);
      if (taken === undefined) return [];
      const at = [
        ...definedAt(step, `makes ${made.output}`),
        ...definedAt(taker.step, `takes them as ${input}`),
        ...labels(taker.node, "called here"),
      ];
      return [{ made, taken, input, maker: step.name, model: taker.step.name, at }];
    });
  });
};

/** The version that is called, or the highest if the call does not name one. */
const versionOf = (step: StepDefinition, { version }: StepNode): number =>
  (version === undefined ? undefined : calledVersions(step, version)[0]) ?? calledVersions(step).at(-1) ?? 1;

export interface Pairing {
  readonly made: MadeTokens;
  readonly taken: TakenTokens;
  readonly input: string;
  readonly maker: string;
  readonly model: string;
  readonly at: readonly Label[];
}

const compare = ({ made, taken, input, maker, model, at }: Pairing): readonly Diagnostic[] => {
  const { file, largest, pad, maxLength } = made;
  const { file: modelFile, tokens, positions } = taken;
  const rows = tokens.get(input);
  const found: Diagnostic[] = [];
  if (rows !== undefined && pad.id >= rows)
    found.push(
      diagnoseTokens("tokenizer/pad-id-over-model", {
        with: { file, token: pad.token, id: pad.id, model, modelFile, rows },
        labels: at,
      }),
    );
  else if (rows !== undefined && largest.id >= rows)
    found.push(
      diagnoseTokens("tokenizer/vocabulary-over-model", {
        with: { file, token: largest.token, id: largest.id, model, modelFile, rows },
        labels: at,
      }),
    );
  if (positions !== undefined && maxLength > positions)
    found.push(
      diagnoseTokens("tokenizer/max-length-over-positions", {
        with: { maker, maxLength, model, modelFile, positions },
        labels: at,
      }),
    );
  return found;
};
