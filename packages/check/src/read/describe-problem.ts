import { type Diagnostic, didYouMean, type Label } from "@tritype/core";
import { type ConfigProblem, configMessage } from "@tritype/triton";
import { diagnoseReading } from "./reading-entries.ts";

/** A text that does not parse, in the user's words. */
export const describeProblem = (problem: ConfigProblem, text: string, file: string): Diagnostic => {
  const { message, line = 1, column = 1 } = problem;
  const label = (says: string): Label[] => [{ span: { file, line, column }, text: says }];
  const [, owner = "", unknown] = /^(\S+): unknown field '(.*)'$/s.exec(message) ?? [];
  if (unknown !== undefined) {
    const [, map] = /\.(\w+)_entry$/.exec(owner) ?? [];
    const near = didYouMean(unknown, map ? ["key", "value"] : (configMessage(owner)?.fields ?? []));
    return diagnoseReading("config/unknown-field", {
      with: { message: map ? `an entry of \`${map}\`` : owner, field: unknown },
      labels: label("unknown"),
      ...(near === undefined ? {} : { help: `did you mean \`${near}\`?` }),
    });
  }
  const [, enumField] = /^(\S+): enum value expected$/.exec(message) ?? [];
  if (enumField !== undefined) return describeEnum(enumField, wordAt(text, line, column), label);
  const [, repeated] = /^(\S+): multiple values$/.exec(message) ?? [];
  if (repeated !== undefined) return describeRepeated(repeated, label);
  const hint = hintFor(text, line, column);
  return diagnoseReading("config/syntax", {
    with: { what: message },
    labels: label("here"),
    ...(hint === undefined ? {} : { help: hint }),
  });
};

/** What people write for protobuf text, being used to other languages. */
const hints: readonly (readonly [before: RegExp, after: RegExp, help: string])[] = [
  [/,\s*$/, /^\]/, "remove the comma before `]`"],
  [/(?:)/, /^\/[/*]/, "comments begin with `#`"],
  [
    /^\s*$/,
    /^\{/,
    "this is protobuf text, not JSON: fields stand without outer braces, names without quotes",
  ],
  [/(?:)/, /^\\/, "write a backslash in a string as `\\\\`, in paths write `/`"],
  [/(?:)/, /^(["'])(?:(?!\1)[^\\]|\\.)*\\?$/, "end it with the quote that it begins with"],
  [/(?:)/, /^\$\{|^\{\{|^<%/, "fill in the template first"],
  [/(?:)/, /^["']TYPE_/, "write the datatype without quotes"],
  [/(?:)/, /^-?\d+\.\d/, "write a whole number"],
  [/:\s*$/, /^["']/, "write the value without quotes"],
];

const hintFor = (text: string, line: number, column: number): string | undefined => {
  const lines = text.split("\n", line);
  const last = lines.pop() ?? "";
  const before = [...lines.slice(-20), last.slice(0, column - 1)].join("\n");
  const after = last.slice(column - 1);
  return hints.find(([left, right]) => left.test(before) && right.test(after))?.[2];
};

type LabelOf = (says: string) => Label[];

const describeEnum = (path: string, value: string, label: LabelOf): Diagnostic => {
  const [owner, field] = splitPath(path);
  const values = configMessage(owner)?.enums.get(field) ?? [];
  const prefixed = values.find((name) => name.toLowerCase().endsWith(`_${value.toLowerCase()}`));
  const near = prefixed ?? didYouMean(value, values);
  return diagnoseReading("config/unknown-enum-value", {
    with: { value, field },
    labels: label("unknown"),
    help: near === undefined ? `write one of ${values.join(", ")}` : `did you mean \`${near}\`?`,
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
