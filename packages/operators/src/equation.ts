import { type Json, showType, type TensorType } from "@tritype/core";
import { type Failed, failed } from "./inferred.ts";

/**
 * An einsum equation without ellipses and spaces: a string of labels, one letter per axis, for each operand and for the
 * result.
 */
export interface Equation {
  readonly terms: readonly string[];
  readonly result: string;
}

/**
 * Parses `"bqd,bkd->bqk"` for these operands. Without `->`, the result has every label that occurs once, in
 * alphabetical order, after the ellipsis. An ellipsis is replaced by letters that the equation does not use, aligned
 * from the right.
 */
export const readEquation = (
  written: Json | undefined,
  operands: readonly TensorType[],
): Equation | Failed => {
  if (typeof written !== "string") return bad(written, "is not a string");
  const [left = "", right, ...more] = written.replaceAll(" ", "").split("->");
  const terms = left.split(",");
  const result = right ?? implicitResult(terms);
  if (more.length > 0 || [...terms, result].some((term) => !/^[A-Za-z]*(?:\.{3}[A-Za-z]*)?$/.test(term)))
    return bad(
      written,
      "is not a list of terms: one letter per axis, a comma between tensors, -> before the result",
    );
  if (terms.length !== operands.length)
    return bad(written, `names ${count(terms.length, "tensor")}, got ${operands.length}`);
  return resultProblem(written, terms, result) ?? expand(written, { terms, result }, operands);
};

const implicitResult = (terms: readonly string[]): string => {
  const all = terms.join("").replaceAll(".", "");
  const once = all
    .split("")
    .filter((label) => all.indexOf(label) === all.lastIndexOf(label))
    .toSorted();
  return (terms.some(hasEllipsis) ? ellipsis : "") + once.join("");
};

const resultProblem = (written: string, terms: readonly string[], result: string): Failed | undefined => {
  const labels = result.replace(ellipsis, "").split("");
  const unknown = labels.find((label) => !terms.some((term) => term.includes(label)));
  if (unknown !== undefined) return bad(written, `has the label ${unknown} in its result, but in no tensor`);
  const twice = labels.find((label, i) => labels.indexOf(label) < i);
  if (twice !== undefined) return bad(written, `has the label ${twice} twice in its result`);
  if (terms.some(hasEllipsis) === hasEllipsis(result)) return undefined;
  return bad(
    written,
    hasEllipsis(result)
      ? "has an ellipsis in its result, but in no tensor"
      : "has an ellipsis in a tensor, but not in its result: einsum does not sum axes without a label",
  );
};

const expand = (
  written: string,
  { terms, result }: Equation,
  operands: readonly TensorType[],
): Equation | Failed => {
  const covered = terms.map((term, i) => (operands[i]?.dims.length ?? 0) - term.replace(ellipsis, "").length);
  const wrong = terms.findIndex((term, i) => (hasEllipsis(term) ? (covered[i] ?? 0) < 0 : covered[i] !== 0));
  const operand = operands[wrong];
  if (operand !== undefined)
    return failed(
      "shape/rank-mismatch",
      `${showType(operand)} has ${count(operand.dims.length, "axis")}, \`${terms[wrong]}\` names ${named(terms[wrong] ?? "")}`,
      { operand: wrong },
    );
  const most = Math.max(0, ...covered);
  const free = alphabet
    .split("")
    .filter((letter) => !written.includes(letter))
    .slice(0, most);
  if (free.length < most) return bad(written, "needs more labels than there are letters");
  const fill = (term: string, axes: number): string =>
    term.replace(ellipsis, free.slice(most - axes).join(""));
  return { terms: terms.map((term, i) => fill(term, covered[i] ?? 0)), result: fill(result, most) };
};

const ellipsis = "...";
const hasEllipsis = (term: string): boolean => term.includes(ellipsis);
const letters = "abcdefghijklmnopqrstuvwxyz";
const alphabet = letters + letters.toUpperCase();

const named = (term: string): string =>
  hasEllipsis(term) ? `${term.length - 3} or more` : String(term.length);
const count = (n: number, noun: "axis" | "tensor"): string =>
  `${n} ${n === 1 ? noun : noun === "axis" ? "axes" : "tensors"}`;

const bad = (written: Json | undefined, what: string): Failed =>
  failed("shape/bad-equation", `${JSON.stringify(written)} ${what}`, {
    help: 'write it as "bqd,bkd->bqk"',
  });
