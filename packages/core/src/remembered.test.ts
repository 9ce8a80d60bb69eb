import { expect, it } from "vitest";
import { remembered } from "./remembered.ts";

it("computes each result once, even if it is undefined", () => {
  const asked: object[] = [];
  const sizeOf = remembered((list: readonly number[]) => {
    asked.push(list);
    return list.length === 0 ? undefined : list.length;
  });
  const [full, empty] = [[1, 2], []];
  expect([sizeOf(full), sizeOf(full), sizeOf(empty), sizeOf(empty)]).toEqual([2, 2, undefined, undefined]);
  expect(asked).toEqual([full, empty]);
});
