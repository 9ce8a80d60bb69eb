import type { Span, Translated } from "@tritype/core";
import { findRun } from "./gather/find-run.ts";
import { gather, type Program } from "./gather/gather.ts";
import { javascriptOf } from "./gather/javascript.ts";
import { jsonEdges } from "./gather/json-edges.ts";
import type { Expression } from "./ir/code.ts";
import { kindOf, type ValueType } from "./ir/value-type.ts";
import type { Variable } from "./ir/variable.ts";
import { walk } from "./ir/walk.ts";
import { jsonInputsOf } from "./json-inputs.ts";
import { jsonReaders } from "./json/parse-json.ts";
import { jsonEntry } from "./lower/json-entry.ts";
import { lowerModule } from "./lower/lower-module.ts";
import { newJsonWriters } from "./lower/json-writers.ts";
import { newLowering } from "./lower/new-lowering.ts";
import { newPatterns } from "./lower/patterns.ts";
import { checkChanges } from "./ownership/check-changes.ts";
import { holeFinder } from "./ownership/holes.ts";
import { originsOf } from "./ownership/origins.ts";
import { mentionsIn } from "./python/mentions.ts";
import { nameVariables } from "./python/name-variables.ts";
import { printModule } from "./python/print-module.ts";
import { callersOf } from "./ranges/callers.ts";
import { recordsOf } from "./ranges/records.ts";
import { solveNumbers } from "./ranges/solve-numbers.ts";
import { newRefusals, type Refusals } from "./refusals/refusals.ts";
import type { Sources } from "./sources.ts";
import { selectSupport, supportNames } from "./support/select-support.ts";
import type { Translation } from "./translation.ts";

/** The requirements of the code around a translation. */
export interface TranslateOptions {
  /** Names that the user's constants and functions must not have in Python. */
  readonly reserved?: readonly string[];
  /** Support functions that the surrounding code calls itself. */
  readonly needs?: readonly string[];
  /** Whether `run` takes one row or all rows of a request. Default: one row for `step`, all rows for `batchStep`. */
  readonly per?: "row" | "request";
  /** Inputs and outputs that are JSON text outside the function and parsed values in it. */
  readonly json?: { readonly inputs: readonly string[]; readonly outputs: readonly string[] };
  /** Whether only the types of the JSON inputs are needed. Default: the function is translated. */
  readonly typesOnly?: true;
}

/**
 * Translates the function `run` of the `step({…})` or `batchStep({…})` call at a position in a user's file. Every
 * construct that cannot be translated exactly is reported as a refusal.
 */
export const translateRun = (sources: Sources, at: Span, options: TranslateOptions = {}): Translation => {
  if (options.typesOnly === true) {
    const jsonInputs = jsonInputsOf(sources, at, options);
    return { refusals: [], translated: undefined, jsonInputs, jsonReaders: jsonReaders(jsonInputs) };
  }
  const refusals = newRefusals();
  const opened = sources.open(at.file);
  const run = opened && findRun(opened.file, at);
  if (opened === undefined || run === undefined) {
    refusals.refuse(
      at,
      "function/not-found",
      opened === undefined ? `${at.file} does not exist` : "there is no call with a `run` here",
    );
    return { refusals: refusals.all(), translated: undefined, jsonInputs: {} };
  }
  const program = gather(opened, sources, run, refusals, options.per);
  const translated = program && emit(program, sources, refusals, options);
  const all = refusals.all();
  return all.length > 0 || translated === undefined
    ? { refusals: all, translated: undefined, jsonInputs: {} }
    : { refusals: all, ...translated };
};

