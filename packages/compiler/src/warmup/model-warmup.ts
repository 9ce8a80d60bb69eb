import {
  counted,
  type Diagnostic,
  elementCount,
  elementSize,
  printRawData,
  showDims,
  showType,
  sliceRows,
  type StepDefinition,
  type TensorData,
  type TensorType,
  ownValue,
} from "@tritype/core";
import { definedAt } from "../check/check-declaration.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { dataSources, readSampleFields } from "./sample-fields.ts";
import { readSample, type SampleOwner } from "./sample-tensors.ts";
import { showValue } from "./show-value.ts";
import { diagnoseWarmup } from "./warmup-diagnostics.ts";
import type { WarmupEntry, WarmupTensor } from "./warmup-entry.ts";

export interface ModelWarmupEntries {
  readonly entries: readonly WarmupEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A step's own `modelWarmup`. */
export const modelWarmup = (
  definition: StepDefinition,
  maxBatchSize: number,
  host: CompilerHost,
): ModelWarmupEntries => {
  const owner: SampleOwner = { definition, maxBatchSize };
  const given = readSampleFields(definition, "modelWarmup");
  const diagnostics = [...given.diagnostics];
  const entries: WarmupEntry[] = [];
  for (const sample of given.samples) {
    const described = new Map<string, WarmupTensor>();
    const values = new Map<string, unknown>();
    for (const [input, type] of Object.entries(definition.inputs)) {
      const value = ownValue(sample.inputs, input);
      if (value === undefined) continue;
      const read = describedTensor(owner, sample.name, input, type, value, host);
      if (read === undefined) values.set(input, value);
      else if ("code" in read) diagnostics.push(read);
      else described.set(input, read);
    }
    const read = readSample(owner, sample, values);
    if ("diagnostics" in read) {
      diagnostics.push(...read.diagnostics);
      continue;
    }
    const { row, batchSize } = read;
    const inputs = new Map<string, WarmupTensor>();
    for (const input of Object.keys(definition.inputs)) {
      const tensor = read.tensors.get(input);
      const made = tensor === undefined ? described.get(input) : rowOf(tensor, row, maxBatchSize > 0);
      if (made !== undefined) inputs.set(input, made);
    }
    entries.push({ name: sample.name, batchSize, count: sample.count, opt: sample.opt, inputs });
  }
  return diagnostics.length > 0 ? { entries: [], diagnostics } : { entries, diagnostics };
};

const rowOf = (tensor: TensorData, row: number, batched: boolean): WarmupTensor => {
  const one = batched ? sliceRows(tensor, row, row + 1) : tensor;
  const dims = batched ? one.shape.slice(1) : one.shape;
  return {
    dtype: tensor.dtype,
    dims,
    source: dims.includes(0)
      ? { kind: "zero" }
      : { kind: "file", file: { kind: "bytes", bytes: printRawData(one) } },
  };
};

/** An input that is described instead of given as values; undefined if values are given. */
const describedTensor = (
  owner: SampleOwner,
  sample: string,
  input: string,
  type: TensorType,
  value: unknown,
  host: CompilerHost,
): WarmupTensor | Diagnostic | undefined => {
  const of = { owner: owner.definition.name, sample, input };
  const at = { labels: definedAt(owner.definition) };
  const { dtype } = type;
  const declared = declaredDims(type, owner.maxBatchSize > 0);
  if (value === "zero" || value === "random") {
    const dims = declared.flatMap((dim) => (typeof dim === "number" && dim !== -1 ? [dim] : []));
    return dims.length === declared.length
      ? { dtype, dims, source: { kind: value } }
      : diagnoseWarmup("sample/no-sizes", {
          with: { ...of, type: showType(type), fill: value },
          ...at,
          help: `write \`${input}: { dims: [16], ${value}Data: true }\`, with all sizes except the batch`,
        });
  }
  if (typeof value !== "object" || value === null || !("dims" in value)) return undefined;
  const problem = describedProblem(value, input, type, declared);
  if (problem !== undefined)
    return diagnoseWarmup("sample/wrong-shape", { with: { ...of, ...problem }, ...at });
  const { dims, zeroData, inputDataFile } = value as Described & { readonly dims: readonly number[] };
  if (inputDataFile === undefined)
    return { dtype, dims, source: { kind: zeroData === undefined ? "random" : "zero" } };
  const bytes = host.readFile(inputDataFile);
  const why =
    bytes === undefined
      ? `\`${inputDataFile}\` does not exist`
      : sizeProblem(inputDataFile, bytes, dtype, dims);
  return why !== undefined || bytes === undefined
    ? diagnoseWarmup("sample/data-file", { with: { owner: of.owner, sample, problem: why ?? "" }, ...at })
    : { dtype, dims, source: { kind: "file", file: { kind: "copy", from: inputDataFile, bytes } } };
};

/** The DSL's `WarmupData` before it is checked. */
interface Described {
  readonly dims?: unknown;
  readonly dataType?: unknown;
  readonly zeroData?: unknown;
  readonly randomData?: unknown;
  readonly inputDataFile?: string;
}

const describedProblem = (
  value: Described,
  input: string,
  type: TensorType,
  declared: readonly (number | string)[],
): { readonly type: string; readonly got: string } | undefined => {
  const says = (got: string) => ({ type: showType(type), got });
  const { dims, dataType } = value;
  if (!Array.isArray(dims) || !dims.every((dim) => Number.isInteger(dim) && dim >= 0))
    return says(`dims ${showValue(dims)}, which are not sizes`);
  if (dataType !== undefined && dataType !== type.dtype) return says(`dataType ${showValue(dataType)}`);
  const fits =
    dims.length === declared.length &&
    declared.every((dim, axis) => typeof dim !== "number" || dim === -1 || dim === dims[axis]);
  if (!fits) return says(`dims ${showDims(dims as readonly number[])} (without the batch)`);
  const given = dataSources.filter((source) => value[source] !== undefined);
  const [source] = given;
  const right =
    source === "inputDataFile" ? typeof value.inputDataFile === "string" : source && value[source] === true;
  return given.length === 1 && right
    ? undefined
    : says(`\`${input}\` without one of zeroData: true, randomData: true, inputDataFile: "…"`);
};

/** The dims as in the configuration: without the batch, and [1] for a tensor with only the batch dim. */
const declaredDims = ({ dims }: TensorType, batched: boolean): readonly (number | string)[] => {
  const own = batched ? dims.slice(1) : dims;
  return own.length === 0 ? [1] : own;
};

/** Triton silently reads only the first bytes of a longer file, but the size must be exact here. */
const sizeProblem = (
  file: string,
  bytes: Uint8Array,
  dtype: TensorType["dtype"],
  dims: readonly number[],
): string | undefined => {
  const wanted = elementCount(dims);
  if (dtype !== "BYTES") {
    const size = wanted * elementSize(dtype);
    return bytes.length === size
      ? undefined
      : `\`${file}\` has ${bytes.length} bytes; ${dtype}${showDims(dims)} needs ${size}`;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  let at = 0;
  for (; at + 4 <= bytes.length; count++) at += 4 + view.getUint32(at, true);
  return count === wanted && at === bytes.length
    ? undefined
    : `\`${file}\` does not contain ${counted(wanted, "string")}`;
};
