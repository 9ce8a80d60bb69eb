import { elementCount, isDType, type Scalar, valuesOf } from "@tritype/core";
import { readRawData } from "@tritype/protocol";
import type { Manifest } from "@tritype/manifest";
import type { Example, ModelView, TensorView } from "./api.ts";
import type { ModelFiles } from "./model-files.ts";

const mostExamples = 20;
const largestInput = 2 ** 20;

/**
 * The samples of a build as requests to one model. A sample of an ensemble was captured where it reached the models, so the
 * ensemble's inputs are read from the first step that takes them.
 */
export const examplesOf = (
  model: ModelView,
  models: ReadonlyMap<string, ModelView>,
  manifest: Manifest | undefined,
  files: ModelFiles,
): readonly Example[] => {
  const requests = manifest?.warmup?.requests ?? [];
  const isOwn = ({ ensemble, model: of }: (typeof requests)[number]): boolean =>
    model.steps === undefined ? of === model.name : ensemble === model.name;
  const samples = [
    ...new Set(requests.filter(isOwn).map(({ ensemble, sample }) => `${ensemble}\n${sample}`)),
  ];
  return samples.slice(0, mostExamples).flatMap((key): readonly Example[] => {
    const [ensemble, sample = ""] = key.split("\n");
    const values: Record<string, string> = {};
    for (const input of model.inputs) {
      const place = readerOf(model, input.name, models);
      const captured = requests.find(
        (one) => one.ensemble === ensemble && one.sample === sample && one.model === place?.model,
      );
      const tensor = place === undefined ? undefined : captured?.inputs[place.input];
      const value =
        place === undefined || tensor === undefined ? undefined : read(files, place, tensor, input);
      if (value !== undefined) values[input.name] = value;
    }
    return model.inputs.every(({ name, optional }) => optional === true || name in values)
      ? [{ name: sample, values }]
      : [];
  });
};

interface Reader {
  readonly model: string;
  readonly input: string;
}

/** The model that reads an input first, through nested ensembles. */
const readerOf = (
  model: ModelView,
  input: string,
  models: ReadonlyMap<string, ModelView>,
  depth = 0,
): Reader | undefined => {
  if (model.steps === undefined) return { model: model.name, input };
  if (depth > 20) return undefined;
  for (const step of model.steps) {
    const found = Object.entries(step.inputs).find(([, tensor]) => tensor === input);
    const inner = models.get(step.model);
    if (found !== undefined && inner !== undefined) return readerOf(inner, found[0], models, depth + 1);
  }
  return undefined;
};

interface Captured {
  readonly dtype: string;
  readonly dims: readonly number[];
  readonly file?: string | undefined;
}

const read = (
  files: ModelFiles,
  { model }: Reader,
  { dtype, dims, file }: Captured,
  input: TensorView,
): string | undefined => {
  const bytes = file === undefined ? undefined : files.bytes(model, file, largestInput);
  if (bytes === undefined || !isDType(dtype)) return undefined;
  const batched = input.dims[0] === "batch";
  const shape = batched ? [1, ...dims] : dims;
  const values = valuesOf(readRawData({ model, input: input.name, id: "" }, dtype, shape, bytes));
  return values.length === elementCount(shape) ? nest(shape, values) : undefined;
};

/** Nested lists as JSON; a bigint is written in digits, and `NaN` as in forms. */
const nest = (shape: readonly number[], values: readonly Scalar[]): string => {
  const [size, ...rest] = shape;
  if (size === undefined) return scalar(values[0] ?? 0);
  const each = elementCount(rest);
  return `[${Array.from({ length: size }, (_, i) => nest(rest, values.slice(i * each, (i + 1) * each))).join(", ")}]`;
};

const scalar = (value: Scalar): string =>
  typeof value === "bigint" || typeof value === "number" ? String(value) : (JSON.stringify(value) ?? "null");
