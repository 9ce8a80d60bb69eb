import { expect, test } from "vitest";
import { givenTo } from "../given.fixture.ts";
import { traceConfigOf } from "./trace-config.ts";

const options = (...args: readonly string[]) => traceConfigOf(givenTo("dev", ...args));
const settings = (...values: readonly string[]) =>
  options(...values.map((value) => `--trace-config=${value}`));

test("as in Triton, there are no traces unless they are configured", () => {
  expect(options()).toBeUndefined();
  expect(settings("rate=0")).toEqual({ levels: [], rate: 0 });
});

test("both forms of the options configure files; the last value wins, and levels are combined", () => {
  const wanted = {
    levels: ["TIMESTAMPS"],
    rate: 3,
    count: 5,
    to: { kind: "files", file: "t.json", logFrequency: 2 },
  };
  const given = [
    "triton,file=t.json",
    "level=timestamps",
    "rate=7",
    "rate=3",
    "count=5",
    "triton,log-frequency=2",
  ];
  expect(settings(...given)).toEqual(wanted);
  const older = ["--trace-file=t.json", "--trace-level=MAX", "--trace-rate=3", "--trace-count=5"];
  expect(options(...older, "--trace-log-frequency=2")).toEqual(wanted);
  expect(settings("triton,file=t", "level=OFF", "level=TENSORS", "level=TIMESTAMPS")?.levels).toEqual([
    "TIMESTAMPS",
    "TENSORS",
  ]);
});

test("a collector", () => {
  const given = ["resource=service.name=embed", "resource=a=b=c", "bsp_max_queue_size=10"];
  expect(
    settings("mode=opentelemetry", "level=TIMESTAMPS", ...given.map((one) => `opentelemetry,${one}`)),
  ).toEqual({
    levels: ["TIMESTAMPS"],
    to: {
      kind: "collector",
      resource: new Map([
        ["service.name", "embed"],
        ["a", "b=c"],
      ]),
      maxQueueSize: 10,
      written: [
        ["resource", "service.name=embed"],
        ["resource", "a=b=c"],
        ["bsp_max_queue_size", "10"],
      ],
    },
  });
});

test.each([
  [["foo"], "has no setting"],
  [["level="], "has no setting"],
  [["level=SOME", "triton,file=t"], "has an unknown level"],
  [["level=TIMESTAMPS"], "traces have no file"],
  [["mode=zipkin"], "has an unknown mode"],
  [["jaeger,url=x"], "has an unknown mode"],
  [["triton,url=x"], "has an unknown setting"],
  [["file=x"], "has an unknown setting"],
  [["rate=x", "triton,file=t"], "is not a whole number from 0"],
  [["count=-2", "triton,file=t"], "is not a whole number from -1"],
  [["mode=opentelemetry", "opentelemetry,bsp_max_queue_size=0"], "is not a whole number from 1"],
  [["mode=opentelemetry", "opentelemetry,resource=x"], "is not an attribute"],
  [["mode=opentelemetry", "opentelemetry,url=localhost:4318"], "is not a URL"],
])("%j is refused", (given, problem) => {
  expect(() => settings(...given)).toThrow(problem);
});
