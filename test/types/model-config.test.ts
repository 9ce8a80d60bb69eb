import { modelConfigSchema } from "@tritype/triton";
import ts from "typescript";
import { expect, test } from "vitest";
import { pathOf, programOf } from "./type-check.ts";

/** Fields that are not fields of the DSL, because the compiler derives them, with their source. */
const notWritten: Readonly<Record<string, string>> = {
  name: "the step's `name`",
  platform: "from the step kind",
  backend: "from the step kind",
  max_batch_size: "`maxBatchSize`, and the batch of the signature",
  "input.name": "from the signature",
  "input.data_type": "from the signature",
  "input.dims": "from the signature",
  "input.optional": "`optional()` in the signature",
  "output.name": "from the signature",
  "output.data_type": "from the signature",
  "output.dims": "from the signature",
  "ensemble_scheduling.step": "from the graph",
  default_model_filename: "from the step kind",
};
/** Fields that have a different name in the DSL. */
const moved: Readonly<Record<string, string>> = {
  input: "inputFields",
  output: "outputFields",
  "ensemble_scheduling.max_inflight_requests": "maxInflightRequests",
};

const fixture = "test/types/model-config-fields.ts";
const program = programOf([pathOf(fixture)], {
  [fixture]: `import type { AnyHandles, BackendOptions, EnsembleOptions, Signature } from "@tritype/dsl";
export type Fields = BackendOptions & Omit<EnsembleOptions<Signature, AnyHandles>, "instanceGroup" | "dynamicBatching">;`,
});
const checker = program.getTypeChecker();
const source = program.getSourceFile(pathOf(fixture));
const fieldsType = (): ts.Type => {
  const alias = source?.statements.find(ts.isTypeAliasDeclaration);
  if (alias === undefined) throw new Error("no type");
  return checker.getTypeAtLocation(alias.name);
};

const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const withoutUnit = (name: string): string => name.replace(/_microseconds$/, "");
/** The object types that a property, list or map may contain. */
const inside = (type: ts.Type): readonly ts.Type[] => {
  if (type.isUnion()) return type.types.flatMap(inside);
  const element = checker.isArrayType(type)
    ? checker.getIndexTypeOfType(type, ts.IndexKind.Number)
    : type.getProperties().length === 0
      ? (checker.getIndexTypeOfType(type, ts.IndexKind.String) ??
        checker.getIndexTypeOfType(type, ts.IndexKind.Number))
      : undefined;
  if (element !== undefined) return inside(element);
  return (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0 ? [] : [type];
};
const propertyOf = (types: readonly ts.Type[], name: string): readonly ts.Type[] =>
  types.flatMap((type) => {
    const property = type.getProperty(name);
    return property === undefined
      ? []
      : inside(checker.getNonNullableType(checker.getTypeOfSymbol(property)));
  });
const has = (types: readonly ts.Type[], name: string): boolean =>
  types.some((type) => type.getProperty(name) !== undefined);

type Schema = typeof modelConfigSchema;
function* missing(schema: Schema, types: readonly ts.Type[], path: string): Generator<string> {
  for (const field of schema.fields.values()) {
    const at = path === "" ? field.name : `${path}.${field.name}`;
    if (Object.hasOwn(notWritten, at)) continue;
    const name = moved[at] ?? camelCase(withoutUnit(field.name));
    const choice = field.oneof === undefined ? undefined : camelCase(field.oneof.replace(/_choice$/, ""));
    const holders = has(types, name) ? types : choice === undefined ? [] : propertyOf(types, choice);
    if (at === "ensemble_scheduling") {
      if (field.value.kind === "message") yield* missing(field.value.message, types, at);
      continue;
    }
    if (!has(holders, name)) yield at;
    else if (field.value.kind === "message" && !field.value.message.fields.has("string_value"))
      yield* missing(field.value.message, propertyOf(holders, name), at);
  }
}

test("every field of Triton's ModelConfig is in the DSL, or set by the compiler", () => {
  expect([...missing(modelConfigSchema, [fieldsType()], "")]).toEqual([]);
});
