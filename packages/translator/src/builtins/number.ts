import { isAlways } from "../ir/value-type.ts";
import { pyBinary, pyCall, pyName } from "../python/build.ts";
import { anyNumber } from "../ranges/num.ts";
import { argument, calls, receiverText, sureReceiver } from "./arguments.ts";
import type { Rows, TranslatedRow } from "./row.ts";

/** A table row whose argument must be a number. `what` names the construct in the refusal of any other argument. */
const onNumber = (what: string, row: TranslatedRow): TranslatedRow => ({
  ...row,
  lower(call, lowering) {
    const { type } = argument(call, 0);
    return isAlways(type, "number")
      ? row.lower(call, lowering)
      : lowering.refuse(
          call.at,
          "function/mixed-kinds",
          what.replace("{type}", () => `\`${type.text}\``),
          "a number",
        );
  },
});

const isNaNOf = onNumber("`isNaN` of {type}", {
  lower(call, lowering) {
    const x = argument(call, 0);
    return lowering.hold(lowering.expression(x), x.type, (first, again) => pyBinary("!=", first, again));
  },
});
const isFiniteOf = onNumber("`isFinite` of {type}", {
  lower: (call, lowering) =>
    pyBinary("<", pyCall("abs", lowering.expression(argument(call, 0))), pyName("INF")),
});
const integerTest = (support: string): TranslatedRow =>
  onNumber("a number test on {type}", calls(support, [1, 1]));

const parseFloat: TranslatedRow = { ...calls("parse_float", [1, 1]), number: () => anyNumber };
const parseInt: TranslatedRow = { ...calls("parse_int", [1, 2]), number: () => anyNumber };

const digitsOf = (name: string, support: string): TranslatedRow => ({
  args: [0, 1],
  lower(call, lowering) {
    const digits = call.args[0]?.value;
    if (digits !== undefined && !isAlways(digits.type, "number"))
      return lowering.refuse(
        call.at,
        "function/mixed-kinds",
        `\`.${name}()\` of \`${digits.type.text}\` digits`,
        "a number",
      );
    return pyCall(support, sureReceiver(call, lowering), ...lowering.args(call));
  },
});

/** Methods of numbers and bigints, and functions of Number and BigInt. */
export const numbers: Rows = {
  "number.toFixed": digitsOf("toFixed", "to_fixed"),
  "number.toString": {
    args: [0, 1],
    lower(call, lowering) {
      const radix = call.args[0]?.value;
      if (radix === undefined) return receiverText(call, lowering);
      if (!isAlways(radix.type, "number"))
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
  "Number.isInteger": integerTest("is_integer"),
  "Number.isSafeInteger": integerTest("is_safe_integer"),
  "Number.isNaN": isNaNOf,
  "Number.isFinite": isFiniteOf,
  "Number.parseFloat": parseFloat,
  "Number.parseInt": parseInt,
  isNaN: isNaNOf,
  isFinite: isFiniteOf,
  parseFloat,
  parseInt,
  "BigInt.asIntN": calls("as_int", [2, 2]),
  "BigInt.asUintN": calls("as_uint", [2, 2]),
};
