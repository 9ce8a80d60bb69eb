import type { Expression, Invocation } from "../ir/code.ts";
import { unknown } from "../ir/value-type.ts";
import type { Lowering } from "../lower/lowering.ts";
import { pyCall, pyMethod } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import type { TranslatedRow } from "./row.ts";

/** An argument that the row surely has. */
export const argument = (call: Invocation, at: number): Expression =>
  call.args[at]?.value ?? { kind: "refused", type: unknown, at: call.at };

export const receiverOf = (call: Invocation): Expression =>
  call.receiver ?? { kind: "refused", type: unknown, at: call.at };

/** The receiver and the arguments in Python. */
export const lowered = (call: Invocation, lowering: Lowering): readonly PyExpression[] => [
  ...(call.receiver === undefined ? [] : [lowering.expression(call.receiver)]),
  ...lowering.args(call),
];

type Facts = Omit<TranslatedRow, "args" | "lower">;

/** A row that calls a function of Python or of the support code with the receiver and the arguments. */
export const calls = (name: string, args: readonly [number, number], facts: Facts = {}): TranslatedRow => ({
  args,
  lower: (call, lowering) => pyCall(name, ...lowered(call, lowering)),
  ...facts,
});

/** A row that calls a method of Python's on the receiver. */
export const method = (name: string, args: readonly [number, number], facts: Facts = {}): TranslatedRow => ({
  args,
  lower(call, lowering) {
    const [object, ...rest] = lowered(call, lowering);
    return object === undefined ? pyCall(name) : pyMethod(object, name, ...rest);
  },
  ...facts,
});
