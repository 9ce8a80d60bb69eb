import { type Dim, type Dims, type NamedTensors, showDim, showDims, showType, wireDims } from "@tritype/core";
import type { ModelMetadata } from "@tritype/protocol";
import { fitsDims, type ModelConfig } from "@tritype/triton";
import type { Endpoint } from "./endpoint.ts";
import { endpointError } from "./errors.ts";

type DeclaredTensors = Readonly<Record<string, { readonly dtype: string; readonly dims: Dims }>>;

/** The types that a model declares for its tensors, such as those of an ensemble in a manifest. */
export interface DeclaredTypes {
  readonly inputs: DeclaredTensors;
  readonly outputs: DeclaredTensors;
}

/** A model and one request to it. */
export interface Asked {
  readonly model: string;
  readonly declared: DeclaredTypes;
  readonly inputs: NamedTensors;
}

/** An output of an answer that does not have its declared type. */
export interface Misfit {
  readonly output: string;
  /** `is declared as FP32[batch, 3], but is FP32[1, 4]` */
  readonly problem: string;
  /** The model that returned it: the ensemble's member, if it has members. */
  readonly maker: string;
}

/** The types that a server knows; a variable size is -1. */
export const typesOf = ({ inputs, outputs }: ModelMetadata): DeclaredTypes => {
  const types = (tensors: typeof inputs): DeclaredTensors =>
    Object.fromEntries(tensors.map(({ name, datatype, shape }) => [name, { dtype: datatype, dims: shape }]));
  return { inputs: types(inputs), outputs: types(outputs) };
};

/**
 * The outputs that do not have their declared type: another dtype, rank or size, or different sizes for one name. Triton does not check
 * what a model's code returns.
 */
export const misfitsOf = async (
  endpoint: Pick<Endpoint, "config">,
  { model, declared, inputs }: Asked,
  outputs: NamedTensors,
): Promise<readonly Misfit[]> => {
  const sizes = new Map<Dim, { readonly size: number; readonly tensor: string }>();
  for (const [tensor, { shape }] of inputs) bind(sizes, tensor, declared.inputs[tensor]?.dims ?? [], shape);
  const found: Misfit[] = [];
  for (const [output, { dtype, shape }] of outputs) {
    const type = declared.outputs[output];
    if (type === undefined) continue;
    const dims = wireDims(type.dims);
    const fits =
      dtype === type.dtype &&
      fitsDims(
        dims.map((dim) => (typeof dim === "number" ? dim : -1)),
        shape,
      );
    const conflict = fits ? bind(sizes, output, dims, shape) : "";
    if (conflict === undefined) continue;
    const problem = `is declared as ${showType({ dtype: type.dtype, dims })}, but is ${dtype}${showDims(shape)}${conflict}`;
    found.push({ output, problem, maker: await makerOf(endpoint, model, output) });
  }
  return found;
};

/** @throws PipelineError `model/failed` for the first output of an answer that does not have its declared type. */
export const refuseMisfit = async (
  endpoint: Pick<Endpoint, "config">,
  asked: Asked,
  outputs: NamedTensors,
): Promise<void> => {
  const [first] = await misfitsOf(endpoint, asked, outputs);
  if (first !== undefined) throw endpointError("model/wrong-answer", { model: asked.model, ...first });
};

/** Notes the sizes of named dims. Returns a clause if a name already has another size. */
const bind = (
  sizes: Map<Dim, { readonly size: number; readonly tensor: string }>,
  tensor: string,
  dims: Dims,
  shape: readonly number[],
): string | undefined => {
  for (const [axis, dim] of dims.entries()) {
    const size = shape[axis];
    if (typeof dim !== "string" || size === undefined) continue;
    const known = sizes.get(dim);
    if (known === undefined) sizes.set(dim, { size, tensor });
    else if (known.size !== size) return `: \`${showDim(dim)}\` is ${known.size} in \`${known.tensor}\``;
  }
  return undefined;
};

/** The member of an ensemble, or of an ensemble in it, that returns an output; the model itself if it has no members. */
const makerOf = async (
  endpoint: Pick<Endpoint, "config">,
  model: string,
  output: string,
): Promise<string> => {
  // KServe servers other than Triton have no configurations.
  const config = await endpoint.config(model).catch((): ModelConfig => ({}));
  for (const { model_name, output_map = {} } of config.ensemble_scheduling?.step ?? []) {
    const own = Object.keys(output_map).find((name) => output_map[name] === output);
    if (own !== undefined && model_name !== undefined) return makerOf(endpoint, model_name, own);
  }
  return model;
};
