import { withoutArray } from "../../builtins/array-callbacks.ts";
import type { Invocation, Lambda, Statement } from "../../ir/code.ts";
import { kindOf, typeOfKind } from "../../ir/value-type.ts";
import { pyCall, pyDo, pyMethod, pyName, pyRun, pyTuple, pyVariable } from "../../python/build.ts";
import type { PyExpression, PyStatement } from "../../python/syntax.ts";
import { functionType } from "../lower-function.ts";
import { refuseChanges } from "./lower-loop.ts";
import type { LoweringState } from "../lowering-state.ts";

/** `xs.forEach(f)` as a statement: a loop over the body of the callback, unless the callback returns early. */
export const lowerEach = (lowering: LoweringState, call: Invocation): readonly PyStatement[] => {
  const { receiver, callback } = withoutArray(call, lowering);
  const kind = kindOf(receiver.type);
  if (callback.kind !== "lambda" || callback.parameters.length > (kind === "set" ? 1 : 2)) {
    lowering.refuse(
      call.at,
      "function/built-in",
      "`.forEach()` whose argument is not an inline function with up to three parameters (one for a set)",
      "`for…of`, and the array's own name",
    );
    return [];
  }
  refuseChanges(lowering, receiver, callback.body);
  if (kind === "array") lowering.keepsLength(receiver, callback);
  const names = callback.parameters.map(({ pattern }) =>
    pattern.kind === "bind" ? pattern.variable : undefined,
  );
  const isPlain = callback.parameters.every(
    ({ pattern, fallback, rest }) => pattern.kind === "bind" && fallback === undefined && !rest,
  );
  if (!isPlain || returns(callback.body))
    return callEach(lowering, callback, receiver.type, lowering.iterable(receiver, true), kind);
  const [first, second] = names.map((name) => name && pyVariable(name));
  const body = lowering.statements(callback.body);
  const { target, iterable } = over(kind, lowering.iterable(receiver, true), first, second);
  return [pyDo({ kind: "for", target, iterable, body })];
};

const over = (
  kind: string,
  source: PyExpression,
  first: PyExpression | undefined,
  second: PyExpression | undefined,
): { readonly target: PyExpression; readonly iterable: PyExpression } => {
  const blank = pyName("_");
  if (kind === "map") {
    if (second !== undefined) return { target: pyTuple([second, first ?? blank]), iterable: source };
    return {
      target: first ?? blank,
      iterable: pyMethod(
        source.kind === "call" && source.callee.kind === "attribute" ? source.callee.object : source,
        "values",
      ),
    };
  }
  if (second === undefined) return { target: first ?? blank, iterable: source };
  return { target: pyTuple([second, first ?? blank]), iterable: pyCall("enumerate", source) };
};

const returns = (body: readonly Statement[]): boolean =>
  body.some(({ does }) => {
    switch (does.kind) {
      case "return":
        return true;
      case "if":
        return returns(does.whenTrue) || returns(does.otherwise);
      case "for of":
      case "for":
      case "while":
      case "do":
      case "block":
        return returns(does.body);
      case "switch":
        return does.cases.some((one) => returns(one.body));
      case "try":
        return returns(does.body) || returns(does.handler ?? []) || returns(does.always);
      default:
        return false;
    }
  });

const callEach = (
  lowering: LoweringState,
  callback: Lambda,
  type: Invocation["type"],
  source: PyExpression,
  kind: string,
): readonly PyStatement[] => {
  const own = lowering.temporary("step_", functionType);
  const [item, position] = [
    lowering.temporary("x", type.element ?? typeOfKind("unknown")),
    lowering.temporary("i", typeOfKind("number")),
  ];
  const isTwo = callback.parameters.length > 1;
  const { target, iterable } = over(kind, source, pyVariable(item), isTwo ? pyVariable(position) : undefined);
  const args =
    callback.parameters.length === 0
      ? []
      : isTwo
        ? [pyVariable(item), pyVariable(position)]
        : [pyVariable(item)];
  return [
    pyDo(lowering.define(own, { ...callback, arity: 0 })),
    pyDo({ kind: "for", target, iterable, body: [pyRun(pyCall(pyVariable(own), ...args))] }),
  ];
};
