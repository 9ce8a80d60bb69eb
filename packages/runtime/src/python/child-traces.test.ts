import { expect, test } from "vitest";
import type { RequestTrace } from "../tracing/request-trace.ts";
import { ChildTraces } from "./child-traces.ts";

const trace = (followsAll: boolean): RequestTrace => {
  const one: RequestTrace = {
    context: undefined,
    followsAll,
    child: () => one,
    accepted: () => {},
    responded: () => {},
    computed: () => {},
    ended: () => {},
    refused: () => {},
  };
  return one;
};

test("a call without a trace belongs to the only request, if that request's trace follows all calls", () => {
  const traces = new ChildTraces();
  const recorded = trace(true);
  const number = traces.add(recorded);
  expect(traces.child(number)).toBe(recorded);
  expect(traces.child(0)).toBe(recorded);
  traces.add(undefined);
  expect(traces.child(0)).toBeUndefined();
  traces.remove(0);
  expect(traces.child(0)).toBe(recorded);
  traces.remove(number);
  expect(traces.child(0)).toBeUndefined();
});

test("as in Triton, other traces only follow calls that carry them", () => {
  const traces = new ChildTraces();
  const spans = trace(false);
  expect(traces.child(traces.add(spans))).toBe(spans);
  expect(traces.child(0)).toBeUndefined();
});
