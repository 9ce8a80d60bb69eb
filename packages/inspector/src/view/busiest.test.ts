import { expect, test } from "vitest";
import { busiestOf } from "./busiest.ts";
import { model, named } from "./view.fixture.ts";

const models = named(
  model("ensemble", { steps: [] }),
  model("flow", { calls: ["slow"] }),
  model("slow"),
  model("quick"),
);
const busiest = (took: Readonly<Record<string, number>>): string | undefined =>
  busiestOf(new Map(Object.entries(took).map(([name, ms]) => [name, { requests: 10, took: ms }])), models);

test("ensembles do not count, and a flow counts without the models that it calls", () => {
  expect(busiest({ ensemble: 50, flow: 20, slow: 15, quick: 10 })).toBe("slow");
  expect(busiest({ ensemble: 50, flow: 40, slow: 15, quick: 10 })).toBe("flow");
});

test("one busy model is the busiest, and without requests none is", () => {
  expect(busiest({ quick: 3, slow: 0 })).toBe("quick");
  expect(busiest({ quick: 0 })).toBeUndefined();
});
