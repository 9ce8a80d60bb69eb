import type { z } from "zod";
import type { FormIssue, OptionForm } from "../step-kind.ts";

/** A value that does not have the required structure. */
export interface FormFault {
  /** The path within the value. */
  readonly path: readonly PropertyKey[];
  /** The expected form of the value; undefined for an unknown name, which is the last element of `path`. */
  readonly reason?: string;
}

/** The faults of a value; each unknown name in it is a separate fault. */
export const formFaults = (form: OptionForm, value: unknown): readonly FormFault[] => {
  const faults = (form.safeParse(value).error?.issues ?? [])
    .flatMap((issue) => faultsOf(issue, []))
    .flatMap((fault) => {
      const unknown = fault.reason === undefined ? [] : unknownNames(form, value, fault.path);
      return unknown.length === 0 ? [fault] : unknown;
    });
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
};

/** The unknown names in the object at a path, or next to a missing name, because they explain the fault. */
const unknownNames = (
  form: OptionForm,
  value: unknown,
  path: readonly PropertyKey[],
): readonly FormFault[] => {
  const place = path.reduce(member, value) === undefined ? path.slice(0, -1) : path;
  const given = place.reduce(member, value);
  const known = knownNames(form, value, place);
  if (known.length === 0 || typeof given !== "object" || given === null) return [];
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  return unknown.map((name) => ({ path: [...place, name] }));
};

const faultsOf = (
  { path: inner, message, keys, errors }: FormIssue,
  outer: readonly PropertyKey[],
): readonly FormFault[] => {
  const path = [...outer, ...inner];
  if (keys !== undefined) return keys.map((key) => ({ path: [...path, key] }));
  // Errors inside one of several alternatives are more helpful than a message that none of them matches.
  const within = errors?.find((issues) => issues.every((issue) => issue.path.length > 0));
  return within?.flatMap((issue) => faultsOf(issue, path)) ?? [{ path, reason: message }];
};

/** A property of a value that may not be an object. */
export const member = (value: unknown, key: PropertyKey): unknown =>
  (value as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[key];

/** The names that a schema allows in the object at a path in a value; none if it allows any name, or is not a zod schema. */
export const knownNames = (
  form: OptionForm,
  value: unknown,
  path: readonly PropertyKey[],
): readonly string[] => ("def" in form ? namesAt(form as unknown as z.core.$ZodType, value, path) : []);

type Def = z.core.$ZodTypes["_zod"]["def"];
const defOf = (schema: z.core.$ZodType): Def => (schema as unknown as { readonly def: Def }).def;

const namesAt = (
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly PropertyKey[],
): readonly string[] => {
  const def = defOf(schema);
  if ("innerType" in def) return namesAt(def.innerType, value, path);
  if (def.type === "pipe") return [def.in, def.out].flatMap((one) => namesAt(one, value, path));
  if (def.type === "union")
    return def.options.filter((one) => isChosen(one, value)).flatMap((one) => namesAt(one, value, path));
  const [key, ...rest] = path;
  if (key === undefined)
    return def.type === "object" && def.catchall !== undefined && defOf(def.catchall).type === "never"
      ? Object.keys(def.shape)
      : [];
  const inner = innerSchema(def, key);
  return inner === undefined ? [] : namesAt(inner, member(value, key), rest);
};

const innerSchema = (def: Def, key: PropertyKey): z.core.$ZodType | undefined => {
  if (def.type === "object") return def.shape[String(key)];
  if (def.type === "record") return def.valueType;
  return def.type === "array" ? def.element : undefined;
};

/** Whether properties with a fixed value show that the value is meant to match this alternative of a union. */
const isChosen = (schema: z.core.$ZodType, value: unknown): boolean => {
  const def = defOf(schema);
  return (
    def.type !== "object" ||
    Object.entries(def.shape).every(([name, inner]) => {
      const fixed = defOf(inner);
      const given = member(value, name);
      return fixed.type !== "literal" || given === undefined || fixed.values.includes(given as never);
    })
  );
};
