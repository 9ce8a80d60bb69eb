import { ts } from "ts-morph";
import type { Lambda, Parameter, Statement } from "../ir/code.ts";
import { type Scope, scopeIn } from "../ir/variable.ts";
import type { Reader } from "./reader.ts";

/** A function with its parameters and body. */
export const readLambda = (reader: Reader, node: ts.FunctionLikeDeclaration, outer: Scope): Lambda => {
  const scope = scopeIn(outer, "function");
  if (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Async)
    reader.refuse(node, "function/async", "an `async` function");
  if (node.asteriskToken !== undefined)
    reader.refuse(node, "function/syntax", "a generator function", "a function that returns an array");
  const parameters = node.parameters
    .filter(({ name }) => name.getText() !== "this")
    .map((parameter): Parameter => {
      const pattern = reader.pattern(parameter.name, scope, "parameter");
      return {
        pattern,
        fallback: parameter.initializer && reader.expression(parameter.initializer, scope),
        optional: parameter.questionToken !== undefined || parameter.initializer !== undefined,
        rest: parameter.dotDotDotToken !== undefined,
      };
    });
  const place = {
    kind: "lambda",
    scope,
    parameters,
    arity: arityOf(reader, node, parameters.length),
    result: reader.resultOf(node),
    type: reader.typeOf(node),
    at: reader.at(node),
  } as const;
  const { body } = node;
  if (body === undefined) return { ...place, body: [], value: undefined };
  if (ts.isBlock(body))
    return { ...place, body: reader.statements(body.statements, scope), value: undefined };
  const at = reader.at(body);
  if (isEffect(body)) {
    const statement = ts.factory.createExpressionStatement(body);
    return { ...place, body: reader.statements([statement], scope), value: undefined };
  }
  const value = reader.expression(body, scope);
  const result: Statement = { at, comments: [], does: { kind: "return", value } };
  return { ...place, body: [result], value };
};

/** The number of parameters in the function type that the context expects, if it is more than the function's own. */
const arityOf = (reader: Reader, node: ts.FunctionLikeDeclaration, own: number): number => {
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return own;
  const [signature] = reader.checker.getContextualType(node)?.getCallSignatures() ?? [];
  return Math.max(own, signature?.getParameters().length ?? own);
};

/** Whether a body is only evaluated for its effect, as in `xs.forEach((x) => (sum += x))`. */
const isEffect = (body: ts.Expression): boolean => {
  const call = body.parent.parent;
  return (
    ts.isCallExpression(call) &&
    ts.isPropertyAccessExpression(call.expression) &&
    call.expression.name.text === "forEach"
  );
};
