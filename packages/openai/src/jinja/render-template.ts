import { type Environment, library, type Node, type Value } from "./library.ts";
import { percentFormat } from "./format-text.ts";
import { parseTemplate, printFilter, testPrefix, unpackFilter } from "./parse-template.ts";
import { textMethods } from "./text-methods.ts";
import { type Arguments, pairsOf, type Running, valueFilters } from "./value-filters.ts";
import { valueTests } from "./value-tests.ts";
import { isEqual, isIn, isList, isMap, isNumber, isText, type Make, numberOf, pythonText } from "./values.ts";

/**
 * A chat template as Transformers renders it with Python's Jinja. The library parses and runs templates; its missing filters, tests and
 * methods are added here, and so is the text of Python's values.
 * @throws Error for a template that cannot be parsed.
 */
export const readTemplate = (
  template: string,
): ((variables: Readonly<Record<string, unknown>>) => string) => {
  const parsed = parseTemplate(template);
  return (variables) => {
    const environment = new library.Environment();
    for (const [name, value] of Object.entries({ ...globals, ...variables })) environment.set(name, value);
    return pythonText(new PythonInterpreter(environment).run(parsed));
  };
};

const globals: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  raise_exception: (message: string): never => {
    throw new Error(message);
  },
  range: (...given: readonly number[]): readonly number[] => {
    const [start = 0, stop = 0, step = 1] = given.length === 1 ? [0, ...given] : given;
    return Array.from({ length: Math.max(0, Math.ceil((stop - start) / step)) }, (_, i) => start + i * step);
  },
  strftime_now: (format: string): string =>
    new library.Template("{{ strftime_now(format) }}").render({ format }),
};

class PythonInterpreter extends library.Interpreter {
  override evaluate(node: Node | undefined, environment: Environment): Value {
    const own = node === undefined ? undefined : evaluators.get(node.type)?.(this.#scope(environment), node);
    return own ?? super.evaluate(node, environment);
  }

  #scope(environment: Environment): Scope {
    const plain = (node: Node): Value => super.evaluate(node, environment);
    const evaluate = (node: Node): Value => this.evaluate(node, environment);
    const literal = (type: string, value: unknown): Value => plain({ type, value });
    const name = (value: string): Value => plain({ type: "Identifier", value });
    const make: Make = {
      text: (value) => literal("StringLiteral", value),
      integer: (value) => literal("IntegerLiteral", value),
      float: (value) => literal("FloatLiteral", value),
      truth: (value) => name(String(value)),
      list: (values) => literal("ArrayLiteral", values.map(given)),
      tuple: (values) => literal("TupleLiteral", values.map(given)),
      get none() {
        return name("none");
      },
      get missing() {
        return evaluate({ type: "SelectExpression", lhs: given(name("none")), test: given(name("false")) });
      },
    };
    const running: Running = {
      make,
      test: (test, value, other) => {
        if (test === "filter") return isFilter(pythonText(value));
        if (test === "test")
          return valueTests.has(pythonText(value)) || ["filter", "test"].includes(pythonText(value));
        const found = valueTests.get(test);
        if (found === undefined) throw new Error(`unknown test: ${test}`);
        return found(value, other);
      },
      filter: (filter, value, { values, named }) => {
        const found = valueFilters.get(filter);
        if (found !== undefined) return found(value, { values, named }, running);
        const keywords = [...named].map(([key, one]) => ({
          type: "KeywordArgumentExpression",
          key: { type: "Identifier", value: key },
          value: given(one),
        }));
        const callee = { type: "Identifier", value: filter };
        const args = [...values.map(given), ...keywords];
        const applied = args.length === 0 ? callee : { type: "CallExpression", callee, args };
        return plain({ type: "FilterExpression", operand: given(value), filter: applied });
      },
    };
    return { evaluate, plain, running };
  }
}

/** Filters of the library that need no change. */
const libraryFilters = new Set(["default", "indent", "lower", "replace", "safe", "title", "tojson", "upper"]);
const aliases: ReadonlyMap<string, string> = new Map([["d", "default"]]);
const isFilter = (name: string): boolean =>
  valueFilters.has(name) || libraryFilters.has(name) || aliases.has(name);

interface Scope {
  readonly running: Running;
  evaluate(node: Node): Value;
  /** Evaluates a node as the library does. */
  plain(node: Node): Value;
}

/** A node whose value is known. */
const given = (value: Value): Node => ({ type: "Given", value });

