import { expect, test } from "vitest";
import { sessionOptions } from "./session-options.ts";

test("threads spin shortly for the next operator, but not for the next run", () => {
  const { extra } = sessionOptions({}, { kind: "cpu" }, 4);
  expect(extra).toEqual({
    session: {
      intra_op: { allow_spinning: "1", spin_duration_us: "20" },
      inter_op: { allow_spinning: "0" },
    },
  });
});
