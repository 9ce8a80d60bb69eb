import { expect, test } from "vitest";
import { bytes, int32 } from "./dtype-name.ts";
import { defineEnsemble } from "./ensemble.ts";
import { flow } from "./flow.ts";
import { step } from "./function-step.ts";
import { isCalledByClients, recordOf } from "./step.ts";

const text = bytes("batch", 1);
const count = step({
  name: "count",
  inputs: { text },
  outputs: { n: int32("batch", 1) },
  run: ({ text }) => ({ n: text.length }),
});
const counted = defineEnsemble({
  name: "counted",
  maxBatchSize: 2,
  inputs: { text },
  run: ({ text }) => count({ text }),
});
const about = { name: "f", inputs: { text }, outputs: { n: int32("batch", 1) } };

test("a flow records the steps and ensembles that it calls and their versions", () => {
  const inner = flow({ ...about, uses: { count }, run: ({ text }, { count }) => count({ text }) });
  const outer = flow({
    ...about,
    name: "outer",
    timeLimit: "2s",
    uses: { inner, counted, old: count.version(2) },
    run: ({ text }, { inner }) => inner({ text }),
  });
  const { kind, options, callees } = recordOf(outer) ?? {};
  expect([kind, options]).toEqual(["flow", { run: expect.any(Function), timeLimit: "2s", per: "row" }]);
  expect(callees).toEqual({
    inner: { step: recordOf(inner) },
    counted: { step: recordOf(counted) },
    old: { step: recordOf(count), version: 2 },
  });
});

test("clients call ensembles and flows, including flows that do not call any models", () => {
  const alone = flow({ ...about, uses: {}, run: ({ text }) => Promise.resolve({ n: text.length }) });
  const called = [count, counted, alone].map((one) => {
    const record = recordOf(one);
    return record !== undefined && isCalledByClients(record);
  });
  expect(called).toEqual([false, true, true]);
});

test.each<[string, object, string]>([
  ["no `uses`", { uses: undefined }, "flow `f` has no `uses`"],
  ["no steps", { uses: null }, "flow `f` has no `uses`"],
  ["a function", { uses: { trim: () => "" } }, "`uses.trim` of flow `f` is not a step"],
  ["a name", { uses: { count: "count" } }, "`uses.count` of flow `f` is not a step"],
  ["an import that is undefined", { uses: { count: undefined } }, "`uses.count` of flow `f` is not a step"],
  ["no `run`", { run: undefined }, "`flow` `f` has no `run`"],
])("%s is an error", (_, wrong, message) => {
  const options = { ...about, uses: { count }, run: async () => ({ n: 1 }), ...wrong };
  expect(() => flow(options as never)).toThrow(message);
});
