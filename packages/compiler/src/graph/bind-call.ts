import {
  type Diagnostic,
  didYouMean,
  type Dim,
  inBackticks,
  isOptional,
  type Label,
  showDim,
  showType,
  type Signature,
  type TensorType,
  nearHelp,
} from "@tritype/core";
import { diagnose } from "../diagnostics.ts";

/** A wire into a call: its type, or undefined if an earlier mistake left it unknown. */
export interface Arrival {
  readonly type: TensorType | undefined;
  /** The positions where the value is produced. */
  readonly from: readonly Label[];
  /** The ensemble's input that arrives unchanged, if nothing else takes it. */
  readonly input?: string;
}

/** The sizes of a step's names in one call. */
export type Bindings = ReadonlyMap<string, Dim>;

/**
 * Checks the tensors that are passed to a step against its declaration. A declared name accepts any size, which it then
 * denotes in this call; a declared literal accepts itself or -1. -1 accepts everything.
 */
export const bindCall = (
  step: string,
  inputs: Signature,
  arrivals: ReadonlyMap<string, Arrival>,
  at: readonly Label[],
  unwired: ReadonlySet<string> = new Set(),
): { readonly bindings: Bindings; readonly diagnostics: readonly Diagnostic[] } => {
  const diagnostics: Diagnostic[] = [];
  const bindings = new Map<string, Dim>();
  const boundBy = new Map<string, string>();
  const names = Object.keys(inputs);
  const meant = new Set<string>();

  const bindNames = (input: string, want: TensorType, got: TensorType, report: boolean): void => {
    if (want.dims.length !== got.dims.length) return;
    for (const [axis, name] of want.dims.entries()) {
      const size = got.dims[axis];
      if (typeof name !== "string" || size === undefined) continue;
      const bound = bindings.get(name);
      if (bound === undefined || bound === -1) {
        bindings.set(name, size);
        boundBy.set(name, input);
      } else if (size !== -1 && size !== bound && report) {
        const other = boundBy.get(name) ?? input;
        diagnostics.push(
          diagnose("shape/name-conflict", {
            with: { step, input, name, here: show(size, bound), there: show(bound, size) },
            labels: [...at, ...(arrivals.get(input)?.from ?? []), ...(arrivals.get(other)?.from ?? [])],
            notes: [`the other input is \`${other}\``],
            help: "pass tensors from the same call, so that their sizes are equal",
          }),
        );
      }
    }
  };

  for (const input of arrivals.keys()) {
    if (Object.hasOwn(inputs, input)) continue;
    const near = didYouMean(
      input,
      names.filter((name) => !arrivals.has(name)),
    );
    if (near !== undefined) meant.add(near);
    diagnostics.push(
      diagnose("graph/unknown-input", {
        with: { step, input, inputs: inBackticks(names) },
        labels: at,
        help: nearHelp(near),
      }),
    );
  }
  const onlyOptional = Object.values(inputs).every(isOptional);
  for (const [input, want] of Object.entries(inputs)) {
    const arrival = arrivals.get(input);
    if (arrival === undefined) {
      // Triton refuses a step without inputs.
      const isOnly = onlyOptional && arrivals.size === 0 && input === names[0];
      if ((isOnly || !isOptional(want)) && !unwired.has(input) && !meant.has(input))
        diagnostics.push(
          diagnose("graph/missing-input", {
            with: { step, input, type: showType(want) },
            labels: at,
            ...(isOnly ? { help: "pass at least one input: Triton refuses a step that gets none" } : {}),
          }),
        );
      continue;
    }
    const got = arrival.type;
    // A scalar in the declaration of a step is reported there.
    if (got === undefined || want.dims.length === 0) continue;
    const report = (code: "dtype/wrong-input" | ShapeMisfit["code"], why: string, help?: string): void => {
      diagnostics.push(
        diagnose(code, {
          with: { step, input, want: showType(want), got: showType(got), why },
          labels: [
            ...at.map((label) => ({ ...label, text: `${showType(got)} arrives at \`${input}\`` })),
            ...arrival.from,
          ],
          notes: [`expected ${showType(want)}`, `     got ${showType(got)}`],
          help,
        }),
      );
      bindNames(input, want, got, false);
    };
    const declared = arrival.input === undefined ? undefined : declareHelp(arrival.input, want, got);
    const batchHelp = `put "batch" first in the tensors of \`${step}\``;
    const shapeHelp = (otherwise: string): string => {
      if (lacksBatch(want, got)) return batchHelp;
      const advice = declared === undefined ? otherwise : `${declared}${openEnd(want, got)}`;
      return fixesBatch(want, got)
        ? `${batchHelp} (an ONNX file needs a dynamic first axis), or leave \`maxBatchSize\` out of the ensemble and ${advice}`
        : advice;
    };
    const misfit = shapeMisfit(want, got);
    const help = misfit === undefined ? undefined : shapeHelp(misfit.advice);
    if (got.dtype !== want.dtype) {
      const cast = castAdvice(got, want);
      const instead =
        declared === undefined ? help : `if clients can send ${want.dtype}, ${declared} instead`;
      report("dtype/wrong-input", misfit === undefined ? cast : `${cast}; also, ${misfit.why}`, instead);
    } else if (misfit === undefined) bindNames(input, want, got, true);
    else report(misfit.code, misfit.why, help);
  }
  return { bindings, diagnostics };
};

