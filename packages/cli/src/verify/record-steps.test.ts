import { setTimeout as sleep } from "node:timers/promises";
import { tensorOf } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { expect, test } from "vitest";
import { recordMembers } from "./record-steps.ts";

const config: ModelConfig = {
  input: [{ name: "X" }],
  output: [{ name: "Y" }],
  ensemble_scheduling: {
    step: [
      { model_name: "first", input_map: { X: "X" }, output_map: { Y: "A" } },
      { model_name: "second", input_map: { X: "A" }, output_map: { Y: "Y" } },
    ],
  },
};

test.each([false, true])(
  "a step ends with its own answer, not with the steps after it; the second fails: %s",
  async (fails) => {
    const server = {
      config: (model: string) => Promise.resolve(model === "e" ? config : {}),
      async *answers({ model }: { readonly model: string }) {
        if (model === "second") await sleep(200);
        if (fails && model === "second") throw new Error("no");
        yield new Map([["Y", tensorOf("INT32", [1], [1])]]);
      },
    };
    const inputs = new Map([["X", tensorOf("INT32", [1], [1])]]);
    const { recording, failure } = await recordMembers(server, { model: "e", inputs });
    const [whole = 0, first = 0, second = 0] = recording.calls.map(({ start, end }) => end - start);
    expect(failure !== undefined).toBe(fails);
    expect(first).toBeLessThan(second / 2);
    expect(whole).toBeGreaterThanOrEqual(second);
  },
);
