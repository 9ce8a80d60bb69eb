import { expect, test } from "vitest";
import { counted } from "./counted.ts";

test("a plural has an s, also for 0", () => {
  expect([0, 1, 2].map((count) => counted(count, "row"))).toEqual(["0 rows", "1 row", "2 rows"]);
});
