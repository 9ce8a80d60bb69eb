import { expect, test } from "vitest";
import { closeAll, orClosed } from "./close-all.ts";

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

test("a resource is closed if the work that needs it fails", async () => {
  let closed = 0;
  const opened = { close: () => closed++ };
  expect(await orClosed(opened, () => "done")).toBe("done");
  expect(closed).toBe(0);
  await expect(orClosed(opened, () => Promise.reject(new Error("why")))).rejects.toThrow("why");
  expect(closed).toBe(1);
});