const emit = (
  program: Program,
  sources: Sources,
  refusals: Refusals,
  { reserved = [], needs = [], json = { inputs: [], outputs: [] } }: TranslateOptions,
): Pick<Translation, "translated" | "jsonInputs"> => {
  const { declarations, run } = program;
  const edges = jsonEdges(program, json, refusals);
  const records = recordsOf(declarations, parametersOf(program), json.inputs.length > 0);
  const numbers = solveNumbers(declarations, inputsOf(program), records);
  checkChanges(declarations, numbers.flows, run, new Set(program.isBatch ? [] : json.inputs), refusals);
  const writers = newJsonWriters({ isIntField: numbers.isIntField });
  const checked = new Map<number, "reads" | "writes">();
  const origins = originsOf(declarations, numbers.flows, run);
  const lowering = newLowering(
    numbers,
    origins,
    holeFinder(declarations, origins),
    callersOf(declarations, run),
    newPatterns(declarations, origins),
    writers,
    refusals,
    checked,
    program.notes.lacking,
  );
  const entry = edges && jsonEntry(run, edges, writers);
  const statements = [
    ...lowerModule(lowering, declarations),
    ...(entry === undefined ? [] : [entry.statement]),
  ];
  const mentions = mentionsIn(statements);
  const support = selectSupport(
    [
      ...mentions.names,
      ...needs,
      ...writers.needs(),
      ...(makesBigints(declarations) ? ["ANY_DIGITS"] : []),
    ].filter((name) => supportNames.has(name)),
  );
  const modules = [...mentions.names].filter((name) => standardModules.has(name));
  const defined = [...support.text.matchAll(/^(?:def |class )?([A-Za-z_]\w*)(?:\(| =|:)/gm)].map(
    ([, name = ""]) => name,
  );
  const ofModule = [...defined, ...support.imports, ...writers.names(), ...needs, ...reserved];
  const nameOf = nameVariables(mentions, mentions.names, new Set(ofModule));
  const { text, lines } = printModule(statements, nameOf);
  const javascript = javascriptOf(program, edges, checked, sources.placeOf);
  const translated: Translated = {
    imports: [...new Set([...support.imports, ...modules])].toSorted(),
    support: [support.text, writers.text()].filter((text) => text !== "").join("\n\n"),
    python: text,
    entry: nameOf(entry?.variable ?? run),
    lines,
    javascript: javascript.text,
    javascriptLines: javascript.lines,
    files: [...new Set(program.written.map(({ node }) => sources.placeOf(node).file))].toSorted(),
  };
  const shapes = (edges?.inputs ?? []).map(({ name, shape, named }) => [name, { shape, named }] as const);
  return { translated, jsonInputs: Object.fromEntries(shapes) };
};

/** Whether code computes bigints, which may have any number of digits. */
const makesBigints = (declarations: Program["declarations"]): boolean => {
  let found = false;
  const isBigint = ({ type }: Expression): boolean => type.kinds.includes("bigint");
  walk(declarations, {
    expression(seen) {
      if (seen.kind === "binary") found ||= isBigint(seen);
      if (seen.kind === "invocation" && seen.row === "BigInt")
        found ||= seen.args.some(({ value }) => kindOf(value.type) !== "number");
    },
    statement({ does }) {
      if (does.kind === "assign" && does.operator !== undefined) found ||= isBigint(does.value);
    },
  });
  return found;
};

const standardModules: ReadonlySet<string> = new Set(["math", "functools", "re", "json", "unicodedata"]);

const parametersOf = ({ declarations, run }: Program): readonly ValueType[] =>
  declarations.find(({ variable }) => variable === run)?.value.type.parameters ?? [];

/** The variables of the inputs: the parameter of `run`, or the names that its pattern binds. */
const inputsOf = ({ declarations, run }: Program): ReadonlySet<Variable> => {
  const found = new Set<Variable>();
  const value: Expression | undefined = declarations.find(({ variable }) => variable === run)?.value;
  const pattern = value?.kind === "lambda" ? value.parameters[0]?.pattern : undefined;
  if (pattern?.kind === "bind") found.add(pattern.variable);
  if (pattern?.kind === "fields")
    for (const part of pattern.fields) if (part.pattern.kind === "bind") found.add(part.pattern.variable);
  return found;
};
