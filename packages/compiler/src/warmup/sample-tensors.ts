import {
  type Diagnostic,
  type NamedTensors,
  showDims,
  showType,
  type StepDefinition,
  type TensorData,
} from "@tritype/core";
import { writtenAt } from "../check/check-declaration.ts";
import type { GivenSample } from "./sample-fields.ts";
import { showValue } from "./show-value.ts";
import { valueTensor } from "./value-tensor.ts";
import { diagnoseWarmup } from "./warmup-diagnostics.ts";

/** The owner of the samples: an ensemble or step, with its largest batch, which is 0 without batching. */
export interface SampleOwner {
  readonly definition: StepDefinition;
  readonly maxBatchSize: number;
}

/** The tensors for a sample's values, or the errors in them. */
type SampleTensors =
  | { readonly tensors: NamedTensors; readonly rows: number }
  | { readonly diagnostics: readonly Diagnostic[] };

/**
 * A valid sample: its tensors, the row that represents all rows, and the number of one-row requests that reach a model
 * at the same time.
 */
export interface ReadSample {
  readonly tensors: NamedTensors;
  readonly row: number;
  readonly batchSize: number;
}

/** A sample built from its values, or the errors in them. */
export const readSample = (
  owner: SampleOwner,
  sample: GivenSample,
  values: ReadonlyMap<string, unknown>,
): ReadSample | { readonly diagnostics: readonly Diagnostic[] } => {
  if (owner.maxBatchSize > 0 && Object.values(sample.inputs).every((value) => value === undefined))
    return { diagnostics: [noInputs(owner.definition, sample)] };
  const read = sampleTensors(owner, sample, values);
  if ("diagnostics" in read) return read;
  const { tensors, rows } = read;
  const batchSize = sampleBatch(owner, sample, rows);
  return typeof batchSize === "number"
    ? { tensors, row: longestRow(tensors, rows), batchSize }
    : { diagnostics: [batchSize] };
};

const noInputs = (definition: StepDefinition, { name: sample, path }: GivenSample): Diagnostic => {
  const inputs = Object.keys(definition.inputs).map((name) => `\`${name}\``);
  return diagnoseWarmup("sample/no-inputs", {
    with: { owner: definition.name, sample, inputs: inputs.join(", ") },
    labels: writtenAt(definition, ...path, "inputs"),
  });
};

/** The values of the owner's inputs, as tensors with the same number of rows. */
const sampleTensors = (
  { definition, maxBatchSize }: SampleOwner,
  { name: sample, path }: GivenSample,
  values: ReadonlyMap<string, unknown>,
): SampleTensors => {
  const owner = definition.name;
  const tensors = new Map<string, TensorData>();
  const diagnostics: Diagnostic[] = [];
  const sizes = new Map<string, { readonly input: string; readonly size: number }>();
  for (const [input, value] of values) {
    const type = definition.inputs[input];
    if (type === undefined) continue;
    const at = { labels: writtenAt(definition, ...path, "inputs", input) };
    const wrongShape = (got: string): void =>
      void diagnostics.push(
        diagnoseWarmup("sample/wrong-shape", {
          with: { owner, sample, input, type: showType(type), got },
          // In a request, the outermost list contains the rows.
          help: "tensor" in valueTensor(type, [value]) ? "put the row in a list: [row]" : undefined,
          ...at,
        }),
      );
    const noRows = (): void =>
      void diagnostics.push(diagnoseWarmup("sample/no-rows", { with: { owner, sample, input }, ...at }));
    if (maxBatchSize > 0 && Array.isArray(value) && value.length === 0) {
      noRows();
      continue;
    }
    const made = valueTensor(type, value);
    if ("wrongShape" in made) wrongShape(made.wrongShape);
    else if ("wrongValue" in made)
      diagnostics.push(
        diagnoseWarmup("sample/wrong-value", {
          with: { owner, sample, input, value: made.wrongValue, dtype: type.dtype, wanted: made.wanted },
          ...at,
        }),
      );
    else if (maxBatchSize > 0 && made.tensor.shape[0] === 0) noRows();
    else {
      tensors.set(input, made.tensor);
      const axis = type.dims.findIndex((dim, i) => {
        const known = typeof dim === "string" ? sizes.get(dim) : undefined;
        return known !== undefined && known.size !== made.tensor.shape[i];
      });
      const known = sizes.get(String(type.dims[axis]));
      if (known !== undefined)
        wrongShape(
          `${showDims(made.tensor.shape)}, but \`${type.dims[axis]}\` is ${known.size} in \`${known.input}\``,
        );
      type.dims.forEach((dim, i) => {
        if (typeof dim === "string" && !sizes.has(dim))
          sizes.set(dim, { input, size: made.tensor.shape[i] ?? 1 });
      });
    }
  }
  if (diagnostics.length > 0) return { diagnostics };
  return { tensors, rows: maxBatchSize > 0 ? (sizes.get("batch")?.size ?? 1) : 1 };
};

/** The number of one-row requests that reach a model at the same time, or the fault in that number. */
const sampleBatch = (
  { definition, maxBatchSize }: SampleOwner,
  { name: sample, batchSize, path }: GivenSample,
  rows: number,
): number | Diagnostic => {
  const most = Math.max(1, maxBatchSize);
  const wrong = (problem: string, help?: string): Diagnostic =>
    diagnoseWarmup("sample/batch-size", {
      with: { owner: definition.name, sample, problem, most },
      labels: writtenAt(definition, ...path, "batchSize"),
      help,
    });
  const size = batchSize ?? rows;
  if (typeof size !== "number" || !Number.isInteger(size) || size < 1)
    return wrong(`\`batchSize\` is ${showValue(size)}`);
  if (maxBatchSize === 0 && size !== 1)
    return wrong(
      `\`batchSize\` is ${size}, but \`${definition.name}\` is not batched`,
      "remove `batchSize`; `count` runs the sample several times",
    );
  if (batchSize !== undefined && rows > 1 && rows !== size)
    return wrong(
      `\`batchSize\` is ${size}, but \`inputs\` have ${rows} rows`,
      "write one row, or leave out `batchSize`",
    );
  if (rows > most)
    return wrong(
      `it has ${rows} rows, more than the largest batch, ${most}`,
      "leave out rows, or raise `maxBatchSize`",
    );
  if (size > most) return wrong(`\`batchSize\` is ${size}, more than the largest batch, ${most}`);
  return size;
};

/** The row with the longest texts (the first such row in a tie), to whose length the other rows are padded. */
const longestRow = (tensors: NamedTensors, rows: number): number => {
  const lengths = Array.from({ length: rows }, (_, row) => {
    let length = 0;
    for (const { dtype, data } of tensors.values())
      if (dtype === "BYTES") {
        const width = data.length / rows;
        for (const element of data.slice(row * width, (row + 1) * width)) length += element.byteLength;
      }
    return length;
  });
  return lengths.indexOf(lengths.reduce((most, length) => Math.max(most, length), 0));
};
