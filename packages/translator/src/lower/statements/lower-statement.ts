import type { Expression, Statement } from "../../ir/code.ts";
import { substitute } from "../../ir/substitute.ts";
import { isAlways, isPrimitive, mixesNumbers, unknown } from "../../ir/value-type.ts";
import {
  isSimple,
  pyAssign,
  pyBinary,
  pyCall,
  pyDo,
  pyName,
  pyRun,
  pyTuple,
  pyVariable,
  pyWhen,
} from "../../python/build.ts";
import type { PyBranch, PyExpression, PyStatement } from "../../python/syntax.ts";
import { lowerAssign, lowerCount, lowerDelete, lowerSwap, written } from "./lower-assign.ts";
import { lowerEach } from "./lower-each.ts";
import { lowerInvocationStatement } from "../expressions/lower-invocation.ts";
import { inLoop, lowerJump } from "./jumps.ts";
import { lowerDo, lowerFor, lowerForOf, lowerWhile } from "./lower-loop.ts";
import type { LoweringState } from "../lowering-state.ts";
import { missingTest } from "../operators/missing.ts";

/** Statements in Python, each with the code that must come before it. */
export const lowerStatements = (
  lowering: LoweringState,
  statements: readonly Statement[],
): readonly PyStatement[] =>
  statements.flatMap((statement) => {
    const { made, before } = lowering.beside(() => lowerStatement(lowering, statement));
    const [first, ...rest] = [...before, ...made];
    if (first === undefined) return [];
    return [
      {
        ...first,
        at: first.at ?? statement.at,
        comments: [...statement.comments, ...(first.comments ?? [])],
      },
      ...rest.map((other) => (other.at === undefined ? { ...other, at: statement.at } : other)),
    ];
  });

const lowerStatement = (lowering: LoweringState, { does, at }: Statement): readonly PyStatement[] =>
  (lowerers[does.kind] as Lower<Statement["does"]>)(lowering, does, at);

type Does<K extends Statement["does"]["kind"]> = Statement["does"] & { readonly kind: K };
type Lower<D> = (lowering: LoweringState, does: D, at: Statement["at"]) => readonly PyStatement[];

const loop =
  <D extends Does<"for of" | "for" | "while" | "do">>(
    lower: (lowering: LoweringState, does: D) => readonly PyStatement[],
  ): Lower<D> =>
  (lowering, does) =>
    inLoop(lowering, does.label, () => lower(lowering, does));

const lowerDeclare = (
  lowering: LoweringState,
  { pattern, value }: Does<"declare">,
): readonly PyStatement[] => {
  if (pattern.kind !== "bind") {
    if (value === undefined) return [];
    return (
      lowerSwap(lowering, pattern, value) ?? lowering.bind(pattern, lowering.expression(value), value.type)
    );
  }
  const made = value === undefined ? pyName("undefined") : written(lowering, pattern.variable, value);
  return [pyAssign(pyVariable(pattern.variable), made)];
};

/** An expression whose value is not used. */
const lowerEffect = (lowering: LoweringState, value: Expression): readonly PyStatement[] => {
  if (value.kind === "effect") return lowering.statements([value.statement]);
  if (value.kind === "invocation" && /^(?:array|typed|map|set)\.forEach$/.test(value.row))
    return lowerEach(lowering, value);
  if (value.kind === "invocation") return lowerInvocationStatement(lowering, value);
  if (value.kind === "chain") return lowerChainStatement(lowering, value);
  if (value.kind === "logical" && value.operator === "&&")
    return lowerIf(lowering, {
      kind: "if",
      test: value.left,
      whenTrue: [asStatement(value.right)],
      otherwise: [],
    });
  if (value.kind === "conditional")
    return lowerIf(lowering, {
      kind: "if",
      test: value.test,
      whenTrue: [asStatement(value.whenTrue)],
      otherwise: [asStatement(value.otherwise)],
    });
  return [pyRun(lowering.expression(value))];
};

/** `a?.b()` as a statement, which does nothing if `a` is missing. */
const lowerChainStatement = (
  lowering: LoweringState,
  { object, held, link }: Expression & { readonly kind: "chain" },
): readonly PyStatement[] => {
  const value = lowering.expression(object);
  const [kept, rest] = isSimple(value) ? [value, substitute(link, held, object)] : [pyVariable(held), link];
  const test = missingTest(kept, object.type, false);
  const body = lowering.statements([asStatement(rest)]);
  return [...(isSimple(value) ? [] : [pyAssign(kept, value)]), pyWhen(test, body)];
};

const asStatement = (value: Expression): Statement => ({
  at: value.at,
  comments: [],
  does: { kind: "expression", value },
});

