import type { Diagnostic, Label } from "@tritype/core";
import { type ConfigProblem, configMessage } from "@tritype/triton";
import { enumHint } from "./enum-hint.ts";
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
