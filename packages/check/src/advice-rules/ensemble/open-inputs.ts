import { groupBy, type Label } from "@tritype/core";
import type { CheckedModel, RepositoryContext } from "../../model-context.ts";
import { onnxFiles } from "../../model/onnx-file.ts";
import { type ClassModelPy, classModelPys } from "../../python/model-py/model-py.ts";
import { callsIn, valuesOf } from "../../python/values.ts";
import { dottedName } from "../../python/walk.ts";
import { type EnsembleEdge, ensembleEdges } from "./ensemble-edges.ts";
import { mayCallModels, modelCalls } from "../python/model-calls.ts";
import { openPadding } from "../tokenizer/open-padding.ts";

/** An input whose variable dimensions depend on the contents of each request. */
export interface OpenInput {
  readonly checked: CheckedModel;
  readonly port: string;
  /** A clause, such as "`tokenizer` pads `ids` to the longest text of each request". */
  readonly why: string;
  readonly place: Label;
  /** The fix if padding does not help. */
  readonly help?: string;
}

/** The open inputs that an ensemble's steps or a Python model's calls fill, or that contain encoded files. */
export const openInputs = (repository: RepositoryContext): readonly OpenInput[] => [
  ...wiredInputs(repository),
  ...[...repository.models.values()].flatMap((checked) => [
    ...calledInputs(checked, repository.models),
    ...fileInputs(checked),
  ]),
];

type Origin = Pick<OpenInput, "why" | "place">;

const wiredInputs = (repository: RepositoryContext): readonly OpenInput[] => {
  const edges = ensembleEdges(repository);
  const originOf = originsOf(edges);
  return edges.flatMap((edge) => {
    const { from, to, tensor } = edge;
    const origin = originOf(edge);
    if (origin === undefined) return [];
    const own = from.checked.model.config.backend === "python";
    const why = own ? origin.why : `${origin.why}, which gives \`${tensor}\` its length`;
    return [{ ...to, place: origin.place, why }];
  });
};

/**
 * The reason why the length of an edge's tensor depends on the texts: the producing model pads to the longest text, or
 * its output has the length of an open input.
 */
const originsOf = (edges: readonly EnsembleEdge[]): ((edge: EnsembleEdge) => Origin | undefined) => {
  const into = groupBy(edges.map((edge) => [edge.to.checked, edge] as const));
  const reached = reachedByPadding(edges);
  const known = new Map<string, Origin | undefined>();
  const originOf = (edge: EnsembleEdge): Origin | undefined => {
    const { checked, port } = edge.from;
    const key = JSON.stringify([checked.model.name, port, edge.tensor]);
    if (!known.has(key)) {
      // A tensor in a cycle has no origin.
      known.set(key, undefined);
      known.set(key, find(checked, port, edge.tensor));
    }
    return known.get(key);
  };
  const find = (checked: CheckedModel, port: string, tensor: string): Origin | undefined => {
    const { model } = checked;
    if (model.config.backend === "python") {
      const padding = openPadding(model);
      return padding && { why: `\`${model.name}\` ${padding.does(`\`${tensor}\``)}`, place: padding.place };
    }
    if (!reached.has(checked)) return undefined;
    const inputs = sharers(checked, port);
    for (const edge of into.get(checked) ?? []) {
      const origin = inputs.includes(edge.to.port) ? originOf(edge) : undefined;
      if (origin !== undefined) return origin;
    }
    return undefined;
  };
  return originOf;
};

/** The models whose inputs depend on a padded tensor, directly or not. Other models' files need not be read. */
const reachedByPadding = (edges: readonly EnsembleEdge[]): ReadonlySet<CheckedModel> => {
  const readers = groupBy(edges.map(({ from, to }) => [from.checked, to.checked] as const));
  const padding = [...readers.keys()].filter(
    ({ model }) => model.config.backend === "python" && openPadding(model) !== undefined,
  );
  const reached = new Set(padding);
  // This also visits the models that it adds.
  for (const checked of reached) for (const reader of readers.get(checked) ?? []) reached.add(reader);
  return reached;
};

/** The inputs of an ONNX model that share a named dimension other than the batch with an output. */
const sharers = ({ model, completed }: CheckedModel, output: string): readonly string[] => {
  const found = onnxFiles(model).at(-1)?.found;
  if (found?.kind !== "graph") return [];
  const batched = (completed?.max_batch_size ?? 0) > 0;
  const { inputs, outputs } = found.graph.signature;
  const namesOf = (dims: readonly (string | number)[] | undefined) =>
    (dims ?? []).slice(batched ? 1 : 0).filter((dim) => typeof dim === "string");
  const names = new Set(namesOf(outputs.find(({ name }) => name === output)?.dims));
  return inputs.filter(({ dims }) => namesOf(dims).some((dim) => names.has(dim))).map(({ name }) => name);
};

const calledInputs = (checked: CheckedModel, models: RepositoryContext["models"]): readonly OpenInput[] => {
  const { model } = checked;
  const padding = mayCallModels(model) ? openPadding(model) : undefined;
  return padding === undefined
    ? []
    : modelCalls(checked, models).map(({ to }) => ({
        ...to,
        why: `\`${model.name}\`, which calls it, ${padding.does(`\`${to.port}\``)}`,
        place: padding.place,
      }));
};

/** Functions that read files from memory. */
const decoders = /^(?:cv2\.imdecode|(?:\w+\.)*(?:decode_image|decode_jpeg)|(?:io\.)?BytesIO)$/;

/** Bytes inputs from which a Python model decodes files. */
const fileInputs = (checked: CheckedModel): readonly OpenInput[] => {
  const { model, completed } = checked;
  const inputs = (completed?.input ?? []).filter(
    ({ data_type: type, dims = [] }) => type === "TYPE_UINT8" && dims.length === 1 && dims[0] === -1,
  );
  const [input, ...others] = inputs;
  if (input?.name === undefined || others.length > 0) return [];
  const [file, ...versions] = classModelPys(model);
  if (file === undefined || versions.length > 0) return [];
  const call = decodes(file);
  if (call === undefined) return [];
  const why = `\`${input.name}\` contains encoded files, which differ in length`;
  const help = `files cannot be padded: write \`allow_ragged_batch: true\` in \`${input.name}\`, so that requests of any length arrive in one call, or remove \`dynamic_batching\``;
  return [{ checked, port: input.name, why, place: file.at(call, "read here"), help }];
};

const decodes = ({ module }: ClassModelPy): number | undefined => {
  const { resolve } = valuesOf(module);
  return callsIn(module.body).find(
    ({ callee, args }) => args.length > 0 && decoders.test(dottedName(resolve(callee)) ?? ""),
  )?.from;
};
