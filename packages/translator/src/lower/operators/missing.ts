import type { ValueType } from "../../ir/value-type.ts";
import { pyBinary, pyName, pyTuple } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";

/** Tests whether a value is undefined or null, or with `missing: false` whether it is neither. */
export const missingTest = (value: PyExpression, type: ValueType, missing: boolean): PyExpression => {
  if (type.undefined && type.null)
    return pyBinary(missing ? "in" : "not in", value, pyTuple([pyName("None"), pyName("undefined")]));
  return pyBinary(missing ? "is" : "is not", value, pyName(type.null ? "None" : "undefined"));
};
