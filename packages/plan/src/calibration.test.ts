import { expect, test } from "vitest";
import { type Calibration, parseCalibration } from "./calibration.ts";
import { station, step, system } from "./system.fixture.ts";

const calibration: Calibration = {
  formatVersion: 1,
  version: "0.1.0",
  began: "2026-01-01T00:00:00.000Z",
  machine: { cpu: "a processor", cores: 4 },
  server: "triton 2.51.0",
  model: "e",
  models: { e: "1", m: "2" },
  requests: "3 requests (warmup samples of `e`)",
  system: system({
    stations: [station({ batching: { maxBatchSize: 8, preferred: [4, 8], delay: 100 } })],
    outside: { us: [100, 200], processor: 50 },
    pace: [{ us: 1000, shares: [0, 0.5, 1] }],
  }),
};
const read = (value: unknown) => parseCalibration(JSON.stringify(value));

test("a written calibration can be read back", () => {
  expect(read(calibration)).toEqual(calibration);
});

test.each<[string, unknown, string]>([
  ["another format", { ...calibration, formatVersion: 0 }, "expected 1"],
  ["a newer format", { ...calibration, formatVersion: 2 }, "it was written by a newer tritype"],
  ["nothing", null, "expected object"],
  ["a result of bench", { formatVersion: 1, cases: [] }, "it is a result of `pipeline bench`"],
  [
    "a station that is missing",
    { ...calibration, system: system({ steps: [step(1, { station: 3 })] }) },
    "a step names a model, a step or a kind of request that is missing",
  ],
  [
    "a pace without executions",
    { ...calibration, system: system({ pace: [{ us: 1000, shares: [] }] }) },
    "expected array to have >=1 items",
  ],
  [
    "a step that waits for itself",
    { ...calibration, system: system({ steps: [step(1, { after: [0] })] }) },
    "a step names a model",
  ],
])("%s is refused", (_, value, problem) => {
  expect(read(value)).toEqual({ problem: expect.stringContaining(problem) });
});

test("text that is not JSON is refused", () => {
  expect(parseCalibration("{")).toEqual({ problem: "it is not JSON" });
});
