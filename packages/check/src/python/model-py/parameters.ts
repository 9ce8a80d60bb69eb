import { methodCall } from "../patterns.ts";
import type { Expression, PythonModule } from "../syntax.ts";
import { callsIn, type Values } from "../values.ts";
import { allParts, allStatements, dottedName } from "../walk.ts";

/** `json.loads(args["model_config"])["parameters"]["key"]`, also with `.get`; values are objects with a `string_value`. */
export interface ParameterRead {
  readonly key: string;
  /** The fallback of `.get(key, fallback)`. */
  readonly fallback: Expression | undefined;
  readonly how: "index" | "get";
}

/** Whether the parameters may have been modified: by `parameters[key] = value["string_value"]`, or by a helper that gets them. */
export const parametersMayChange = (module: PythonModule, values: Values): boolean =>
  allStatements(module.body).some(
    (statement) => statement.kind === "assign" && statement.targets.flatMap(allParts).some(isOpenIndex),
  ) ||
  callsIn(module.body).some(({ callee, args }) => {
    const name = dottedName(callee) ?? "";
    if (readers.test(name)) return false;
    return args.some(({ value }) => isParameters(value, values) || isModelConfig(value, values));
  });

const readers =
  /^(?:len|print|list|sorted|str|json\.dumps|(?:\w+\.)?get_(?:in|out)put_config_by_name|(?:\w+\.)?using_decoupled_model_transaction_policy)$/;

const isOpenIndex = (target: Expression): boolean =>
  target.kind === "index" && target.index.some(({ kind }) => kind !== "text" && kind !== "number");

/** The parameter of the configuration that an expression represents; undefined when that is uncertain. */
export const parameterOf = (expression: Expression, values: Values): ParameterRead | undefined => {
  const read = memberOf(values.resolve(expression), values);
  return read !== undefined && isParameters(read.object, values)
    ? { key: read.key, fallback: read.fallback, how: read.how }
    : undefined;
};

const isParameters = (expression: Expression, values: Values): boolean => {
  const read = memberOf(values.resolve(expression), values);
  return read?.key === "parameters" && isModelConfig(read.object, values);
};

const isModelConfig = (expression: Expression, values: Values): boolean => {
  const value = values.resolve(expression);
  if (value.kind !== "call" || !/^(?:\w+\.)?loads$/.test(dottedName(value.callee) ?? "")) return false;
  const [argument] = value.args;
  return argument !== undefined && memberOf(values.resolve(argument.value), values)?.key === "model_config";
};

interface Member extends ParameterRead {
  readonly object: Expression;
}

/** `object["key"]` or `object.get("key", fallback)`. */
const memberOf = (expression: Expression, { resolve }: Values): Member | undefined => {
  if (expression.kind === "index") {
    const [index] = expression.index;
    const key = index && resolve(index);
    return expression.index.length === 1 && key?.kind === "text" && key.value !== undefined
      ? { object: expression.object, key: key.value, fallback: undefined, how: "index" }
      : undefined;
  }
  const call = methodCall(expression);
  if (call?.name !== "get") return undefined;
  const [first, fallback] = call.args;
  const key = first && resolve(first.value);
  return key?.kind === "text" && key.value !== undefined
    ? { object: call.object, key: key.value, fallback: fallback?.value, how: "get" }
    : undefined;
};
