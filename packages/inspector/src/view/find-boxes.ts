import { elementCount } from "@tritype/core";
import type { Content, TensorView } from "../api.ts";
import type { BoxForm, FoundBox } from "./boxes.ts";
import { classNamesOf, isClassName, nameOfClass, onlyNames } from "./class-names.ts";
import { boxesInJson } from "./json-boxes.ts";

/** The boxes of one output. */
export interface FoundBoxes {
  readonly name: string;
  /** The boxes in each picture of the request. */
  readonly rows: readonly (readonly FoundBox[])[];
  /** The order of the numbers; undefined if neither names nor values reveal it. */
  readonly form: BoxForm | undefined;
  /** The most probable order. */
  readonly guess: BoxForm;
  /** Whether the coordinates are probably fractions of the picture's sides. */
  readonly areFractions: boolean;
  /** Boxes that the page did not get, because the tensor is too long. */
  readonly left: number;
}

/** Outputs that contain boxes. `types`: the outputs of the contract. */
export const findBoxes = (outputs: readonly Content[], types: readonly TensorView[]): readonly FoundBoxes[] =>
  outputs.flatMap((content) => {
    const isBatched = types.find(({ name }) => name === content.name)?.dims[0] === "batch";
    const found =
      content.dtype === "BYTES" ? boxesOfTexts(content) : boxesOfTensor(content, outputs, types, isBatched);
    return found === undefined ? [] : [withForm(content.name, found)];
  });

interface Rows extends Pick<FoundBoxes, "rows" | "left"> {
  /** Only if the names of the coordinates say it. */
  readonly form?: BoxForm | undefined;
}

const boxesOfTexts = ({ elements }: Content): Rows | undefined => {
  const rows = elements.map((text) => boxesInJson(String(text)));
  const form = rows.find((row) => row !== undefined && row.boxes.length > 0)?.form;
  return rows.some((row) => row !== undefined)
    ? { rows: rows.map((row) => row?.boxes ?? []), form, left: 0 }
    : undefined;
};

const boxesOfTensor = (
  content: Content,
  outputs: readonly Content[],
  types: readonly TensorView[],
  isBatched: boolean,
): Rows | undefined => {
  const { name, dtype, shape, elements } = content;
  const outer = shape.slice(0, -1);
  const width = shape.at(-1) ?? 0;
  const isWhole = width === 6 && isCombined(content);
  const isCorners = width === 4 && /box|(?<![a-z])rect/i.test(name);
  if (!(isWhole || isCorners) || outer.length > 2 || dtype === "BOOL") return undefined;
  const total = elementCount(outer);
  const isRow = outer.length === 2 || (outer.length === 1 && isBatched);
  const rows = isRow ? (outer[0] ?? 1) : 1;
  const each = total / Math.max(1, rows);
  const others = outputs.filter((one) => one.name !== name && elementCount(one.shape) === total);
  const scores = others.find((one) => /score|conf|prob/i.test(one.name) && one.dtype !== "BYTES");
  const labels = others.find((one) => isClassName(one.name));
  const names = isWhole
    ? (types.find((type) => type.name === name)?.labels ?? onlyNames(types))
    : labels && classNamesOf(labels, types)?.names;
  const counts = outputs.find((one) => /num|count/i.test(one.name) && elementCount(one.shape) === rows);
  const known = Math.floor(elements.length / width);
  return {
    rows: Array.from({ length: Math.min(rows, mostRows) }, (_, row) => {
      const from = row * each;
      const limit = counts === undefined ? each : wholeNumber(counts.elements[row], each);
      const count = Math.max(0, Math.min(each, limit, known - from));
      return Array.from({ length: count }, (__, index) => {
        const at = from + index;
        const numbers = elements.slice(at * width, at * width + 4).map(Number);
        const [score, label] = isWhole
          ? elements.slice(at * width + 4, (at + 1) * width)
          : [scores?.elements[at], labels?.elements[at]];
        return {
          numbers,
          ...(label === undefined ? {} : { label: nameOfClass(names ?? [], label) ?? String(label) }),
          ...(score === undefined ? {} : { score: Number(score) }),
        };
      });
    }),
    left: total - known,
  };
};

/** Whether each row of a tensor is a box, its score and its class, as detectors write them. */
const isCombined = ({ name, dtype, shape, elements }: Content): boolean => {
  // YOLO's exported models call it `output0`.
  const isNamed = /box|(?<![a-z])rect|det(?:ection)?s?(?![a-z])|object/i.test(name);
  const isOutput = /^(?:output|pred)/i.test(name) && shape.length === 3 && (shape[1] ?? 0) >= 10;
  if (!/^(?:FP|BF)/.test(dtype) || !(isNamed || isOutput)) return false;
  const rows = Array.from({ length: Math.floor(elements.length / 6) }, (_, row) =>
    elements.slice(row * 6, row * 6 + 6).map(Number),
  );
  const isScored = rows.every(
    ([, , , , score = NaN, label = NaN]) =>
      score >= 0 && score <= 1 && Number.isInteger(label) && label >= -1,
  );
  const boxes = rows.filter(([, , , , score = 0]) => score > 0);
  const areas = boxes.filter(([a = 0, b = 0, c = 0, d = 0]) => c > a && d > b);
  const hasForm = forms.some((form) => name.toLowerCase().includes(form));
  return isScored && boxes.length > 0 && (hasForm || areas.length >= 0.9 * boxes.length);
};

/** A tensor without elements may have any number of rows. */
const mostRows = 4096;

const wholeNumber = (element: unknown, otherwise: number): number => {
  const value = Number(element);
  return Number.isInteger(value) && value >= 0 ? value : otherwise;
};

const withForm = (name: string, { rows, form, left }: Rows): FoundBoxes => {
  const boxes = rows
    .flat()
    .map(({ numbers }) => numbers)
    .filter((numbers) => numbers.every(Number.isFinite) && numbers.some((one) => one !== 0));
  // A few boxes may be wrong. Detectors fill their outputs with zeros.
  const are = (test: (numbers: readonly number[]) => boolean, share: number): boolean =>
    boxes.filter(test).length >= share * boxes.length;
  const areFractions = are((numbers) => numbers.every((one) => Math.abs(one) <= 1.5), 0.5);
  const named = form ?? forms.find((one) => name.toLowerCase().includes(one));
  const areCorners = are(([a = 0, b = 0, c = 0, d = 0]) => c >= a && d >= b, 0.9);
  // TensorFlow's detection models write y before x.
  const corners = name === "detection_boxes" ? "yxyx" : "xyxy";
  const guess = named ?? (areCorners ? corners : areFractions ? "cxcywh" : "xywh");
  return { name, rows, form: named, guess, areFractions, left };
};

/** The names that contain others come first. */
const forms: readonly BoxForm[] = ["cxcywh", "xyxy", "yxyx", "xywh"];
