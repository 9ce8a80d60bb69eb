import { isMissing, kindOf } from "../ir/value-type.ts";
import { pyBinary, pyCall, pyName } from "../python/build.ts";
import { anyNumber } from "../ranges/num.ts";
import { argument, calls, receiverText, sureReceiver } from "./arguments.ts";
import type { Rows, TranslatedRow } from "./row.ts";

const isNaNOf: TranslatedRow = {
  args: [1, 1],
  lower(call, lowering) {
    const x = argument(call, 0);
    if (kindOf(x.type) !== "number" || x.type.undefined || x.type.null)
      return lowering.refuse(call.at, "function/mixed-kinds", `\`isNaN\` of \`${x.type.text}\``, "a number");
    return lowering.hold(lowering.expression(x), x.type, (first, again) => pyBinary("!=", first, again));
  },
};
const isFiniteOf: TranslatedRow = {
  args: [1, 1],
  lower(call, lowering) {
    const x = argument(call, 0);
    if (kindOf(x.type) !== "number" || x.type.undefined || x.type.null)
      return lowering.refuse(
        call.at,
        "function/mixed-kinds",
        `\`isFinite\` of \`${x.type.text}\``,
        "a number",
      );
    return pyBinary("<", pyCall("abs", lowering.expression(x)), pyName("INF"));
  },
};
const onNumber = (row: TranslatedRow): TranslatedRow => ({
  ...row,
  lower(call, lowering) {
    const x = argument(call, 0);
    return kindOf(x.type) === "number" && !x.type.undefined && !x.type.null
      ? row.lower(call, lowering)
      : lowering.refuse(
          call.at,
          "function/mixed-kinds",
          `a test of \`${x.type.text}\` for a number`,
          "a number",
        );
  },
});

const parseFloat: TranslatedRow = { ...calls("parse_float", [1, 1]), number: () => anyNumber };
const parseInt: TranslatedRow = { ...calls("parse_int", [1, 2]), number: () => anyNumber };

const digitsOf = (name: string, support: string): TranslatedRow => ({
  args: [0, 1],
  lower(call, lowering) {
    const digits = call.args[0]?.value;
    if (digits !== undefined && (kindOf(digits.type) !== "number" || isMissing(digits.type)))
      return lowering.refuse(
        call.at,
        "function/mixed-kinds",
        `\`.${name}()\` of \`${digits.type.text}\` digits`,
        "a number",
      );
    return pyCall(support, sureReceiver(call, lowering), ...lowering.args(call));
  },
});

/** Methods of numbers and bigints, functions of Number and BigInt. */
export const numbers: Rows = {
  "number.toFixed": digitsOf("toFixed", "to_fixed"),
  "number.toString": {
    args: [0, 1],
    lower(call, lowering) {
      const radix = call.args[0]?.value;
      if (radix === undefined) return receiverText(call, lowering);
      if (kindOf(radix.type) !== "number" || isMissing(radix.type))
        return lowering.refuse(
          call.at,
          "function/mixed-kinds",
          `\`.toString()\` of base \`${radix.type.text}\``,
          "a number",
        );
      return pyCall("to_radix", sureReceiver(call, lowering), lowering.expression(radix));
    },
  },
  "number.toPrecision": digitsOf("toPrecision", "to_precision"),
  "number.toExponential": digitsOf("toExponential", "to_exponential"),
  "number.toLocaleString": {
    refuse: "function/locale",
    why: "results depend on the machine's locale data",
    instead: "`toFixed(digits)`",
  },
  "bigint.toString": { args: [0, 0], lower: receiverText },
  "Number.isInteger": onNumber(calls("is_integer", [1, 1])),
  "Number.isSafeInteger": onNumber(calls("is_safe_integer", [1, 1])),
  "Number.isNaN": isNaNOf,
  "Number.isFinite": isFiniteOf,
  "Number.parseFloat": parseFloat,
  "Number.parseInt": parseInt,
  isNaN: isNaNOf,
  isFinite: isFiniteOf,
  parseFloat,
  parseInt,
  "BigInt.asIntN": {
    args: [2, 2],
    lower: (call, lowering) => pyCall("as_int", ...lowering.args(call)),
  },
  "BigInt.asUintN": {
    args: [2, 2],
    lower: (call, lowering) => pyCall("as_uint", ...lowering.args(call)),
  },
};
