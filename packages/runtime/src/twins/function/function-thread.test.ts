import { expect, onTestFinished, test } from "vitest";
import { tensorOf } from "@tritype/core";
import { openFunctionThread } from "./function-thread.ts";

/** Returns the number of times it was called. */
const counting = "let calls = 0; export const run = () => ({ calls: ++calls });";
const counter = { dtype: "INT32", dims: ["batch", 1] } as const;

test("a call whose client disconnects before its turn is never made", async () => {
  const thread = await openFunctionThread({
    module: `data:text/javascript,${encodeURIComponent(counting)}`,
    options: {
      step: "count",
      per: "row",
      timeLimit: 60_000_000,
      inputs: { x: counter },
      outputs: { calls: counter },
    },
    places: {},
  });
  onTestFinished(() => thread.close());
  const call = { inputs: [["x", tensorOf("INT32", [1, 1], [0])]], outputs: ["calls"] } as const;
  const gone = new AbortController();
  const first = thread.call(call);
  const abandoned = thread.call(call, gone.signal);
  const last = thread.call(call);
  gone.abort();
  const refused = { kind: "failure", code: "request/cancelled" };
  expect(await abandoned).toMatchObject(refused);
  expect(await thread.call(call, gone.signal)).toMatchObject(refused);
  const told = (calls: number) => ({
    kind: "answer",
    outputs: [["calls", tensorOf("INT32", [1, 1], [calls])]],
  });
  expect([await first, await last]).toMatchObject([told(1), told(2)]);
});
