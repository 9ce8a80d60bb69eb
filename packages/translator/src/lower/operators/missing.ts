import type { ValueType } from "../../ir/value-type.ts";
import { pyBinary, pyName, pyTuple } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";

/** Whether a value of the type is undefined or null, or is not. */
export const missingTest = (value: PyExpression, type: ValueType, missing: boolean): PyExpression => {
  if (type.undefined && type.null)
    return pyBinary(missing ? "in" : "not in", value, pyTuple([pyName("None"), pyName("undefined")]));
  return pyBinary(missing ? "is" : "is not", value, pyName(type.null ? "None" : "undefined"));
};
