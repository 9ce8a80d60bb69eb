import type { Span } from "@tritype/core";
import { ts } from "ts-morph";
import { jsonShapeOf } from "./builtins/json-shape.ts";
import { findRun } from "./gather/find-run.ts";
import type { ValueType } from "./ir/value-type.ts";
import { valueTypesOf } from "./read/new-reader.ts";
import type { Sources } from "./sources.ts";
import type { JsonShape } from "./translation.ts";

/**
 * The types of the JSON inputs of a `run` that is not translated. An input whose type has no JSON form that can be checked
 * is left out.
 */
export const jsonInputsOf = (
  sources: Sources,
  at: Span,
  { json, per }: { readonly json?: { readonly inputs: readonly string[] }; readonly per?: "row" | "request" },
): Readonly<Record<string, JsonShape>> => {
  const opened = sources.open(at.file);
  const run = opened && findRun(opened.file, at);
  if (opened === undefined || run === undefined) return {};
  const { checker } = opened;
  const type = checker.getTypeAtLocation(ts.isMethodDeclaration(run) ? run.name : run);
  const [parameter] = type.getCallSignatures()[0]?.getParameters() ?? [];
  const row = parameter && valueTypesOf(opened)(checker.getTypeOfSymbol(parameter));
  return Object.fromEntries(
    (json?.inputs ?? []).flatMap((name) => {
      const type = elementOf(row?.fields?.get(name)?.type, per);
      const shape = type && jsonShapeOf({ ...type, undefined: false });
      return shape === undefined ? [] : [[name, shape] as const];
    }),
  );
};

const elementOf = (type: ValueType | undefined, per: "row" | "request" | undefined): ValueType | undefined =>
  per === "request" ? type?.fields?.get("data")?.type.element : type;
