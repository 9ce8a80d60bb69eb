import type { Content, Recording } from "../api.ts";
import { isCut } from "./compare-contents.ts";
import {
  type ComparedPart,
  type ComparedTensor,
  firstDifference,
  inputsOf,
  pathOf,
} from "./compare-recordings.ts";
import { counted, numberText } from "./texts.ts";

type Part = ComparedPart<Content>;
type Tensor = ComparedTensor<Content>;

/** One or more sentences about a whole comparison. */
export const comparisonSummary = (parts: readonly Part[], recordings: readonly Recording[]): string => {
  const calls = Math.max(0, ...recordings.map((one) => one.left));
  const responses = Math.max(0, ...recordings.map(responsesLeft));
  const missing = [
    ...(calls === 0 ? [] : [`${countedWere(calls, "call")} not recorded.`]),
    ...(responses === 0 ? [] : [`${countedWere(responses, "response")} not recorded.`]),
  ];
  const found = firstDifference(parts);
  return [
    found === undefined ? agreement(parts) : departure(found.part, found.tensor, parts),
    ...missing,
  ].join(" ");
};

/**
 * A sentence about two failed requests; undefined unless both failed.
 * @param errors Their messages.
 */
export const failuresText = (errors: readonly (string | undefined)[]): string | undefined => {
  if (errors.includes(undefined)) return undefined;
  return new Set(errors).size === 1
    ? "Both requests failed with the same error."
    : "Both requests failed, with different errors.";
};

/** The number of responses, over all calls, that a recording does not contain. */
const responsesLeft = ({ calls }: Recording): number => calls.reduce((sum, { left }) => sum + left, 0);

/** The text for a row of the table: `equal`, `0.5`, `not recorded`, `equal, but only recorded in part`. */
export const comparisonText = (tensor: Tensor): string => {
  const { problem, maxAbsolute, ok } = tensor.comparison;
  if (problem !== undefined) return problem;
  const text = maxAbsolute === 0 ? "equal" : differenceText(maxAbsolute);
  return ok && isPartial(tensor) ? `${text}, but only recorded in part` : text;
};

const agreement = (parts: readonly Part[]): string => {
  const tensors = parts.flatMap((part) => part.tensors);
  const skipped = tensors.filter(isSkipped).length;
  const partial = tensors.filter(isPartial).length;
  const whole = tensors.length - skipped - partial;
  if (whole === tensors.length)
    return whole === 1
      ? "The only tensor is equal within the tolerance."
      : `All ${whole} tensors are equal within the tolerance.`;
  return [
    `${whole} of ${counted(tensors.length, "tensor")} ${whole === 1 ? "is" : "are"} equal within the tolerance.`,
    ...(skipped === 0 ? [] : [`${countedWere(skipped, "tensor")} not compared: no values were recorded.`]),
    ...(partial === 0
      ? []
      : [`${countedWere(partial, "tensor")} not compared completely: the recorded part is equal.`]),
  ].join(" ");
};

/** `First difference: encoder gave last_hidden_state: the largest difference is 0.5. Its inputs are equal.` */
const departure = (part: Part, tensor: Tensor | undefined, parts: readonly Part[]): string => {
  const response = part.response === undefined ? "" : ` in response ${part.response}`;
  const where = `${pathOf(part)} ${part.kind}${tensor === undefined ? "" : ` ${tensor.comparison.name}${response}`}`;
  const what =
    tensor === undefined
      ? (part.problem ?? "")
      : (tensor.comparison.problem ??
        `the largest difference is ${differenceText(tensor.comparison.maxAbsolute)}`);
  const inputs = part.kind === "got" ? [] : [inputsText(inputsOf(part, parts))];
  const before = parts.slice(0, parts.indexOf(part)).flatMap((one) => one.tensors);
  const unsure = before.filter((one) => isSkipped(one) || isPartial(one)).length;
  return [
    `First difference: ${where}: ${what}.`,
    ...inputs,
    ...(unsure === 0 ? [] : [`Before it, ${countedWere(unsure, "tensor")} not compared completely.`]),
  ].join(" ");
};

const inputsText = (inputs: readonly Tensor[]): string => {
  if (inputs.some(({ comparison }) => !comparison.ok)) return "Its inputs differ, too.";
  return inputs.some((one) => isSkipped(one) || isPartial(one))
    ? "Its inputs were not compared completely."
    : "Its inputs are equal.";
};

/** At least one side has no values. */
const isSkipped = ({ comparison }: Tensor): boolean => comparison.ok && comparison.problem !== undefined;

/** Equal, as far as recorded. */
const isPartial = (tensor: Tensor): boolean =>
  tensor.comparison.ok &&
  !isSkipped(tensor) &&
  [tensor.one, tensor.other].some((content) => content !== undefined && isCut(content));

/** `1 tensor was`, `2 tensors were` */
const countedWere = (count: number, what: string): string =>
  `${counted(count, what)} ${count === 1 ? "was" : "were"}`;

const differenceText = (difference: number): string =>
  Number.isFinite(difference) ? numberText(difference) : "not finite";
