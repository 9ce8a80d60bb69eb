import { type Diagnostic, showType, type Graph, type Label } from "@tritype/core";
import { definedAt, ownMaxBatchSize } from "../check/check-declaration.ts";
import { checkOptionForm } from "../check/check-option-forms.ts";
import { labels } from "../graph/infer-graph.ts";
import { diagnose } from "../diagnostics.ts";
import type { CompilerHost } from "../compiler-host.ts";
import type { EnsembleDefinition, Program } from "../graph/program.ts";
import { pruneGraph } from "../graph/prune-graph.ts";
import { readTokenizer } from "../tokenizer/read-tokenizer.ts";
import { batchByForm, batchByOf } from "./batch-by.ts";
import { checkMasked } from "./check-masked.ts";
import { diagnoseCollate } from "./collate-diagnostics.ts";
import { findTokenizers, inputNodes, type TokenizerCall } from "./find-tokenizer.ts";

/** Checks that an ensemble with `batchBy: "length"` can be split after its tokenizer, if it passes all other checks. */
export const checkCollate = (
  ensemble: EnsembleDefinition,
  program: Program,
  host: CompilerHost,
): readonly Diagnostic[] => {
  const wrong = checkOptionForm(
    ensemble,
    "batchBy",
    batchByForm,
    ({ with: { step, option, reason, got }, labels: written }) =>
      diagnoseCollate("collate/bad-option", {
        with: { ensemble: step, problem: `\`${option}\` ${reason}, got ${got}` },
        labels: written,
      }),
  );
  if (wrong.length > 0) return wrong;
  const at = definedAt(ensemble);
  if (batchByOf(ensemble) === undefined) return [];
  const most = ownMaxBatchSize(ensemble) ?? 0;
  if (most < 2)
    return [
      diagnoseCollate("collate/no-batch", {
        with: {
          ensemble: ensemble.name,
          problem: most === 1 ? "its `maxBatchSize` is 1" : "its inputs have no batch",
        },
        labels: at,
        help:
          most === 1
            ? "raise `maxBatchSize`, or remove `batchBy`"
            : 'name the first dim of the inputs "batch" and set `maxBatchSize`, or remove `batchBy`',
      }),
    ];
  const graph = pruneGraph(ensemble.graph);
  const calls = findTokenizers(graph, program);
  const [call] = calls;
  const found = checkTokenizers(ensemble, graph, calls, host);
  if (call === undefined || found.length > 0) return found;
  const taken = [`${ensemble.name}_collate`, `${ensemble.name}_padded`].flatMap(
    (name) => program.steps.get(name) ?? program.ensembles.get(name) ?? [],
  );
  if (taken.length > 0)
    return taken.map((other) =>
      diagnose("model/duplicate-name", {
        with: { name: other.name },
        labels: [...definedAt(other), ...definedAt(ensemble, "`batchBy` makes a model of that name")],
        help: "rename one of them",
      }),
    );
  const side = readTokenizer(call.step, host).value?.twin.pad.side ?? "right";
  return [
    ...checkOutputs(ensemble, graph),
    ...checkMasked(ensemble, graph, call, side),
    ...checkSamples(ensemble),
  ];
};

const checkTokenizers = (
  ensemble: EnsembleDefinition,
  graph: Graph,
  calls: readonly TokenizerCall[],
  host: CompilerHost,
): readonly Diagnostic[] => {
  const problem = (text: string, at: readonly Label[], help: string): readonly Diagnostic[] => [
    diagnoseCollate("collate/tokenizer", {
      with: { ensemble: ensemble.name, problem: text },
      labels: [...definedAt(ensemble), ...at],
      help,
    }),
  ];
  const [call, other] = calls;
  if (call === undefined)
    return problem("it calls no tokenizer", [], "remove `batchBy`: there are no lengths to batch by");
  if (other !== undefined)
    return problem(
      `it calls ${calls.length} tokenizers`,
      calls.flatMap(({ node }) => labels(node, "called here")),
      "define one ensemble for each, or remove `batchBy`",
    );
  const { node, step } = call;
  const called = labels(node, "called here");
  const inputs = inputNodes(graph);
  const stranger = Object.values(node.inputs).find((port) => !inputs.some(({ id }) => id === port.node));
  if (stranger !== undefined) {
    const made = graph.nodes.find(({ id }) => id === stranger.node);
    return problem(
      `the texts that \`${step.name}\` reads are not inputs of the ensemble`,
      [...called, ...(made === undefined ? [] : labels(made, "created here"))],
      "tokenize the ensemble's inputs directly; put earlier steps into an ensemble around this one",
    );
  }
  const elsewhere = graph.nodes.find(
    (reader) =>
      reader !== node &&
      Object.values(reader.inputs).some((port) => inputs.some(({ id }) => id === port.node)),
  );
  if (elsewhere !== undefined)
    return problem(
      `an input bypasses the tokenizer \`${step.name}\``,
      [...labels(elsewhere, "used here too"), ...called],
      "pass the inputs only to the tokenizer, or remove `batchBy`",
    );
  if (node.version !== undefined || step.options["versions"] !== undefined)
    return problem(
      `the tokenizer \`${step.name}\` has versions`,
      [...called, ...definedAt(step)],
      "give the tokenizer one folder with `from`",
    );
  const { value: tokenizer } = readTokenizer(step, host);
  if (tokenizer?.twin.languages !== undefined)
    return problem(
      `\`${step.name}\` takes languages`,
      [...definedAt(step), ...called],
      "remove `batchBy`: the model after such a tokenizer generates, and groups its rows itself",
    );
  if (tokenizer?.twin.padding === "maxLength")
    return problem(
      `\`${step.name}\` pads every text to \`maxLength\`, so that all have the same length`,
      [...definedAt(step), ...called],
      'use `padding: "longest"`, or buckets; or remove `batchBy`: Triton merges equal lengths by itself',
    );
  return [];
};

/** Rows from several groups are joined again, so every size except the batch must be fixed. */
const checkOutputs = (ensemble: EnsembleDefinition, graph: Graph): readonly Diagnostic[] =>
  Object.entries(graph.outputs).flatMap(([output, port]) => {
    const made = graph.nodes.find(({ id }) => id === port.node);
    const type = made?.outputs[port.output];
    if (made === undefined || type === undefined) return [];
    if (type.dims.slice(1).every((dim) => typeof dim === "number" && dim !== -1)) return [];
    return [
      diagnoseCollate("collate/sequence-output", {
        with: { ensemble: ensemble.name, output, type: showType(type) },
        labels: [...labels(made, "created here"), ...definedAt(ensemble)],
      }),
    ];
  });

const checkSamples = (ensemble: EnsembleDefinition): readonly Diagnostic[] => {
  const { warmup } = ensemble.options;
  return Array.isArray(warmup) && warmup.length > 0
    ? []
    : [
        diagnoseCollate("collate/no-samples", {
          with: { ensemble: ensemble.name },
          labels: definedAt(ensemble),
        }),
      ];
};
