import { type Diagnostic, didYouMean, type Label, nearHelp } from "@tritype/core";
import { configMessage, type ConfigProblem } from "@tritype/triton";
import { fieldHint } from "./field-hint.ts";
import { diagnoseReading } from "./reading-entries.ts";
import { syntaxHint } from "./syntax-hint.ts";

/** A parse error in the user's terms. */
export const describeProblem = (problem: ConfigProblem, text: string, file: string): Diagnostic => {
  const { message, line = 1, column = 1 } = problem;
  const label = (says: string, place = { line, column }): Label[] => [
    { span: { file, ...place }, text: says },
  ];
  const [, owner = "", unknown] = /^(\S+): unknown field '(.*)'$/s.exec(message) ?? [];
  if (unknown !== undefined) {
    const [, map] = /\.(\w+)_entry$/.exec(owner) ?? [];
    const help = fieldHint(unknown, owner, map);
    return diagnoseReading("config/unknown-field", {
      with: { message: map ? `an entry of \`${map}\`` : owner, field: unknown },
      labels: label("unknown"),
      ...(help === undefined ? {} : { help }),
    });
  }
  const [, enumField] = /^(\S+): enum value expected$/.exec(message) ?? [];
  if (enumField !== undefined) return describeEnum(enumField, wordAt(text, line, column), label);
  const [, repeated] = /^(\S+): multiple values$/.exec(message) ?? [];
  if (repeated !== undefined) return describeRepeated(repeated, label);
  const hint = syntaxHint(problem, text);
  return diagnoseReading("config/syntax", {
    with: { what: message },
    labels: label("here", hint?.place),
    ...(hint === undefined ? {} : { help: hint.help }),
  });
};

type LabelOf = (says: string) => Label[];

const describeEnum = (path: string, value: string, label: LabelOf): Diagnostic => {
  const [owner, field] = splitPath(path);
  const values = configMessage(owner)?.enums.get(field) ?? [];
  return diagnoseReading("config/unknown-enum-value", {
    with: { value, field },
    labels: label("unknown"),
    help: enumHint(value, values),
  });
};

const describeRepeated = (path: string, label: LabelOf): Diagnostic => {
  const members = path.includes(".") ? undefined : oneofs.get(path);
  if (members)
    return diagnoseReading("config/several-choices", { with: { members }, labels: label("the second") });
  const field = splitPath(path)[1];
  return diagnoseReading("config/given-twice", { with: { field }, labels: label("again") });
};

const oneofs: ReadonlyMap<string, string> = new Map([
  ["scheduling_choice", "`dynamic_batching`, `sequence_batching` and `ensemble_scheduling`"],
  ["policy_choice", "`latest`, `all` and `specific`"],
  ["strategy_choice", "`direct` and `oldest`"],
  ["state_data", "`zero_data` and `data_file`"],
  ["input_data_type", "`zero_data`, `random_data` and `input_data_file`"],
]);

const splitPath = (path: string): readonly [owner: string, field: string] => {
  const dot = path.lastIndexOf(".");
  return [path.slice(0, Math.max(dot, 0)), path.slice(dot + 1)];
};

const wordAt = (text: string, line: number, column: number): string =>
  /^-?[^\s{}<>:[\],;#]*/.exec(text.split("\n", line)[line - 1]?.slice(column - 1) ?? "")?.[0] ?? "";

/** The likely meaning of a value that its enum does not have, or otherwise the identifiers of the enum. */
const enumHint = (value: string, values: readonly string[]): string => {
  const usable = values.filter((name) => !name.endsWith("_INVALID"));
  return nearHelp(meant(value, usable)) ?? `write one of ${usable.join(", ")}`;
};

const meant = (value: string, values: readonly string[]): string | undefined => {
  const bare = value.toUpperCase().replace(/^(?:[\w.]*\.)?(?:TYPE_|DT_)?/, "");
  const typed = datatypes.get(bare.replaceAll("_", ""));
  if (typed !== undefined && values.includes(typed)) return typed;
  const prefixed = values.find((name) => name.toLowerCase().endsWith(`_${value.toLowerCase()}`));
  if (prefixed !== undefined) return prefixed;
  const others = [...datatypes].flatMap(([other, name]) =>
    values.includes(name) ? [[`TYPE_${other}`, name] as const] : [],
  );
  const near = didYouMean(value, [...values, ...others.map(([other]) => other)]);
  return others.find(([other]) => other === near)?.[1] ?? near;
};

/** Names that people use for a datatype because other libraries do. */
const datatypes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    TYPE_FP32: ["FP32", "FLOAT", "FLOAT32", "F32", "SINGLE"],
    TYPE_FP64: ["FP64", "DOUBLE", "FLOAT64", "F64"],
    TYPE_FP16: ["FP16", "HALF", "FLOAT16", "F16"],
    TYPE_BF16: ["BF16", "BFLOAT16", "BFLOAT"],
    TYPE_INT64: ["INT64", "LONG", "LONGLONG", "I64"],
    TYPE_INT32: ["INT32", "INT", "INTEGER", "I32"],
    TYPE_INT16: ["INT16", "SHORT", "I16"],
    TYPE_INT8: ["INT8", "I8"],
    TYPE_UINT64: ["UINT64", "ULONG", "U64"],
    TYPE_UINT32: ["UINT32", "UINT", "U32"],
    TYPE_UINT16: ["UINT16", "USHORT", "U16"],
    TYPE_UINT8: ["UINT8", "BYTE", "U8"],
    TYPE_STRING: ["STRING", "STR", "BYTES", "TEXT", "OBJECT"],
    TYPE_BOOL: ["BOOL", "BOOLEAN"],
  }).flatMap(([name, others]) => others.map((other) => [other, name] as const)),
);
