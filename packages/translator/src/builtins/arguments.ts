import type { Expression, Invocation } from "../ir/code.ts";
import { unknown } from "../ir/value-type.ts";
import type { Lowering } from "../lower/lowering.ts";
import { pyBinary, pyCall } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import type { TranslatedRow } from "./row.ts";

/** An argument that is always present. */
export const argument = (call: Invocation, at: number): Expression =>
  call.args[at]?.value ?? { kind: "refused", type: unknown, at: call.at };

export const receiverOf = (call: Invocation): Expression =>
  call.receiver ?? { kind: "refused", type: unknown, at: call.at };

/**
 * The receiver. If `!` or `as` asserts that it is present, the Python code checks this where a missing receiver would
 * not raise by itself.
 */
export const sureReceiver = (call: Invocation, lowering: Lowering): PyExpression => {
  const receiver = receiverOf(call);
  if (receiver.claimed !== true) return lowering.expression(receiver);
  if (receiver.kind !== "element") return pyCall("present", lowering.expression(receiver));
  const { asserted: _, ...element } = receiver;
  const made = lowering.expression(element);
  return made.kind === "subscript" ? made : pyCall("present", made);
};

/** `String(receiver)` as a method. */
export const receiverText = (call: Invocation, lowering: Lowering): PyExpression =>
  receiverOf(call).claimed === true
    ? pyCall("string", sureReceiver(call, lowering))
    : lowering.text(receiverOf(call));

/** An iterable or a record that is treated as empty if it is missing. */
export const orNothing = (value: Expression, made: PyExpression, nothing: PyExpression): PyExpression =>
  value.claimed === true ? pyBinary("or", made, nothing) : made;

/** The receiver and the arguments in Python. */
export const lowered = (call: Invocation, lowering: Lowering): readonly PyExpression[] => [
  ...(call.receiver === undefined ? [] : [lowering.expression(call.receiver)]),
  ...lowering.args(call),
];

type Facts = Omit<TranslatedRow, "args" | "lower">;

/** A table row that calls a function of Python or of the support code with the receiver and the arguments. */
export const calls = (name: string, args: readonly [number, number], facts: Facts = {}): TranslatedRow => ({
  args,
  lower: (call, lowering) => pyCall(name, ...lowered(call, lowering)),
  ...facts,
});

/** The value of a method that can only be a statement. */
export const statementOnly =
  (name: string, instead?: string): TranslatedRow["lower"] =>
  (call, lowering) =>
    lowering.refuse(call.at, "function/effect-in-expression", `the value of \`.${name}()\``, instead);
