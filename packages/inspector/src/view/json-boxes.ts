import { attempt, isObject } from "@tritype/core";
import type { BoxForm, FoundBox } from "./boxes.ts";

/** Boxes that are read from one text. */
const mostBoxes = 4096;

interface JsonBoxes {
  readonly boxes: readonly FoundBox[];
  /** The order of the coordinates, if they have names. */
  readonly form?: BoxForm;
}

/**
 * The boxes in a JSON text: a list of objects with a box, an object with such a list, or an object with a list of boxes
 * and lists of scores and labels. undefined if the text contains anything else.
 */
export const boxesInJson = (text: string): JsonBoxes | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  return attempt(() => inValue(JSON.parse(text)));
};

const inValue = (value: unknown): JsonBoxes | undefined => {
  if (Array.isArray(value)) return inList(value);
  if (!isObject(value)) return undefined;
  const lists = Object.values(value).filter((one) => Array.isArray(one));
  const [found] = lists.flatMap((list) => inList(list) ?? []);
  return found ?? inList([value]) ?? inColumns(value);
};

const inList = (list: readonly unknown[]): JsonBoxes | undefined => {
  const found = list.slice(0, mostBoxes).map((one) => {
    const read = isObject(one) ? readBox(one) : undefined;
    return read === undefined || !isObject(one)
      ? undefined
      : { box: { numbers: read.numbers, ...labelOf(one) }, form: read.form };
  });
  const known = found.filter((one) => one !== undefined);
  const [first] = known;
  if (first === undefined || known.length < found.length) return undefined;
  return {
    boxes: known.map(({ box }) => box),
    ...(first.form === undefined ? {} : { form: first.form }),
  };
};

/** `{ boxes: [[…], …], scores: […], labels: […] }` */
const inColumns = (value: Fields): JsonBoxes | undefined => {
  const boxes = valueOf(value, /box/i);
  if (!Array.isArray(boxes) || boxes.length === 0) return undefined;
  const [scores, labels] = [valueOf(value, scoreName), valueOf(value, labelName)];
  const at = (list: unknown, index: number): unknown => (Array.isArray(list) ? list[index] : undefined);
  return inList(
    boxes.map((box: unknown, index) => ({ box, score: at(scores, index), label: at(labels, index) })),
  );
};

type Fields = Readonly<Record<string, unknown>>;

const boxName = /^(?:b(?:ounding)?_?(?:nd)?box|box|rect(?:angle)?)$/i;
const scoreName = /^(?:scores?|conf(?:idences?)?|prob(?:abilit(?:y|ies))?)$/i;
const labelName =
  /^(?:labels?|class(?:es)?|names?|categor(?:y|ies)|(?:class|category|label)_?(?:name|id)s?)$/i;

const valueOf = (fields: Fields, name: RegExp): unknown =>
  Object.entries(fields).find(([key]) => name.test(key))?.[1];

type Read = Pick<FoundBox, "numbers"> & { readonly form?: BoxForm };

const readBox = (fields: Fields): Read | undefined => {
  const box = valueOf(fields, boxName) ?? fields;
  if (isObject(box)) {
    for (const [form, names] of coordinateNames) {
      const numbers = names.map((name) => box[name]);
      if (numbers.every((one) => typeof one === "number")) return { numbers, form };
    }
    return undefined;
  }
  return Array.isArray(box) && box.length === 4 && box.every(isCoordinate)
    ? { numbers: box.map((one) => (typeof one === "number" ? one : Number.NaN)) }
    : undefined;
};

/** JSON has no NaN: writers use null. */
const isCoordinate = (value: unknown): boolean => typeof value === "number" || value === null;

const coordinateNames: readonly (readonly [BoxForm, readonly string[]])[] = [
  ["xyxy", ["xmin", "ymin", "xmax", "ymax"]],
  ["xyxy", ["x1", "y1", "x2", "y2"]],
  ["xyxy", ["left", "top", "right", "bottom"]],
  ["xywh", ["x", "y", "width", "height"]],
  ["xywh", ["x", "y", "w", "h"]],
  ["xywh", ["left", "top", "width", "height"]],
];

const labelOf = (fields: Fields): Pick<FoundBox, "label" | "score"> => {
  const [label, score] = [valueOf(fields, labelName), valueOf(fields, scoreName)];
  return {
    ...(typeof label === "string" || typeof label === "number" ? { label: String(label) } : {}),
    ...(typeof score === "number" ? { score } : {}),
  };
};
