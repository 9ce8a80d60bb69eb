import { expect, test } from "vitest";
import type { Recording } from "../api.ts";
import { measuredText, measuredTimes, usuallySlowest } from "./step-times.ts";
import { timelineOf } from "./timeline.ts";
import { call } from "./view.fixture.ts";

/** A request to `flow`, which calls `a` and then `b`, with their times in milliseconds and 1 ms of its own. */
const request = (a: number, b: number, failed = false): Recording => ({
  left: 0,
  calls: [
    call(1, 0, "flow", 0, 1000 * (a + b + 1)),
    call(2, 1, "a", 500, 500 + 1000 * a),
    { ...call(3, 1, "b", 500 + 1000 * a, 500 + 1000 * (a + b)), failed },
  ],
});
const isEnsemble = (model: string) => model === "flow";

test("the step that is usually slowest has the largest median, whatever a single request says", () => {
  const first = request(20, 3);
  const rows = timelineOf(first);
  const measured = measuredTimes([first, request(1, 3), request(1, 3), request(2, 4), request(1, 99, true)]);
  expect(measured.requests).toBe(4);
  expect(measured.steps.get("/flow/a")).toEqual({ whole: 1.5, own: 1.5 });
  expect(measured.steps.get("/flow")).toEqual({ whole: 6, own: 1 });
  const slowest = usuallySlowest(rows, isEnsemble, measured);
  expect(slowest?.name).toBe("b");
  expect(measuredText(measured, rows, slowest)).toBe(
    "The median of 4 requests is 6.00 ms. b usually takes longest: 3.00 ms. flow itself, between its steps: 1.00 ms.",
  );
  expect(usuallySlowest(rows, isEnsemble, undefined)?.name).toBe("a");
});

test("requests that fail have no times", () => {
  const failing = request(1, 2, true);
  expect(measuredText(measuredTimes([failing]), timelineOf(failing), undefined)).toBe(
    "No request was answered, so there are no times.",
  );
});