const argumentsOf = ({ evaluate }: Scope, args: readonly Node[]): Arguments => {
  const values: Value[] = [];
  const named = new Map<string, Value>();
  for (const one of args) {
    if (one.type === "KeywordArgumentExpression")
      named.set((one["key"] as { readonly value: string }).value, evaluate(one["value"] as Node));
    else if (one.type === "SpreadExpression") {
      const spread = evaluate(one["argument"] as Node);
      if (isList(spread)) values.push(...spread.value);
    } else if (one.type === "KeywordSpreadExpression") {
      const spread = evaluate(one["argument"] as Node);
      if (isMap(spread)) for (const [key, value] of spread.value) named.set(key, value);
    } else values.push(evaluate(one));
  }
  return { values, named };
};

/** The nodes that the library lacks or evaluates differently; undefined leaves a node to the library. */
const evaluators: ReadonlyMap<string, (scope: Scope, node: Node) => Value | undefined> = new Map([
  ["Given", (_, { value }) => value as Value],
  [
    "FilterExpression",
    (scope, { operand, filter }) => {
      const { running } = scope;
      const called = filter as Node;
      const isCall = called.type === "CallExpression";
      const name = ((isCall ? called["callee"] : called) as { readonly value: string }).value;
      const value = scope.evaluate(operand as Node);
      const args = isCall ? argumentsOf(scope, called["args"] as readonly Node[]) : none;
      if (name === unpackFilter) return unpackable(value, running.make);
      if (name === printFilter) return running.make.text(pythonText(value));
      if (name.startsWith(testPrefix)) {
        const [, not, test = ""] = /^ is (not )?(.*)$/s.exec(name) ?? [];
        return running.make.truth(running.test(test, value, args.values[0]) === (not === undefined));
      }
      return running.filter(aliases.get(name) ?? name, value, args);
    },
  ],
  [
    "BinaryExpression",
    ({ running: { make }, ...scope }, { operator, left, right, ...rest }) => {
      const { value: sign } = operator as { readonly value: string };
      if (!["==", "!=", "~", "%", "*", "in", "not in"].includes(sign)) return undefined;
      const [a, b] = [scope.evaluate(left as Node), scope.evaluate(right as Node)];
      if (sign === "~") return make.text(pythonText(a) + pythonText(b));
      if (sign === "==" || sign === "!=") return make.truth(isEqual(a, b) === (sign === "=="));
      if (sign === "in" || sign === "not in") return make.truth(isIn(a, b) === (sign === "in"));
      if (sign === "*" && isText(a) && isNumber(b))
        return make.text(a.value.repeat(Math.max(0, numberOf(b))));
      if (sign === "*") return scope.plain({ ...rest, operator, left: given(a), right: given(b) });
      if (isText(a))
        return make.text(
          percentFormat(
            a.value,
            b.type === "TupleValue" && isList(b) ? b.value : isMap(b) ? [] : [b],
            isMap(b) ? b.value : new Map(),
          ),
        );
      if (!isNumber(a) || !isNumber(b))
        return scope.plain({ ...rest, operator, left: given(a), right: given(b) });
      const [divisor, remainder] = [numberOf(b), numberOf(a) % numberOf(b)];
      const result = remainder !== 0 && remainder < 0 !== divisor < 0 ? remainder + divisor : remainder;
      return a.type === "FloatValue" || b.type === "FloatValue" ? make.float(result) : make.integer(result);
    },
  ],
  [
    "CallExpression",
    (scope, node) => {
      const callee = node["callee"] as Node;
      if (callee.type !== "MemberExpression" || callee["computed"] === true) return undefined;
      const { value: name } = callee["property"] as { readonly value: string };
      const object = scope.evaluate(callee["object"] as Node);
      const args = node["args"] as readonly Node[];
      const method = isText(object) ? textMethods.get(name) : undefined;
      const { make } = scope.running;
      if (method !== undefined && isText(object)) return method(object.value, argumentsOf(scope, args), make);
      if (name === "items" && object.type === "ObjectValue" && isMap(object) && !object.value.has(name))
        return make.list(pairsOf(object, make));
      return scope.plain({ ...node, callee: { ...callee, object: given(object) } });
    },
  ],
]);

const unpackable = (value: Value, make: Make): Value =>
  isList(value) && value.value.some(({ type }) => type === "TupleValue")
    ? make.list(value.value.map((one) => (isList(one) ? make.list(one.value) : one)))
    : value;

const none: Arguments = { values: [], named: new Map() };
