import { type Dims, type NamedTensors, showDims, showType, type TensorData, wireDims } from "@tritype/core";
import { bindDims, type ModelMetadata, type NamedSizes } from "@tritype/protocol";
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
  /** Whether an answer may lack outputs, as each response of a model that streams if only the server knows its types. Default: no. */
  readonly mayLack?: boolean;
}

interface WrongOutput {
  readonly output: string;
  /** `is declared as FP32[batch, 3], but is FP32[1, 4]` */
  readonly problem: string;
}

/** An output that an answer lacks, or that does not have its declared type. */
export interface Misfit extends WrongOutput {
  /** The model that produces it: the ensemble's member, if it has members. */
  readonly maker: string;
}

/** The types that a server knows; a variable size is -1. */
export const typesOf = ({ inputs, outputs }: ModelMetadata): DeclaredTypes => {
  const types = (tensors: typeof inputs): DeclaredTensors =>
    Object.fromEntries(tensors.map(({ name, datatype, shape }) => [name, { dtype: datatype, dims: shape }]));
  return { inputs: types(inputs), outputs: types(outputs) };
};

/**
 * The outputs that are missing or do not have their declared type: another dtype, rank or size, or different sizes for one name. Triton
 * does not check what a model's code returns.
 */
export const misfitsOf = (
  endpoint: Pick<Endpoint, "config">,
  asked: Asked,
  outputs: NamedTensors,
): Promise<readonly Misfit[]> =>
  Promise.all(wrongOutputs(asked, outputs).map((one) => withMaker(endpoint, asked.model, one)));

/** @throws PipelineError `model/failed` for the first output that an answer lacks, or that does not have its declared type. */
export const refuseMisfit = async (
  endpoint: Pick<Endpoint, "config">,
  asked: Asked,
  outputs: NamedTensors,
): Promise<void> => {
  const [first] = wrongOutputs(asked, outputs);
  if (first === undefined) return;
  const { model } = asked;
  throw endpointError("model/wrong-answer", { model, ...(await withMaker(endpoint, model, first)) });
};

const wrongOutputs = (
  { declared, inputs, mayLack = false }: Asked,
  outputs: NamedTensors,
): readonly WrongOutput[] => {
  const sizes: NamedSizes = new Map();
  for (const [tensor, { shape }] of inputs)
    bindDims(sizes, tensor, declared.inputs[tensor]?.dims ?? [], shape);
  return Object.entries(declared.outputs).flatMap(([output, { dtype, dims }]) => {
    const type = { dtype, dims: wireDims(dims) };
    const made = outputs.get(output);
    const instead =
      made === undefined ? (mayLack ? undefined : "missing") : misfitOf(output, type, made, sizes);
    return instead === undefined
      ? []
      : [{ output, problem: `is declared as ${showType(type)}, but is ${instead}` }];
  });
};

/** The actual type, and the size of a name elsewhere; undefined if the tensor has its declared type. Notes the sizes of its names. */
const misfitOf = (
  output: string,
  type: DeclaredTensors[string],
  { dtype, shape }: TensorData,
  sizes: NamedSizes,
): string | undefined => {
  const literal = type.dims.map((dim) => (typeof dim === "number" ? dim : -1));
  const actual = `${dtype}${showDims(shape)}`;
  if (dtype !== type.dtype || !fitsDims(literal, shape)) return actual;
  const conflict = bindDims(sizes, output, type.dims, shape);
  if (conflict === undefined) return undefined;
  const { dim, known } = conflict;
  return `${actual}: \`${dim}\` is ${known.size} in \`${known.tensor}\``;
};

const withMaker = async (
  endpoint: Pick<Endpoint, "config">,
  model: string,
  wrong: WrongOutput,
): Promise<Misfit> => ({ ...wrong, maker: await makerOf(endpoint, model, wrong.output) });

/** The member of an ensemble, or of an ensemble in it, that produces an output; the model itself if it has no members. */
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
