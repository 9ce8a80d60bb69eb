import { type Diagnostic, inBackticks, isOptional, type Label, type Port } from "@tritype/core";
import { operators } from "@tritype/operators";
import { definedAt, isBatched } from "./check-declaration.ts";
import { checkLabels } from "./check-labels.ts";
import { diagnose } from "../diagnostics.ts";
import { constantNodes } from "../graph/find-regions.ts";
import { labels, madeHere } from "../graph/infer-graph.ts";
import type { EnsembleDefinition, Program } from "../graph/program.ts";
import { pruneGraph, reachable } from "../graph/prune-graph.ts";
import { optionSpan } from "../graph/read-option-places.ts";
import { separateOutputs } from "../graph/separate-outputs.ts";

/** Triton's requirements for an ensemble as a whole: it has an input and an output, and uses every input. */
export const checkGraph = (ensemble: EnsembleDefinition, program: Program): readonly Diagnostic[] => {
  const { graph } = ensemble;
  const at = { labels: definedAt(ensemble) };
  const name = { ensemble: ensemble.name };
  if (Object.keys(ensemble.inputs).length === 0) return [diagnose("graph/no-input", { with: name, ...at })];
  if (Object.keys(graph.outputs).length === 0) return [diagnose("graph/no-output", { with: name, ...at })];
  const used = reachable(graph);
  return [
    ...constantTensors(ensemble),
    ...shadowedInputs(ensemble),
    ...optionalOperands(ensemble, program),
    ...refusedCopies(ensemble),
    ...checkLabels(ensemble),
    ...graph.nodes
      .filter(({ id }) => !used.has(id))
      .flatMap((node): readonly Diagnostic[] => {
        if (node.kind === "operator") return [];
        if (node.kind === "step")
          return [
            diagnose("graph/unused-step", { with: { step: node.step }, labels: labels(node, "called here") }),
          ];
        return [
          diagnose("graph/unused-input", {
            with: { ...name, input: node.name },
            labels: labels(node, "declared here"),
          }),
        ];
      }),
  ];
};

/** In Triton a name is one tensor: an output with the name of an input would overwrite it, and requests would hang. */
const shadowedInputs = (ensemble: EnsembleDefinition): readonly Diagnostic[] =>
  Object.keys(ensemble.graph.outputs)
    .filter((output) => Object.hasOwn(ensemble.inputs, output))
    .map((output) =>
      diagnose("graph/output-named-like-input", {
        with: { ensemble: ensemble.name, output },
        labels: placesOf(output, ensemble),
      }),
    );

/** Where an output is returned, and where the input of that name is declared. */
const placesOf = (output: string, ensemble: EnsembleDefinition): readonly Label[] => {
  const found = Object.entries({ run: "returned here", inputs: "the input" }).flatMap(([option, text]) => {
    const span = optionSpan(ensemble.places, [option, output]);
    return span === undefined ? [] : [{ span, text }];
  });
  return found.length === 0 ? definedAt(ensemble) : found;
};

/** Outputs that need a copy of a tensor whose dtype tensor math does not support. */
const refusedCopies = (ensemble: EnsembleDefinition): readonly Diagnostic[] => {
  const { nodes, outputs } = separateOutputs(pruneGraph(ensemble.graph));
  const written = new Map(ensemble.graph.nodes.map((node) => [node.id, node]));
  return Object.entries(outputs).flatMap(([output, { node: id }]): readonly Diagnostic[] => {
    const copy = nodes.find((node) => node.id === id);
    const [from] = Object.values(copy?.inputs ?? {});
    const type = copy?.outputs["out"];
    if (written.has(id) || copy?.kind !== "operator" || from === undefined || type === undefined) return [];
    const problem = operators.get(copy.operator)?.infer([type], copy.attributes).problem;
    if (problem === undefined) return [];
    return [
      {
        code: problem.code,
        severity: "error",
        message: `output \`${output}\` of \`${ensemble.name}\` needs a copy: ${problem.message}`,
        labels: [...definedAt(ensemble), ...madeHere(written.get(from.node), from.output)],
        notes: ["an output is copied if it is an input, is returned twice, or is also read by a step"],
        help: `use FP32 or FP16, or return a ${type.dtype} output of a model that nothing else reads`,
      },
    ];
  });
};

/**
 * In Triton a model fails a request that lacks one of its tensors, unless the model declares it as optional. A batched
 * model fails a request that has none: it counts the rows of the first.
 */
const optionalOperands = (
  ensemble: EnsembleDefinition,
  { steps, ensembles }: Program,
): readonly Diagnostic[] => {
  const { graph, inputs, name } = ensemble;
  const optional = graph.nodes.flatMap((node) => {
    const type = node.kind === "input" ? inputs[node.name] : undefined;
    return type !== undefined && isOptional(type) ? [node] : [];
  });
  const isLeftOut = ({ node }: Port): boolean => optional.some(({ id }) => id === node);
  const uncounted = graph.nodes.flatMap((node) => {
    const step = node.kind === "step" ? (steps.get(node.step) ?? ensembles.get(node.step)) : undefined;
    if (node.kind !== "step" || step === undefined || !isBatched(step)) return [];
    const ports = Object.values(node.inputs);
    const given = new Set(ports.map(({ output }) => output));
    const isCounted =
      given.size === 0 || !ports.every(isLeftOut) || !Object.values(step.inputs).every(isOptional);
    // A request that has none of the ensemble's inputs fails anyway.
    if (isCounted || given.size === Object.keys(inputs).length) return [];
    return [
      diagnose("batch/no-required-input", {
        with: { step: step.name, inputs: inBackticks([...given]), ensemble: name },
        labels: labels(node, "called here"),
      }),
    ];
  });
  const uses = [
    ...graph.nodes.flatMap((node) => {
      if (node.kind === "input") return [];
      const owner = node.kind === "step" ? node.step : node.operator;
      const declared = (node.kind === "step" ? (steps.get(owner) ?? ensembles.get(owner)) : undefined)
        ?.inputs;
      return Object.entries(node.inputs).flatMap(([name, port]) => {
        const type = declared?.[name];
        return type !== undefined && isOptional(type) ? [] : [{ owner, port, at: labels(node, "here") }];
      });
    }),
    ...Object.entries(graph.outputs).map(([owner, port]) => ({ owner, port, at: definedAt(ensemble) })),
  ];
  const needed = uses
    .filter(({ port }) => isLeftOut(port))
    .map(({ owner, port, at }) =>
      diagnose("graph/optional-operand", {
        with: { owner, input: port.output, ensemble: name },
        labels: at,
      }),
    );
  return [...needed, ...uncounted];
};

/** Tensors computed only from constants can be inside a region, but not between models. */
const constantTensors = ({ graph, name }: EnsembleDefinition): readonly Diagnostic[] => {
  const constants = constantNodes(graph);
  const made = (id: string): readonly Label[] =>
    graph.nodes.filter((node) => node.id === id).flatMap((node) => labels(node, "created here"));
  const wires = graph.nodes.flatMap((node) =>
    node.kind === "step"
      ? Object.entries(node.inputs).map(([input, port]) => ({
          owner: node.step,
          tensor: `input \`${input}\``,
          id: port.node,
        }))
      : [],
  );
  const outputs = Object.entries(graph.outputs).map(([output, port]) => ({
    owner: name,
    tensor: `output \`${output}\``,
    id: port.node,
  }));
  return [...wires, ...outputs]
    .filter(({ id }) => constants.has(id))
    .map(({ owner, tensor, id }) =>
      diagnose("graph/constant-tensor", { with: { owner, tensor }, labels: made(id) }),
    );
};
