import { parsedAs } from "../builtins/json.ts";
import { inputPlace, type JsonEdges } from "../gather/json-edges.ts";
import { typeOfKind, unknown } from "../ir/value-type.ts";
import { scopeIn, type Variable } from "../ir/variable.ts";
import {
  pyAssign,
  pyBinary,
  pyCall,
  pyComprehension,
  pyDo,
  pyIf,
  pyMethod,
  pyName,
  pySubscript,
  pyText,
  pyVariable,
} from "../python/build.ts";
import type { PyEntry, PyExpression, PyStatement } from "../python/syntax.ts";
import type { JsonWriters } from "./json-writers.ts";

/** A function around `run` that reads inputs from JSON text and writes outputs as JSON text. */
export const jsonEntry = (
  run: Variable,
  { inputs, outputs, isBatch }: JsonEdges,
  writers: JsonWriters,
): { readonly variable: Variable; readonly statement: PyStatement } => {
  const scope = scopeIn(run.scope, "function");
  const local = (name: string): Variable => ({ name, kind: "temporary", scope, type: unknown });
  const variable: Variable = {
    name: `${run.name}_json`,
    kind: "module",
    scope: run.scope,
    type: typeOfKind("function"),
  };
  const [row, made, text] = [local("row"), local("made"), local("text")];
  const [rowValue, madeValue] = [pyVariable(row), pyVariable(made)];
  const each = (tensor: PyExpression, convert: (one: PyExpression) => PyExpression): PyExpression =>
    isBatch
      ? {
          kind: "dict",
          entries: [
            { spread: tensor },
            {
              key: pyText("data"),
              value: pyComprehension("list", convert(pyVariable(text)), {
                target: pyVariable(text),
                iterable: pySubscript(tensor, pyText("data")),
              }),
            },
          ],
        }
      : convert(tensor);
  const read = inputs.map(({ name, shape, named, optional }): PyEntry => {
    const given = pySubscript(rowValue, pyText(name));
    const value = each(given, (one) => parsedAs(one, shape, named, inputPlace(name)));
    const test = pyBinary("is not", given, pyName("undefined"));
    return { key: pyText(name), value: optional ? pyIf(test, value, pyName("undefined")) : value };
  });
  const written = outputs.map(({ name, type }): PyEntry => {
    const given = pySubscript(madeValue, pyText(name));
    const isThere = pyBinary(
      "is not",
      pyMethod(madeValue, "get", pyText(name), pyName("undefined")),
      pyName("undefined"),
    );
    const text = each(given, (one) => pyCall(writers.of(type), one));
    return { key: pyText(name), value: pyIf(isThere, text, pyName("undefined")) };
  });
  const argument: PyExpression =
    inputs.length === 0 ? rowValue : { kind: "dict", entries: [{ spread: rowValue }, ...read] };
  const result: PyExpression =
    outputs.length === 0 ? madeValue : { kind: "dict", entries: [{ spread: madeValue }, ...written] };
  return {
    variable,
    statement: pyDo({
      kind: "function",
      variable,
      parameters: [{ variable: row, form: "plain" }],
      body: [pyAssign(madeValue, pyCall(pyVariable(run), argument)), pyDo({ kind: "return", value: result })],
    }),
  };
};
