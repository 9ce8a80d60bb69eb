import { arrayProperties, arrays } from "./array.ts";
import { globalProperties, globals } from "./globals.ts";
import { json } from "./json.ts";
import { mapProperties, maps } from "./map.ts";
import { math, mathProperties } from "./math.ts";
import { numbers } from "./number.ts";
import { objects } from "./object.ts";
import type { PropertyRows, Rows } from "./row.ts";
import { typedArrays } from "./typed.ts";
import { stringProperties, strings } from "./string.ts";

/** Everything that JavaScript brings and the translation knows, by receiver and name. */
export const builtins: Rows = {
  ...strings,
  ...numbers,
  ...math,
  ...arrays,
  ...typedArrays,
  ...maps,
  ...objects,
  ...json,
  ...globals,
};

/** Properties and constants that JavaScript brings. */
export const properties: PropertyRows = {
  ...stringProperties,
  ...arrayProperties,
  ...mapProperties,
  ...mathProperties,
  ...globalProperties,
};
