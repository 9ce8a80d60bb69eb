import type { Graph, InputNode, StepDefinition, StepNode } from "@tritype/core";
import type { Program } from "../graph/program.ts";
import { tokenizerKind } from "../tokenizer/tokenizer-kind.ts";

/** A call to a tokenizer, and the tokenizer's declaration. */
export interface TokenizerCall {
  readonly node: StepNode;
  readonly step: StepDefinition;
}

/** The calls to tokenizers in an ensemble. */
export const findTokenizers = ({ nodes }: Graph, { steps }: Program): readonly TokenizerCall[] =>
  nodes.flatMap((node) => {
    const step = node.kind === "step" ? steps.get(node.step) : undefined;
    return node.kind === "step" && step?.kind === tokenizerKind.kind ? [{ node, step }] : [];
  });

export const inputNodes = ({ nodes }: Graph): readonly InputNode[] =>
  nodes.filter((node): node is InputNode => node.kind === "input");
