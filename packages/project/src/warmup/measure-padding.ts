import type { CollatedEnsemble, EnsembleSample } from "@tritype/compiler";
import {
  invariant,
  joinRows,
  type NamedTensors,
  printRawData,
  splitRows,
  type TensorData,
  tensorOf,
  valuesOf,
} from "@tritype/core";
import { compareJson, parseJson } from "@tritype/drift";
import type { ListenedEndpoint } from "@tritype/endpoint";
import type { CollateTwinOptions } from "@tritype/manifest";

/** The changes that padding causes in an ensemble's outputs for its samples' rows. */
export interface PaddingMeasurement {
  readonly collated: CollatedEnsemble;
  readonly rows: number;
  /** Number of tokens that the rows were padded to. */
  readonly paddedTo: number;
  /** Largest |a - b| / max(1, |b|), also of numbers in JSON; for other text, 1 if it differs. */
  readonly maxDifference: number;
  /** The output with the largest deviation. */
  readonly output: string;
}

/**
 * Runs every row of the samples through the models after the tokenizer: alone, padded, and batched with longer rows.
 */
export const measurePadding = async (
  served: Served,
  collated: readonly CollatedEnsemble[],
  samples: readonly EnsembleSample[],
): Promise<readonly PaddingMeasurement[]> => {
  const measured: PaddingMeasurement[] = [];
  for (const one of collated)
    measured.push(
      await measureEnsemble(
        served,
        one,
        samples.filter(({ ensemble }) => ensemble === one.ensemble),
      ),
    );
  return measured;
};

type Served = Pick<ListenedEndpoint, "infer" | "takeModelCalls">;

const measureEnsemble = async (
  served: Served,
  collated: CollatedEnsemble,
  samples: readonly EnsembleSample[],
): Promise<PaddingMeasurement> => {
  const { options, ensemble } = collated;
  const alone: { readonly tokens: NamedTensors; readonly answer: NamedTensors }[] = [];
  for (const inputs of differentRows(samples)) {
    served.takeModelCalls();
    const answer = await served.infer(ensemble, inputs);
    const [call] = served.takeModelCalls();
    invariant(call !== undefined, `${collated.collate} calls no model`);
    alone.push({ tokens: call.inputs, answer });
  }
  const longest = largestOf(alone, ({ tokens }) => lengthOf(tokens));
  // The longest row is also padded, by at least half its length if the tokenizer allows that.
  const paddedTo = Math.max(longest, allowedLength(Math.min(options.maxLength, 2 * longest), options));
  let worst = { maxDifference: 0, output: [...(alone[0]?.answer.keys() ?? [])][0] ?? "" };
  const compare = (answer: NamedTensors, reference: NamedTensors): void => {
    for (const [output, tensor] of reference) {
      const maxDifference = largestDifference(answer.get(output), tensor);
      if (maxDifference > worst.maxDifference) worst = { maxDifference, output };
    }
  };
  for (const { tokens, answer } of alone)
    compare(await served.infer(options.behind, padTo(tokens, paddedTo, options)), answer);
  for (let from = 0; from < alone.length; from += options.maxBatchSize) {
    const batch = alone.slice(from, from + options.maxBatchSize);
    const length = largestOf(batch, ({ tokens }) => lengthOf(tokens));
    const padded = batch.map(({ tokens }) => padTo(tokens, length, options));
    const together = splitRows(await served.infer(options.behind, joinRows(padded)));
    batch.forEach(({ answer }, row) => compare(together[row] ?? new Map(), answer));
  }
  return { collated, rows: alone.length, paddedTo, ...worst };
};

/** The samples' rows without duplicates. */
const differentRows = (samples: readonly EnsembleSample[]): readonly NamedTensors[] => {
  const rows = new Map<string, NamedTensors>();
  for (const { inputs } of samples)
    for (const one of splitRows(inputs)) {
      const key = [...one].map(
        ([name, tensor]) => `${name} ${Buffer.from(printRawData(tensor)).toString("hex")}`,
      );
      rows.set(key.join(), one);
    }
  return [...rows.values()];
};

const lengthOf = (tokens: NamedTensors): number => [...tokens.values()][0]?.shape[1] ?? 0;

/** The length to which the tokenizer would pad. */
const allowedLength = (length: number, { padding, maxLength }: CollateTwinOptions): number => {
  if (typeof padding === "string") return length;
  if ("multipleOf" in padding) return Math.ceil(length / padding.multipleOf) * padding.multipleOf;
  return padding.buckets.find((bucket) => bucket >= length) ?? maxLength;
};

/** The tokenizer's padding values. */
const fillOf = (name: string, { pad }: CollateTwinOptions): number =>
  ({ input_ids: pad.id, token_type_ids: pad.typeId, special_tokens_mask: 1 })[name] ?? 0;

/** One row, [1, length] or [1, length, 2], with padding on the tokenizer's side. */
const padTo = (tokens: NamedTensors, length: number, options: CollateTwinOptions): NamedTensors =>
  new Map(
    [...tokens].map(([name, tensor]): [string, TensorData] => {
      const [, own = 0, ...rest] = tensor.shape;
      const added = (length - own) * (rest[0] ?? 1);
      const padding = Array.from({ length: added }, () => fillOf(name, options));
      const values = [...valuesOf(tensor)];
      const all = options.pad.side === "left" ? [...padding, ...values] : [...values, ...padding];
      return [name, tensorOf(tensor.dtype, [1, length, ...rest], all)];
    }),
  );

const largestDifference = (got: TensorData | undefined, wanted: TensorData): number => {
  invariant(got !== undefined && got.shape.join() === wanted.shape.join(), "an answer has different outputs");
  if (got.dtype === "BYTES" && wanted.dtype === "BYTES")
    return largestOf(wanted.data, (bytes, at) => textDifference(got.data[at] ?? new Uint8Array(), bytes));
  const values = valuesOf(got);
  return largestOf(valuesOf(wanted), (value, at) => difference(Number(values[at]), Number(value)));
};

const largestOf = <Item>(items: readonly Item[], sizeOf: (item: Item, at: number) => number): number =>
  items.reduce((most, item, at) => Math.max(most, sizeOf(item, at)), 0);

const difference = (a: number, b: number): number => {
  if (Object.is(a, b)) return 0;
  const distance = Math.abs(a - b) / Math.max(1, Math.abs(b));
  // Only one of the two is NaN.
  return Number.isFinite(distance) ? distance : Number.MAX_VALUE;
};

/** 1, unless the texts only differ in the numbers of their JSON. */
const textDifference = (a: Uint8Array, b: Uint8Array): number => {
  if (Buffer.compare(a, b) === 0) return 0;
  const [x, y] = [parseJson(a), parseJson(b)];
  if (x === undefined || y === undefined) return 1;
  const { numbers, difference: other } = compareJson(y, x);
  return other === undefined
    ? largestOf(numbers, ({ candidate, reference }) => difference(candidate, reference))
    : 1;
};
