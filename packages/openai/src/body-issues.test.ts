import { expect, test } from "vitest";
import { z } from "zod";
import { bodyIssues } from "./body-issues.ts";

const schema = z.strictObject({
  count: z.int().optional(),
  pair: z.array(z.string()).min(2).optional(),
  one: z.array(z.string()).min(1).optional(),
});

/** The type and the message of each fault. */
const faults = (body: unknown): readonly string[] =>
  bodyIssues(body, schema.safeParse(body, { error: () => "in another language" }).error?.issues ?? []).map(
    ({ type, message }) => `${type}: ${message}`,
  );

test.each<readonly [unknown, string]>([
  [{ count: 1.5 }, "int_from_float: Input should be a valid integer, got a number with a fractional part"],
  [{ count: "1" }, "invalid_type: in another language"],
  [{ pair: ["a"] }, "too_short: List should have at least 2 items after validation, not 1"],
  [{ one: [] }, "too_short: List should have at least 1 item after validation, not 0"],
  [{ more: 1 }, "extra_forbidden: Extra inputs are not permitted"],
])("faults do not depend on the text of the schema's errors: %j", (body, fault) => {
  expect(faults(body)).toEqual([fault]);
});
