import { dtypes, elementCount, isDType } from "@tritype/core";
import type { Content, Element, Figures } from "../api.ts";
import {
  compareIntegers,
  compareNumbers,
  compareTexts,
  compareTypes,
  different,
  type TensorComparison,
} from "./compare-values.ts";

/** Compares what the page knows about two tensors: their first elements, then statistics or sizes of the rest. */
export const compareContents = (got: Content, wanted: Content, tolerance: number): TensorComparison => {
  const { name } = wanted;
  const types = compareTypes(name, got, wanted);
  if (types !== undefined) return types;
  if (got.missing !== undefined || wanted.missing !== undefined)
    return { name, maxAbsolute: 0, maxRelative: 0, ok: true, problem: "not recorded" };
  if (got.media?.base64 !== wanted.media?.base64) return different(name, "not the same picture or sound");
  const shown = compareElements(got, wanted, tolerance);
  return shown.ok && isCut(wanted) && !sameRest(got, wanted, tolerance)
    ? different(name, `the first ${wanted.elements.length} elements are equal, but a later one is not`)
    : shown;
};

const exact: ReadonlySet<string> = new Set(["int", "bool"]);

const compareElements = (got: Content, wanted: Content, tolerance: number): TensorComparison => {
  const { name } = wanted;
  if (isDType(wanted.dtype) && exact.has(dtypes[wanted.dtype].family))
    return compareIntegers(name, got.elements.map(BigInt), wanted.elements.map(BigInt), tolerance);
  if (wanted.dtype !== "BYTES")
    return compareNumbers(name, got.elements.map(numberOf), wanted.elements.map(numberOf), tolerance);
  const unequal = got.elements.flatMap((element, at) =>
    element === wanted.elements[at]
      ? []
      : [{ at, got: String(element), wanted: String(wanted.elements[at]) }],
  );
  return compareTexts(name, unequal, tolerance);
};

/** Non-finite numbers are strings. */
const numberOf = (element: Element): number => Number(element);

/** Whether only the first elements, or only parts of them, were recorded. */
export const isCut = ({ elements, shape, cut }: Content): boolean =>
  cut === true || elements.length < elementCount(shape);

const sameRest = (got: Content, wanted: Content, tolerance: number): boolean => {
  if (wanted.figures === undefined) return got.bytes === wanted.bytes;
  return compareNumbers("", figuresOf(got.figures), figuresOf(wanted.figures), tolerance).ok;
};

const figuresOf = (figures: Figures | undefined): readonly number[] =>
  figures === undefined
    ? []
    : [figures.min, figures.max, figures.mean, figures.deviation, figures.nan, figures.infinite];