const lowerIf = (lowering: LoweringState, does: Does<"if">): readonly PyStatement[] => {
  const branches: PyBranch[] = [];
  const { guards } = lowering;
  let rest: readonly Statement[] = [{ does, at: { file: "", line: 0, column: 0 }, comments: [] }];
  let known: ReturnType<typeof guards.from> = [];
  for (;;) {
    const [only] = rest;
    if (rest.length !== 1 || only?.does.kind !== "if" || only.comments.length > 0) break;
    const { test, whenTrue, otherwise } = only.does;
    const { made, before } = lowering.beside(() => guards.within(known, () => lowering.condition(test)));
    if (before.length > 0 && branches.length > 0) break;
    for (const statement of before) lowering.before(statement);
    const body = guards.within([...known, ...guards.from(test, true)], () => lowering.statements(whenTrue));
    if (branches.length === 0 && made.kind === "name" && made.id === "True") return body;
    branches.push({ test: made, body });
    known = [...known, ...guards.from(test, false)];
    rest = otherwise;
  }
  const otherwise = guards.within(known, () => lowering.statements(rest));
  return [pyDo({ kind: "if", branches, otherwise })];
};

const lowerSwitch = (lowering: LoweringState, { value, cases }: Does<"switch">): readonly PyStatement[] => {
  const made = lowering.expression(value);
  const held = isSimple(made) ? undefined : lowering.temporary("t_", value.type);
  const subject: PyExpression = held === undefined ? made : pyVariable(held);
  const branches: PyBranch[] = [];
  let otherwise: readonly PyStatement[] = [];
  for (const { labels, body, at } of cases) {
    const lowered = lowering.statements(body);
    if (labels.includes(undefined)) otherwise = lowered;
    else
      branches.push({
        test: isOneOf(
          lowering,
          value,
          subject,
          labels.filter((label) => label !== undefined),
          at,
        ),
        body: lowered,
      });
  }
  const start = held === undefined ? [] : [pyAssign(subject, made)];
  if (branches.length === 0) return [...start, ...otherwise];
  return [...start, pyDo({ kind: "if", branches, otherwise })];
};

const isOneOf = (
  lowering: LoweringState,
  value: Expression,
  subject: PyExpression,
  labels: readonly Expression[],
  at: Statement["at"],
): PyExpression => {
  const types = [value, ...labels].map(({ type }) => type);
  if (mixesNumbers(types) || !types.every(isPrimitive))
    return lowering.refuse(
      at,
      types.some(({ kinds }) => kinds.includes("unknown")) ? "function/any" : "function/mixed-kinds",
      `\`case\` between \`${value.type.text}\` and its labels`,
      "`if` and `===`",
      { of: value.type },
    );
  const [only, ...more] = labels.map((label) => lowering.expression(label));
  if (only === undefined) return pyName("True");
  return more.length === 0
    ? pyBinary("==", subject, only)
    : pyBinary("in", subject, pyTuple([only, ...more]));
};

const lowerThrow: Lower<Does<"throw">> = (lowering, { value }, at) => {
  if (isAlways(value.type, "error")) return [pyDo({ kind: "raise", value: lowering.expression(value) })];
  if (value.kind === "variable" && value.variable.kind === "caught")
    return [pyDo({ kind: "raise", value: lowering.expression(value) })];
  lowering.refuse(
    at,
    "function/syntax",
    "throwing something other than an Error",
    "`throw new Error(message)`",
  );
  return [];
};

const lowerTry = (lowering: LoweringState, does: Does<"try">): PyStatement => {
  const { caught, handler } = does;
  const body = lowering.statements(does.body);
  const raised = lowering.temporary("raised", unknown);
  const taken = pyCall("caught", pyVariable(raised));
  return pyDo({
    kind: "try",
    body,
    except:
      handler === undefined
        ? undefined
        : {
            type: pyName("Exception"),
            variable: raised,
            body: [
              caught === undefined ? pyRun(taken) : pyAssign(pyVariable(caught), taken),
              ...lowering.statements(handler),
            ],
          },
    always: lowering.statements(does.always),
  });
};

const lowerReturn = (lowering: LoweringState, { value }: Does<"return">): readonly PyStatement[] => [
  pyDo({ kind: "return", value: value === undefined ? pyName("undefined") : lowering.expression(value) }),
];

const jump: Lower<Does<"break" | "continue">> = (lowering, { kind, label }) =>
  lowerJump(lowering, kind, label);

const lowerers: { readonly [K in Statement["does"]["kind"]]: Lower<Does<K>> } = {
  declare: lowerDeclare,
  function: (lowering, { variable, lambda }) => [pyDo(lowering.define(variable, lambda))],
  assign: lowerAssign,
  count: (lowering, { target, by }) => lowerCount(lowering, target, by),
  delete: (lowering, { target }) => lowerDelete(lowering, target),
  expression: (lowering, { value }) => lowerEffect(lowering, value),
  if: lowerIf,
  "for of": loop(lowerForOf),
  for: loop(lowerFor),
  while: loop((lowering, { test, body }) => lowerWhile(lowering, test, body)),
  do: loop((lowering, { test, body }) => lowerDo(lowering, test, body)),
  switch: lowerSwitch,
  return: lowerReturn,
  throw: lowerThrow,
  break: jump,
  continue: jump,
  try: (lowering, does) => [lowerTry(lowering, does)],
  block: (lowering, { body }) => lowering.statements(body),
};
