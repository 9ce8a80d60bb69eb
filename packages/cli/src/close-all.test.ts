import { expect, test } from "vitest";
import { closeAll } from "./close-all.ts";

test("all are closed, the last one first, and the first error is reported", async () => {
  const closed: number[] = [];
  const closer = (id: number, why?: string) => async (): Promise<void> => {
    closed.push(id);
    await Promise.resolve();
    if (why !== undefined) throw new Error(why);
  };
  await expect(closeAll([closer(1), closer(2, "second"), closer(3, "first"), closer(4)])).rejects.toThrow(
    "first",
  );
  expect(closed).toEqual([4, 3, 2, 1]);
  await closeAll([closer(5)]);
});
