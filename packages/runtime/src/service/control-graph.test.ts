import { expect, test } from "vitest";
import { dependents, leavingWith, type PolledModels } from "./control-graph.ts";

/** `e: a b` is an ensemble with a and b; an exclamation mark denotes a model that was requested by name. */
const models = (...lines: readonly string[]): PolledModels =>
  new Map(
    lines.map((line) => {
      const [name = "", steps = ""] = line.replace("!", "").split(":");
      const step = steps.split(" ").filter(Boolean);
      const config =
        step.length === 0
          ? {}
          : { ensemble_scheduling: { step: step.map((model_name) => ({ model_name })) } };
      return [name, { config, explicit: line.includes("!") }];
    }),
  );
const used = models("a", "b!", "c", "e!: a b", "f!: b c", "g!: e c");

test.each([
  ["a", "e g"],
  ["b", "e f g"],
  ["c", "f g"],
  ["g", ""],
  ["nobody", ""],
])("finds the ensembles that depend on %s", (name, above) => {
  expect([...dependents(used, new Set([name]))].toSorted().join(" ")).toBe(above);
});

test.each([
  ["a member that was loaded with one ensemble, and that others use", used, "e", "a e"],
  ["a member that another ensemble also uses", used, "f", "f"],
  ["a member that was requested by name", models("a!", "e!: a"), "e", "e"],
  ["members of members", models("a", "b", "e: a", "g!: e b"), "g", "a b e g"],
  ["a model that no ensemble uses", used, "a", "a"],
  ["a member that was never polled", models("e!: a"), "e", "e"],
])("%s", (_title, polled, name, left) => {
  expect([...leavingWith(polled, name)].toSorted().join(" ")).toBe(left);
});
