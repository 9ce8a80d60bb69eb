import type { Invocation } from "../ir/code.ts";
import type { Lowering } from "../lower/lowering.ts";
import { operand } from "../lower/operators/operand.ts";
import { pyAttribute, pyBinary, pyCall, pyCallWith, pyFloat, pyInt, pyName } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { anyNumber, float, int32, intBetween, isInt, type Num, uint32 } from "../ranges/num.ts";
import { argument, calls } from "./arguments.ts";
import type { PropertyRows, RefusedRow, Rows, TranslatedRow } from "./row.ts";

const asIs = ([x = anyNumber]: readonly Num[]): Num => (isInt(x) ? x : float);

/** Rounding: an int stays the same. */
const rounding = (name: string): TranslatedRow => ({
  number: asIs,
  lower: (call, lowering) => roundedBy(call, lowering, name),
});

/** Python's float functions return ints for ints, so a number of either kind is converted to a float first. */
const roundedBy = (call: Invocation, lowering: Lowering, name: string): PyExpression => {
  const x = argument(call, 0);
  if (isInt(lowering.num(x))) return lowering.expression(x);
  return pyCall(name, lowering.float(x));
};

/** `Math.floor(a / b)` for non-negative ints. */
const wholeQuotient = (call: Invocation, lowering: Lowering): PyExpression | undefined => {
  const x = argument(call, 0);
  if (x.kind !== "binary" || x.operator !== "/") return undefined;
  const [a, b] = [lowering.num(x.left), lowering.num(x.right)];
  if (!isInt(a) || !isInt(b) || a.low < 0 || b.low <= 0) return undefined;
  return pyBinary("//", lowering.expression(x.left), lowering.expression(x.right));
};

const extreme = (name: "max" | "min", support: string): TranslatedRow => ({
  args: [0, Infinity],
  number(args, call) {
    if (args.length === 0 || call.args.some(({ spread }) => spread)) return anyNumber;
    if (!args.every(isInt)) return args.every(({ kind }) => kind === "float") ? float : anyNumber;
    const pick = Math[name];
    return {
      kind: "int",
      low: pick(...args.map(({ low }) => low)),
      high: pick(...args.map(({ high }) => high)),
    };
  },
  lower(call, lowering) {
    const plain =
      call.args.length > 1 && call.args.every(({ spread, value }) => !spread && isInt(lowering.num(value)));
    return pyCallWith(plain ? name : support, lowering.args(call));
  },
});

const inexact: RefusedRow = {
  refuse: "function/inexact-math",
  why: "the last digit may differ between V8 and Python",
  instead:
    "a `python` step; to compute all elements of a tensor in the same way, an operator outside the step, such as `exp` or `softmax`",
};
const names =
  "exp log log2 log10 log1p expm1 sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh cbrt hypot";

/** Functions of Math. */
export const math: Rows = {
  ...Object.fromEntries(names.split(" ").map((name) => [`Math.${name}`, inexact])),
  "Math.hypot": { ...inexact, instead: "`Math.sqrt(x * x + y * y)`" },
  "Math.random": { refuse: "function/randomness", why: "a row's result would change from call to call" },
  "Math.floor": {
    number: asIs,
    lower: (call, lowering) => wholeQuotient(call, lowering) ?? roundedBy(call, lowering, "floor"),
  },
  "Math.ceil": rounding("ceil"),
  "Math.trunc": rounding("trunc"),
  "Math.round": rounding("round_half_up"),
  "Math.sign": {
    ...rounding("sign"),
    lower: (call, lowering) => pyCall("sign", operand(lowering, argument(call, 0))),
    number: () => anyNumber,
  },
  "Math.abs": {
    number: ([x = anyNumber]) =>
      isInt(x)
        ? (intBetween(
            x.low <= 0 && x.high >= 0 ? 0 : Math.min(Math.abs(x.low), Math.abs(x.high)),
            Math.max(Math.abs(x.low), Math.abs(x.high)),
          ) ?? float)
        : x,
    lower: (call, lowering) => pyCall("abs", operand(lowering, argument(call, 0))),
  },
  "Math.max": extreme("max", "largest"),
  "Math.min": extreme("min", "smallest"),
  "Math.sqrt": calls("sqrt", [1, 1], { number: () => float }),
  "Math.fround": calls("fround", [1, 1], { number: () => float }),
  "Math.imul": {
    args: [2, 2],
    number: () => int32,
    lower(call, lowering) {
      const [a, b] = [0, 1].map((at) => pyCall("to_int32", lowering.expression(argument(call, at))));
      return pyCall("to_int32", pyBinary("*", a ?? pyInt(0), b ?? pyInt(0)));
    },
  },
  "Math.clz32": {
    number: () => uint32,
    lower: (call, lowering) =>
      pyBinary(
        "-",
        pyInt(32),
        pyCall(pyAttribute(pyCall("to_uint32", lowering.expression(argument(call, 0))), "bit_length")),
      ),
  },
};

/** A property that is a number. */
export const constant = (value: number): PropertyRows[string] => ({
  number: float,
  lower: () => pyFloat(value),
});

export const mathProperties: PropertyRows = {
  "Math.PI": { number: float, lower: () => pyAttribute(pyName("math"), "pi") },
  "Math.E": { number: float, lower: () => pyAttribute(pyName("math"), "e") },
  "Math.LN2": constant(Math.LN2),
  "Math.LN10": constant(Math.LN10),
  "Math.LOG2E": constant(Math.LOG2E),
  "Math.LOG10E": constant(Math.LOG10E),
  "Math.SQRT2": constant(Math.SQRT2),
  "Math.SQRT1_2": constant(Math.SQRT1_2),
};