/** A tensor whose rank or literal sizes are not the declared ones. */
interface ShapeMisfit {
  readonly code: "shape/wrong-rank" | "shape/wrong-dim";
  readonly why: string;
  readonly advice: string;
}

const shapeMisfit = ({ dims: want }: TensorType, { dims: got }: TensorType): ShapeMisfit | undefined => {
  if (got.length !== want.length) {
    const why = `rank ${got.length}, not ${want.length}`;
    return { code: "shape/wrong-rank", why, advice: "reduce, squeeze or unsqueeze an axis first" };
  }
  const axis = want.findIndex((dim, at) => typeof dim === "number" && !fits(got[at], dim));
  if (axis < 0) return undefined;
  const why = `dimension ${axis} is ${showDim(got[axis] ?? -1)}, not ${want[axis]}`;
  return { code: "shape/wrong-dim", why, advice: openHelp(got[axis]) };
};

const fits = (got: Dim | undefined, want: number): boolean => got === want || got === -1 || want === -1;

/** Users may see the same name for two different sizes: `seq` in one call and `seq` in another. */
const show = (dim: Dim, other: Dim): string =>
  typeof dim === "string" && showDim(dim) === showDim(other)
    ? `${showDim(dim)} of ${ordinal(dim)} call`
    : showDim(dim);
const ordinal = (dim: string): string => (dim.includes("#") ? `another` : "one");

const castAdvice = (got: TensorType, want: TensorType): string => {
  if (want.dtype === "BYTES") return "convert it to text in a step()";
  if (got.dtype === "BYTES") return "convert the text in a tokenizer() or a step()";
  return `cast it with .cast(${want.dtype.toLowerCase()})`;
};

/** Whether a step was declared for single rows. */
const lacksBatch = ({ dims }: TensorType, got: TensorType): boolean =>
  got.dims[0] === "batch" && dims[0] !== "batch" && dims.length === got.dims.length - 1;

/** Whether a batch arrives at a step that always gets the same number of rows. */
const fixesBatch = ({ dims }: TensorType, got: TensorType): boolean =>
  got.dims[0] === "batch" && typeof dims[0] === "number" && dims[0] !== -1 && dims.length === got.dims.length;

/** An ensemble's input usually has the wrong type because it was declared that way. */
const declareHelp = (input: string, want: TensorType, got: TensorType): string => {
  const dims = declaredDims(want, got).map((dim) => JSON.stringify(dim));
  return `declare \`${input}\` as ${want.dtype.toLowerCase()}(${dims.join(", ")})`;
};

/** The dims that an input should have; those that fit keep their names. */
const declaredDims = (want: TensorType, got: TensorType): readonly Dim[] =>
  want.dims.map((dim, axis) => {
    const own = got.dims.length === want.dims.length ? got.dims[axis] : undefined;
    return own !== undefined && (typeof dim !== "number" || fits(own, dim)) ? own : dim;
  });

/** An alternative help if requests may have any size where the step wants a literal one. */
const openEnd = (want: TensorType, got: TensorType): string => {
  const dims = declaredDims(want, got);
  const isOpen = got.dims.some(
    (dim, axis) => typeof dim === "string" && dim !== "batch" && dim !== dims[axis],
  );
  return isOpen && got.dims.length === want.dims.length ? ", or state the size with .ensureDims()" : "";
};

const openHelp = (dim: Dim | undefined): string =>
  dim === "batch"
    ? "declare the literal size where the tensor comes from"
    : typeof dim === "string"
      ? "a request may send any size here: declare the literal size where the tensor comes from, or state it with .ensureDims()"
      : "pass a tensor of that size, or correct the declaration";
