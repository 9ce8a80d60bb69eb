import type { Expression, For, Pattern, Statement } from "../../ir/code.ts";
import { kindOf } from "../../ir/value-type.ts";
import type { Variable } from "../../ir/variable.ts";

import { pyBinary, pyCall, pyDo, pyInt, pyName, pyTuple, pyVariable, pyWhen } from "../../python/build.ts";
import type { PyExpression, PyStatement } from "../../python/syntax.ts";
import { isInt } from "../../ranges/num.ts";
import { isResizedIn, isSteadyIn, writesIn } from "./changes.ts";
import { isConverted } from "./lower-assign.ts";
import type { Guard } from "../guards.ts";
import { split } from "../guards.ts";
import type { LoweringState } from "../lowering-state.ts";

/** `for (const x of xs)`. */
export const lowerForOf = (
  lowering: LoweringState,
  { pattern, iterable, body }: Statement["does"] & { readonly kind: "for of" },
): readonly PyStatement[] => {
  refuseChanges(lowering, iterable, body);
  const target = loopTarget(lowering, pattern, iterable);
  const source = lowering.iterable(iterable, target !== undefined && pattern.kind !== "bind");
  const guards = keysOf(pattern, iterable);
  const inner = lowering.guards.within(guards, () => lowering.statements(body));
  if (target !== undefined) return [pyDo({ kind: "for", target, iterable: source, body: inner })];
  const element = elementOf(iterable);
  const item = lowering.temporary("t_", element);
  return [
    pyDo({
      kind: "for",
      target: pyVariable(item),
      iterable: source,
      body: [...lowering.bind(pattern, pyVariable(item), element), ...inner],
    }),
  ];
};

const elementOf = ({ type }: Expression): Variable["type"] => {
  if (kindOf(type) === "map" && type.element !== undefined && type.key !== undefined)
    return { ...type, kinds: ["array"], items: [type.key, type.element], element: undefined, key: undefined };
  return type.element ?? { ...type, element: undefined };
};

/** The target of a loop: a name, or a tuple of names if the elements are tuples of that length. */
const loopTarget = (
  lowering: LoweringState,
  pattern: Pattern,
  iterable: Expression,
): PyExpression | undefined => {
  const isPlain = (variable: Variable): boolean => !isConverted(lowering, variable);
  if (pattern.kind === "bind") return isPlain(pattern.variable) ? pyVariable(pattern.variable) : undefined;
  if (pattern.kind !== "items" || pattern.rest !== undefined || pattern.items.length < 2) return undefined;
  if (elementOf(iterable).items?.length !== pattern.items.length) return undefined;
  const names = pattern.items.map((part) =>
    part === undefined
      ? pyName("_")
      : part.pattern.kind === "bind" && part.fallback === undefined && isPlain(part.pattern.variable)
        ? pyVariable(part.pattern.variable)
        : undefined,
  );
  return names.every((name) => name !== undefined) ? pyTuple(names) : undefined;
};

/** The fact that a key from `Object.keys` or `Object.entries` is an own property of the object. */
export const keysOf = (pattern: Pattern, iterable: Expression): readonly Guard[] => {
  if (iterable.kind !== "invocation") return [];
  const object = iterable.args[0]?.value;
  const key =
    iterable.row === "Object.keys"
      ? pattern
      : iterable.row === "Object.entries" && pattern.kind === "items"
        ? pattern.items[0]?.pattern
        : undefined;
  if (object === undefined || key?.kind !== "bind") return [];
  const { variable, at } = key;
  return [{ kind: "own", object, key: { kind: "variable", variable, type: variable.type, at } }];
};

/** Refuses changes to a map or set during iteration, because they raise an error in Python but not in JavaScript. */
export const refuseChanges = (lowering: LoweringState, iterable: Expression, body: unknown): void => {
  const base =
    iterable.kind === "invocation" && /^(?:map|set)\./.test(iterable.row) ? iterable.receiver : iterable;
  if (base === undefined || !["map", "set"].includes(kindOf(base.type))) return;
  const { flows } = lowering.numbers;
  if (isResizedIn(base, body, { flows, origins: lowering.origins }))
    lowering.refuse(
      iterable.at,
      "function/changed-while-iterated",
      "a loop that may add to or delete from the collection that it iterates over",
    );
};

export const lowerWhile = (
  lowering: LoweringState,
  test: Expression,
  body: readonly Statement[],
): readonly PyStatement[] => {
  const tested = lowering.beside(() => lowering.condition(test));
  const inner = lowering.guards.within(lowering.guards.from(test, true), () => lowering.statements(body));
  return [whileTrue(tested, inner)];
};

/** A loop whose test may need statements before it. */
const whileTrue = (
  { made, before }: { readonly made: PyExpression; readonly before: readonly PyStatement[] },
  body: readonly PyStatement[],
): PyStatement =>
  before.length === 0
    ? pyDo({ kind: "while", test: made, body })
    : pyDo({ kind: "while", test: pyName("True"), body: [...before, leave(made), ...body] });

