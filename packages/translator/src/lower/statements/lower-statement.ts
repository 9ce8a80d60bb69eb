import type { Case, Expression, Statement } from "../../ir/code.ts";
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

const lowerStatement = (lowering: LoweringState, { does, at }: Statement): readonly PyStatement[] => {
  switch (does.kind) {
    case "declare":
      return lowerDeclare(lowering, does);
    case "function":
      return [pyDo(lowering.define(does.variable, does.lambda))];
    case "assign":
      return lowerAssign(lowering, does);
    case "count":
      return lowerCount(lowering, does.target, does.by);
    case "delete":
      return lowerDelete(lowering, does.target);
    case "expression":
      return lowerEffect(lowering, does.value);
    case "if":
      return [lowerIf(lowering, does)].flat();
    case "for of":
    case "for":
    case "while":
    case "do":
      return inLoop(lowering, does.label, () => lowerLoop(lowering, does));
    case "switch":
      return lowerSwitch(lowering, does.value, does.cases);
    case "return":
      return [
        pyDo({
          kind: "return",
          value: does.value === undefined ? pyName("undefined") : lowering.expression(does.value),
        }),
      ];
    case "throw":
      return lowerThrow(lowering, does.value, at);
    case "break":
    case "continue":
      return lowerJump(lowering, does.kind, does.label);
    case "try":
      return [lowerTry(lowering, does)];
    default:
      return lowering.statements(does.body);
  }
};

type Does<K extends Statement["does"]["kind"]> = Statement["does"] & { readonly kind: K };

const lowerLoop = (
  lowering: LoweringState,
  does: Does<"for of" | "for" | "while" | "do">,
): readonly PyStatement[] => {
  switch (does.kind) {
    case "for of":
      return lowerForOf(lowering, does);
    case "for":
      return lowerFor(lowering, does);
    case "while":
      return lowerWhile(lowering, does.test, does.body);
    default:
      return lowerDo(lowering, does.test, does.body);
  }
};

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

const lowerSwitch = (
  lowering: LoweringState,
  value: Expression,
  cases: readonly Case[],
): readonly PyStatement[] => {
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

const lowerThrow = (
  lowering: LoweringState,
  value: Expression,
  at: Statement["at"],
): readonly PyStatement[] => {
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
