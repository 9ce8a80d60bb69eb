import { type InputNode, isOptional, mapDefined, type Port, type StepNode } from "@tritype/core";
import type { ManifestTextModel } from "@tritype/manifest";
import type { ReadSteps, TextPart } from "../step-kind.ts";
import type { EnsembleDefinition } from "./program.ts";

type PartOf<K extends TextPart["kind"]> = Extract<TextPart, { readonly kind: K }>;

/**
 * How an ensemble continues a text. Such an ensemble has one input for a prompt, one step that generates, and an
 * output with the generated text. Undefined for other ensembles, and for those whose requests need more than a prompt.
 */
export const findTextModel = (
  { graph, inputs }: Pick<EnsembleDefinition, "graph" | "inputs">,
  steps: ReadSteps,
): ManifestTextModel | undefined => {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const stepAt = <K extends TextPart["kind"]>(
    id: string | undefined,
    kind: K,
  ): { readonly node: StepNode; readonly part: PartOf<K> } | undefined => {
    const node = nodes.get(id ?? "");
    const part = node?.kind === "step" ? steps.get(node.step)?.read.textPart : undefined;
    return node?.kind === "step" && part?.kind === kind ? { node, part: part as PartOf<K> } : undefined;
  };
  const inputAt = (port: Port | undefined): InputNode | undefined => {
    const node = nodes.get(port?.node ?? "");
    return node?.kind === "input" ? node : undefined;
  };
  const [generation, ...others] = graph.nodes.flatMap(({ id }) => stepAt(id, "generation") ?? []);
  if (generation === undefined || others.length > 0) return undefined;
  const { node, part } = generation;
  const tokens = node.inputs["input_ids"];
  const tokenizer = tokens?.output === "input_ids" ? stepAt(tokens.node, "tokens") : undefined;
  const prompt = inputAt(tokenizer?.node.inputs["text"]);
  if (tokenizer === undefined || prompt === undefined) return undefined;
  const isOf = (port: Port | undefined, output: string): boolean =>
    port?.node === node.id && port.output === output;
  const outputOf = (isIt: (port: Port) => boolean): string | undefined =>
    Object.entries(graph.outputs).find(([, port]) => isIt(port))?.[0];
  const text = outputOf(
    (port) => isOf(port, "text") || isOf(stepAt(port.node, "text")?.node.inputs["ids"], "sequences"),
  );
  const needed = Object.entries(inputs).filter(([, type]) => !isOptional(type));
  if (text === undefined || needed.some(([name]) => name !== prompt.name)) return undefined;
  const returned = outputOf((port) => isOf(port, "sequences"));
  const finishReason = outputOf((port) => isOf(port, "finish_reason"));
  return {
    prompt: prompt.name,
    text,
    ...(returned === undefined ? {} : { tokens: returned }),
    ...(finishReason === undefined ? {} : { finishReason }),
    tokenizer: tokenizer.node.step,
    settings: part.settings,
    perRequest: Object.fromEntries(mapDefined(part.perRequest, (name) => inputAt(node.inputs[name])?.name)),
    ...(tokenizer.part.chat === undefined ? {} : { chat: tokenizer.part.chat }),
  };
};
