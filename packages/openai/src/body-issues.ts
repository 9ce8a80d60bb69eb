import { counted } from "@tritype/core";
import type { z } from "zod";

/** A fault in a body, as FastAPI reports it. */
export interface BodyIssue {
  readonly type: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The faults in a body, in the terms of Triton's frontend where it has the same ones. */
export const bodyIssues = (body: unknown, issues: readonly z.core.$ZodIssue[]): readonly BodyIssue[] =>
  issues.flatMap((issue) => {
    const { path } = issue;
    if (path.length === 0 && issue.code === "invalid_type")
      return { type: "model_attributes_type", path, message: notAnObject };
    if (path.length > 0 && valueAt(body, path) === undefined)
      return { type: "missing", path, message: "Field required" };
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        type: "extra_forbidden",
        path: [...path, key],
        message: "Extra inputs are not permitted",
      }));
    return { path, ...faultOf(issue, valueAt(body, path)) };
  });

const notAnObject = "Input should be a valid dictionary or object to extract fields from";

/** @param value The value with the fault. */
const faultOf = (issue: z.core.$ZodIssue, value: unknown): Pick<BodyIssue, "type" | "message"> => {
  if (issue.code === "invalid_type" && issue.expected === "int" && typeof value === "number")
    return {
      type: "int_from_float",
      message: "Input should be a valid integer, got a number with a fractional part",
    };
  if (issue.code === "too_big" && issue.origin === "number")
    return {
      type: "less_than_equal",
      message: `Input should be less than or equal to ${issue.maximum}`,
    };
  if (issue.code === "too_small" && issue.origin === "number")
    return {
      type: "greater_than_equal",
      message: `Input should be greater than or equal to ${issue.minimum}`,
    };
  if (issue.code === "too_small" && issue.origin === "array")
    return {
      type: "too_short",
      message: `List should have at least ${counted(Number(issue.minimum), "item")} after validation, not ${Array.isArray(value) ? value.length : 0}`,
    };
  return { type: issue.code, message: issue.message };
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