/** `do { … } while (test)`; `continue` jumps to the test. */
export const lowerDo = (
  lowering: LoweringState,
  test: Expression,
  body: readonly Statement[],
): readonly PyStatement[] => {
  const inner = lowering.statements(body);
  const { made, before } = lowering.beside(() => lowering.condition(test));
  const end = [...before, leave(made)];
  const leaving: readonly PyStatement[] = [...stepBeforeContinue(inner, end), ...end];
  return [pyDo({ kind: "while", test: pyName("True"), body: leaving })];
};

const leave = (test: PyExpression): PyStatement =>
  pyWhen({ kind: "unary", operator: "not", operand: test }, [pyDo({ kind: "break" })]);

/** `for (let i = 0; …)`: a range if it counts to a constant bound, otherwise a `while`. */
export const lowerFor = (lowering: LoweringState, loop: For): readonly PyStatement[] => {
  const counted = countedLoop(lowering, loop);
  if (counted !== undefined) {
    const body = lowering.guards.within(counted.guards, () => lowering.statements(loop.body));
    return [pyDo({ kind: "for", target: pyVariable(counted.variable), iterable: counted.range, body })];
  }
  const start = lowering.statements(loop.start);
  const body = lowering.statements(loop.body);
  const step = lowering.statements(loop.step);
  const test =
    loop.test === undefined ? undefined : lowering.beside(() => lowering.condition(loop.test as Expression));
  const stepped = [...stepBeforeContinue(body, step), ...step];
  return [...start, whileTrue(test ?? { made: pyName("True"), before: [] }, stepped)];
};

/** Puts the loop's step in front of each `continue`. */
const stepBeforeContinue = (
  statements: readonly PyStatement[],
  step: readonly PyStatement[],
): readonly PyStatement[] =>
  statements.flatMap((statement): readonly PyStatement[] => {
    const { does } = statement;
    const inside = (inner: readonly PyStatement[]): readonly PyStatement[] => stepBeforeContinue(inner, step);
    const doing = (changed: PyStatement["does"]): readonly PyStatement[] => [{ ...statement, does: changed }];
    switch (does.kind) {
      case "continue":
        return [...step, statement];
      case "if":
        return doing({
          ...does,
          branches: does.branches.map(({ test, body }) => ({ test, body: inside(body) })),
          otherwise: inside(does.otherwise),
        });
      case "try":
        return doing({
          ...does,
          body: inside(does.body),
          except: does.except && { ...does.except, body: inside(does.except.body) },
          always: inside(does.always),
        });
      default:
        return [statement];
    }
  });

interface CountedLoop {
  readonly variable: Variable;
  readonly range: PyExpression;
  readonly guards: readonly Guard[];
}

/** A loop over ints in steps of 1 or -1 whose body does not change the variable or the bound. */
const countedLoop = (lowering: LoweringState, { start, test, step, body }: For): CountedLoop | undefined => {
  const [first, ...others] = start;
  const [only, ...more] = step;
  if (others.length > 0 || more.length > 0 || first?.does.kind !== "declare" || test?.kind !== "binary")
    return undefined;
  const { pattern, value } = first.does;
  if (pattern.kind !== "bind" || value === undefined || only?.does.kind !== "count") return undefined;
  const { variable } = pattern;
  const { by, target } = only.does;
  const { base, offset } = split(test.left);
  if (target.kind !== "variable" || target.variable !== variable) return undefined;
  if (base?.kind !== "variable" || base.variable !== variable) return undefined;
  const isUp = by === 1 && (test.operator === "<" || test.operator === "<=");
  const isDown = by === -1 && (test.operator === ">" || test.operator === ">=");
  if (!isUp && !isDown) return undefined;
  const [from, to] = [lowering.num(value), lowering.num(test.right)];
  if (!isInt(from) || !isInt(to) || !isInt(lowering.numOfVariable(variable))) return undefined;
  if (
    writesIn(body).has(variable) ||
    !isSteadyIn(test.right, body, { flows: lowering.numbers.flows, origins: lowering.origins }, variable)
  )
    return undefined;
  const low = lowering.expression(value);
  const end = lowering.expression(test.right);
  const shift = (test.operator === "<=" ? 1 : test.operator === ">=" ? -1 : 0) - offset;
  const bound = shifted(end, test.right, shift);
  if (isDown) return { variable, range: pyCall("range", low, bound, pyInt(-1)), guards: [] };
  const isZero = value.kind === "number" && value.value === 0;
  const range = isZero ? pyCall("range", bound) : pyCall("range", low, bound);
  const { right } = test;
  const reach = test.operator === "<" ? offset : offset - 1;
  const guards: readonly Guard[] =
    right.kind === "property" && right.name === "length"
      ? [{ kind: "index", object: right.object, index: variable, low: from.low, reach }]
      : [];
  return { variable, range, guards };
};

const shifted = (bound: PyExpression, written: Expression, by: number): PyExpression => {
  if (by === 0) return bound;
  if (written.kind === "number") return pyInt(written.value + by);
  return pyBinary(by > 0 ? "+" : "-", bound, pyInt(Math.abs(by)));
};
