import { invariant, type Translated } from "@tritype/core";
import type { FunctionTensor, FunctionTwinOptions } from "@tritype/manifest";
import { functionTemplate } from "../generated/python.ts";
import { type GivenOf, printPython } from "../python-template.ts";
import type { ModelOptions } from "../step-kind.ts";
import { isScalar, readerOf, writerCall, writerOf } from "./tensor-converters.ts";

/**
 * Names that the user's own constants and functions must not use: the code around the function defines them,
 * or the function that calls `run` uses them for its variables.
 */
export const reservedNames = (options: FunctionTwinOptions): readonly string[] => {
  const key = JSON.stringify({ ...options, step: "" });
  const names = reserved.get(key) ?? namesAround(options);
  reserved.set(key, names);
  return names;
};

/** Reserved names by the options of the function, except the name of its step. */
const reserved = new Map<string, readonly string[]>();

const namesAround = (options: FunctionTwinOptions): readonly string[] => {
  const { text } = functionPython(options, withoutCode, { holdErrors: true });
  const defined = [
    ...text.matchAll(/^(?:def |class )([A-Za-z_]\w*)|^([A-Za-z_]\w*) =/gm),
    ...text.matchAll(/^(?:from \S+ )?import (?:\S+ as )?([A-Za-z_]\w*)$/gm),
  ].map(([, block, constant]) => block ?? constant ?? "");
  const start = text.indexOf("def answer(");
  const caller = text.slice(start, text.indexOf("\n\n\n", start));
  const code = caller.replaceAll(/"""[^]*?"""|"[^"]*"/g, "");
  return [...new Set([...defined, ...(code.match(/[A-Za-z_]\w*/g) ?? [])])];
};

const withoutCode: Translated = {
  imports: [],
  support: "",
  python: "",
  entry: "",
  lines: [],
  javascript: "",
  javascriptLines: [],
  files: [],
};

/** Support functions that the code around the function calls. */
export const neededSupport = ({ inputs, outputs }: FunctionTwinOptions): readonly string[] => [
  "undefined",
  ...(some(inputs, "BYTES") ? ["units"] : []),
  ...(some(outputs, "BYTES") ? ["utf8"] : []),
];

const some = (tensors: Tensors, dtype: string): boolean =>
  Object.values(tensors).some((tensor) => tensor.dtype === dtype);

/** The `model.py` of a function step for Triton's python backend, and the lines where the user's functions begin. */
export const functionPython = (
  options: FunctionTwinOptions,
  translated: Translated,
  { holdErrors }: Pick<ModelOptions, "holdErrors">,
): { readonly text: string; readonly linesBefore: number } => {
  const { inputs, outputs, per, timeLimit } = options;
  const { support, python } = translated;
  const takes = formsOf(inputs);
  const gives = formsOf(outputs);
  const readers = new Set(Object.values(inputs).map((type) => readerOf(type, per)));
  const writers = new Set(Object.values(outputs).map(writerOf));
  const optional = Object.keys(inputs).filter((name) => inputs[name]?.optional === true);
  const given: GivenOf<typeof functionTemplate> = {
    holdErrors,
    docstring: docstring(options),
    imports: imports(translated, holdErrors),
    step: JSON.stringify(options.step),
    timeLimit: String(timeLimit / 1e6),
    overdueText: JSON.stringify(`the request took longer than ${timeLimit / 1e6} s`),
    support: support === "" ? undefined : support.trim(),
    python: python.trimEnd(),
    throws: /\bThrown\b/.test(support + python),
    entry: translated.entry,
    readsAsIs: readers.has("as_is"),
    readsNumbers: readers.has("numbers"),
    readsTexts: readers.has("texts"),
    writesBig: writers.has("big"),
    writesEncoded: writers.has("encoded"),
    writesExact: writers.has("exact"),
    writesIntegers: writers.has("integers"),
    optional: JSON.stringify(optional),
    inputs: table(inputs, (type) => readerOf(type, per)),
    outputs: table(outputs, writerCall),
    perRow: per === "row",
    hasOptional: optional.length > 0,
    takesElements: optional.length === 0 && !takes.arrays && !takes.shapes,
    takesOnlyScalars: !takes.arrays && !takes.shapes,
    takesScalars: takes.scalars,
    takesArraysAndShapes: takes.arrays && takes.shapes,
    takesShapes: takes.shapes,
    rowsDocstring: rowsDocstring(takes),
    givesOnlyScalars: !gives.arrays && !gives.shapes,
    givesScalars: gives.scalars,
    givesShapes: gives.shapes,
    givesArraysAndShapes: gives.arrays && gives.shapes,
    lists: per === "row" && gives.arrays,
    unpacks: per === "request" || gives.shapes,
  };
  const at = functionTemplate.findIndex(
    (part) => typeof part === "object" && "given" in part && part.given === "python",
  );
  invariant(at >= 0, "the template of functions lacks the function");
  return {
    text: printPython(functionTemplate, given),
    linesBefore: printPython(functionTemplate.slice(0, at), given).split("\n").length - 1,
  };
};

type Tensors = FunctionTwinOptions["inputs"];

const docstring = ({ step, per }: FunctionTwinOptions): string => `\
"""Step ${step.replaceAll(/["\\]/g, "")}: a TypeScript function of ${per === "row" ? "one row" : "the rows of one request"}, with JavaScript's semantics.

A string is a str of UTF-16 units, a number a float or an int, a bigint an int, null None.
"""`;

const imports = (translated: Translated, holdErrors: boolean): string =>
  [
    ...new Set([
      "json",
      "signal",
      "threading",
      "traceback",
      ...(holdErrors ? ["time"] : []),
      ...translated.imports,
    ]),
  ]
    .toSorted()
    .map((name) => `import ${name}`)
    .join("\n");

/** The constants INPUTS and OUTPUTS: name → dims and converter. */
const table = (tensors: Tensors, converter: (type: FunctionTensor) => string): string =>
  `{\n${Object.entries(tensors)
    .map(([name, type]) => `    ${JSON.stringify(name)}: (${dimsOf(name, type)}, ${converter(type)}),\n`)
    .join("")}}`;

/** Every unknown size gets its own name, because it is the same in all rows. */
const dimsOf = (name: string, { dims }: FunctionTensor): string =>
  `[${dims.map((dim, axis) => JSON.stringify(dim === -1 ? `${name}.${axis}` : dim)).join(", ")}]`;

/** A row's part of a tensor: an element, a list of elements, or `{ data, shape }`. */
interface Forms {
  readonly scalars: boolean;
  readonly arrays: boolean;
  readonly shapes: boolean;
}

const formsOf = (tensors: Tensors): Forms => {
  const all = Object.values(tensors);
  return {
    scalars: all.some(({ dims }) => isScalar(dims)),
    arrays: all.some(({ dims }) => dims.length === 2 && !isScalar(dims)),
    shapes: all.some(({ dims }) => dims.length > 2),
  };
};

const rowsDocstring = ({ scalars, arrays, shapes }: Forms): string => {
  const forms = [
    ...(scalars ? ["the element itself"] : []),
    ...(arrays ? ["a list of elements"] : []),
    ...(shapes ? ["{data, shape}"] : []),
  ];
  return `"""One value per row: ${forms.join(", or ")}."""`;
};
