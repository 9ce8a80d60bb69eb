import { expect, test } from "vitest";
import { repositoryOf } from "./advice.fixture.ts";
import { callsByModel } from "./python/called-models.ts";
import { config, model } from "./python-model.fixture.ts";

const call = (names: string): string =>
  `pb_utils.InferenceRequest(model_name="n", inputs=[], requested_output_names=${names}).exec()`;

/** The outputs of `n` that the code requests; undefined if they are not all known. */
const requestedBy = (...lines: readonly string[]): readonly string[] | undefined =>
  callsByModel(repositoryOf({ "m/config.pbtxt": config(), "m/1/model.py": model(lines.join("\n")) }))
    .get("m")
    ?.get("n");

test.each<readonly [string, readonly string[], readonly string[] | undefined]>([
  ["a list in the call", [call('["A", "B"]')], ["A", "B"]],
  ["lists in two calls", [call('["A"]'), call('["B"]')], ["A", "B"]],
  ["a name for a list", ['wanted = ["A"]', call("wanted"), call("wanted")], ["A"]],
  ["a name for an output", ['one = "A"', call("[one]")], ["A"]],
  ["no list", ['pb_utils.InferenceRequest(model_name="n", inputs=[]).exec()'], undefined],
  ["append", ['wanted = ["A"]', 'wanted.append("B")', call("wanted")], undefined],
  [
    "extend under a condition",
    ['wanted = ["A"]', 'if requests:\n    wanted.extend(["B"])', call("wanted")],
    undefined,
  ],
  [
    "another name for the list",
    ['wanted = ["A"]', "also = wanted", 'also.append("B")', call("wanted")],
    undefined,
  ],
  [
    "the last of several names",
    ['wanted = ["A"]', "also = wanted", 'wanted.append("B")', call("also")],
    undefined,
  ],
  ["two names at once", ['wanted = also = ["A"]', 'also.append("B")', call("wanted")], undefined],
  ["an item that is set", ['wanted = ["A"]', 'wanted[0] = "B"', call("wanted")], undefined],
  ["an addition", ['wanted = ["A"]', 'wanted += ["B"]', call("wanted")], undefined],
  ["two assignments", ['wanted = ["A"]', 'if requests:\n    wanted = ["B"]', call("wanted")], undefined],
  ["an argument of a function", ['wanted = ["A"]', "add(wanted)", call("wanted")], undefined],
  ["an attribute", ['self.wanted = ["A"]', 'self.wanted.append("B")', call("self.wanted")], undefined],
  ["a list with other items", [call('["A", *more]')], undefined],
])("requested outputs: %s", (_, lines, outputs) => {
  expect(requestedBy(...lines)).toEqual(outputs);
});
