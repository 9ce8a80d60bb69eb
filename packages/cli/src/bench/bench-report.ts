import { type Block, type Cell, type Plot, type PlotSpec, type Report, type Section } from "@tritype/report";
import type { BenchCase, BenchResult } from "./bench-result.ts";
import { showCount, showMs, showNumber, showRate, showUs } from "./figures.ts";
import { percentiles, streamColumns, streamRows } from "./print-result.ts";
import { busiestOf, caseName, failed, showLoad, showProtocol, unbroken } from "./show-case.ts";
import { timeSection } from "./time-section.ts";

/** The `--html` report of a run. */
export const benchReport = (result: BenchResult): Report => {
  const { model, server, began, cases, stopped, version } = result;
  const bad = cases.reduce((sum, one) => sum + failed(one), 0);
  return {
    title: `Load test of ${model}`,
    subtitle: `${serverName(server)} · ${began.slice(0, 16).replace("T", " ")} UTC · ${result.machine.cores} cores, ${result.machine.cpu}`,
    verdict: verdictOf(stopped, cases, bad),
    sections: [
      ...(cases.length === 0 ? [] : [overview(cases), againstLoad(cases), distribution(cases)]),
      ...(cases.some(({ stream }) => stream !== undefined) ? [streams(cases)] : []),
      ...(cases.some(({ timeline }) => timeline.length > 1) ? [overTime(cases)] : []),
      ...(bad === 0 ? [] : [failures(cases)]),
      ...(cases.some(({ models = [] }) => models.length > 0) ? [modelSection(cases)] : []),
      ...(cases.some(({ time }) => time !== undefined) ? [timeSection(cases)] : []),
      conditions(result),
    ],
    footer: `pipeline bench, tritype ${version}`,
  };
};

const serverName = ({ kind, name, version }: BenchResult["server"]): string =>
  ({
    dev: `local server ${name} ${version}`,
    triton: `real Triton ${version}`,
    url: `named server ${name} ${version}`,
  })[kind];

const verdictOf = (
  stopped: string | undefined,
  cases: readonly BenchCase[],
  bad: number,
): NonNullable<Report["verdict"]> => {
  if (cases.length === 0)
    return { tone: "bad", text: `Nothing was measured${stopped === undefined ? "" : `: ${stopped}`}.` };
  const sent = cases.reduce((sum, one) => sum + (one.latency?.count ?? 0) + failed(one), 0);
  const early = stopped === undefined ? "" : ` It ended early: ${stopped}.`;
  return bad === 0
    ? {
        tone: stopped === undefined ? "good" : "warn",
        text: `All ${showCount(sent)} requests were answered.${early}`,
      }
    : {
        tone: "bad",
        text: `${showCount(bad)} of ${showCount(sent)} requests failed.${early}`,
      };
};

const overview = (cases: readonly BenchCase[]): Section => {
  const most = Math.max(...cases.map(({ requestsPerSecond }) => requestsPerSecond));
  return {
    title: "Overview",
    blocks: [
      {
        kind: "facts",
        facts: protocolsOf(cases).map((protocol) => {
          const best = busiestOf(cases.filter((one) => one.protocol === protocol));
          return {
            label: `most over ${showProtocol(protocol)}`,
            value: `${showRate(best?.requestsPerSecond ?? 0)} requests/s`,
            note: `${best === undefined ? "" : showLoad(best.load)}, p50 ${showMs(best?.latency?.p50)}, p99 ${showMs(best?.latency?.p99)}`,
          };
        }),
      },
      {
        kind: "table",
        columns: [
          "protocol",
          "load",
          ...["requests/s", "rows/s", "p50", "p90", "p99", "p99.9", "max", "failed"].map((figures) => ({
            figures,
          })),
        ],
        rows: cases.map((one): readonly Cell[] => [
          showProtocol(one.protocol),
          unbroken(showLoad(one.load)),
          { text: showRate(one.requestsPerSecond), share: most === 0 ? 0 : one.requestsPerSecond / most },
          showRate(one.rowsPerSecond),
          ...percentiles(one),
          showMs(one.latency?.max),
          failed(one) === 0 ? "0" : { text: showCount(failed(one)), tone: "bad" },
        ]),
      },
      "Latency is the time from when a request was due until its answer was complete, for successful requests only. With clients (a closed loop), each client sends its next request after the previous answer. With a rate (an open loop), requests are sent at random times regardless of the server, and latency includes the time that a request waited for its turn. Percentiles are omitted if there are too few answers.",
    ],
  };
};

const streams = (cases: readonly BenchCase[]): Section => ({
  title: "Streams",
  blocks: [
    {
      kind: "table",
      columns: ["case", ...streamColumns.map((figures) => ({ figures }))],
      rows: streamRows(cases).map(([name = "", ...figures]) => [unbroken(name), ...figures]),
    },
    "First: the time from when a request was due until its first response. Gap: the time between two responses of a stream. The latency in the other tables is that of whole streams.",
  ],
});

const protocolsOf = (cases: readonly BenchCase[]): readonly BenchCase["protocol"][] => [
  ...new Set(cases.map(({ protocol }) => protocol)),
];

/** Encodings of Vega-Lite. */
const kindOf = (field: string) => ({ field, type: "nominal", title: null }) as const;
const quantity = <const More extends object>(field: string, title: string, more: More) =>
  ({ field, type: "quantitative", title, ...more }) as const;
const byProtocol = kindOf("protocol");

/** Throughput and latency, by number of clients and by rate. */
const againstLoad = (cases: readonly BenchCase[]): Section => ({
  title: "Throughput and latency",
  blocks: (["closed", "open"] as const).flatMap((kind): readonly Block[] => {
    const some = cases.filter(({ load }) => load.kind === kind);
    if (some.length === 0) return [];
    const asked = kind === "closed" ? "clients" : "target requests/s";
    const points = some.map((one) => ({
      ...one,
      x: one.load.kind === "closed" ? one.load.clients : one.load.rate,
    }));
    const ticks = [...new Set(points.map(({ x }) => x))];
    const x = quantity("x", asked, {
      scale: { type: "log", nice: false, padding: 16 },
      axis: { values: ticks, grid: false, format: "~r" },
    });
    return [
      {
        kind: "columns",
        blocks: [
          plot(
            `Requests/s against ${asked}`,
            describe(some, ({ requestsPerSecond }) => showRate(requestsPerSecond)),
            {
              data: {
                values: points.map((one) => ({
                  x: one.x,
                  rate: one.requestsPerSecond,
                  protocol: showProtocol(one.protocol),
                })),
              },
              width: 460,
              mark: { type: "line", point: { size: 60 } },
              encoding: {
                x,
                y: quantity("rate", "requests/s", { scale: { zero: true } }),
                color: byProtocol,
                shape: byProtocol,
              },
            },
          ),
          plot(
            `Latency against ${asked}`,
            describe(some, (one) => percentiles(one).slice(0, 3).join(" / ")),
            {
              data: {
                values: points.flatMap((one) =>
                  (["p50", "p90", "p99"] as const).flatMap((name) => {
                    const ms = one.latency?.[name];
                    return ms === undefined
                      ? []
                      : [{ x: one.x, name, ms, protocol: showProtocol(one.protocol) }];
                  }),
                ),
              },
              width: 460,
              mark: { type: "line", point: { size: 60 } },
              encoding: {
                x,
                y: quantity("ms", "ms", { scale: { type: "log", padding: 10 }, axis: msAxis }),
                color: byProtocol,
                shape: byProtocol,
                strokeDash: { ...kindOf("name"), legend: { symbolType: "stroke", symbolSize: 400 } },
              },
            },
          ),
        ],
      },
    ];
  }),
});

/** Labels at 1, 2 and 5 times the powers of ten. */
const msAxis = {
  format: "~r",
  values: [-2, -1, 0, 1, 2, 3, 4].flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power)),
};

const plot = (title: string, description: string, spec: PlotSpec, caption?: string): Plot => ({
  kind: "plot",
  title,
  description,
  spec,
  ...(caption === undefined ? {} : { caption }),
});

const describe = (cases: readonly BenchCase[], figure: (one: BenchCase) => string): string =>
  cases.map((one) => `${caseName(one)}: ${figure(one)}`).join("; ");

const distribution = (cases: readonly BenchCase[]): Section => ({
  title: "Distribution of latency",
  blocks: [
    {
      kind: "columns",
      blocks: protocolsOf(cases).map((protocol) => {
        const some = cases.filter((one) => one.protocol === protocol && one.latency !== undefined);
        return plot(
          `${showProtocol(protocol)}: share of answers within a time`,
          describe(some, (one) => `half within ${showMs(one.latency?.p50)}`),
          {
            data: {
              values: some.flatMap((one, order) => {
                let within = 0;
                const { histogram = [], count = 1, min = 0 } = one.latency ?? {};
                const first = { ms: min, share: 0, load: showLoad(one.load), order };
                return [
                  first,
                  ...histogram.map(({ upTo, count: more }) => {
                    within += more;
                    return { ...first, ms: upTo, share: within / count };
                  }),
                ];
              }),
            },
            width: 460,
            mark: { type: "line" },
            encoding: {
              x: quantity("ms", "ms", { scale: { type: "log", nice: false }, axis: msAxis }),
              y: quantity("share", "share of answers", { axis: { format: "%" } }),
              color: byLoad(some),
            },
          },
        );
      }),
    },
  ],
});

const byLoad = (cases: readonly BenchCase[]): object => ({
  ...kindOf("load"),
  sort: [...new Set(cases.map(({ load }) => showLoad(load)))],
});

const overTime = (cases: readonly BenchCase[]): Section => ({
  title: "Over time",
  blocks: [
    {
      kind: "columns",
      blocks: protocolsOf(cases).map((protocol) => {
        const some = cases.filter((one) => one.protocol === protocol);
        return plot(
          `${showProtocol(protocol)}: successful answers per second`,
          describe(some, ({ timeline }) => timeline.map(({ answered }) => answered).join(", ")),
          {
            data: {
              values: some.flatMap(({ load, seconds, timeline }) =>
                timeline
                  .slice(0, Math.max(1, Math.floor(seconds)))
                  .map(({ answered }, second) => ({ second: second + 1, answered, load: showLoad(load) })),
              ),
            },
            width: 460,
            height: 200,
            mark: { type: "line", point: { size: 20 } },
            encoding: {
              x: quantity("second", "second", { axis: { tickMinStep: 1, grid: false } }),
              y: quantity("answered", "answers", { scale: { zero: true } }),
              color: byLoad(some),
            },
          },
        );
      }),
    },
  ],
});

const failures = (cases: readonly BenchCase[]): Section => ({
  title: "Failures",
  blocks: [
    {
      kind: "table",
      columns: ["case", "status", { figures: "requests" }, "first message"],
      rows: cases.flatMap((one) => [
        ...one.failures.map(({ status, count, message }) => [
          caseName(one),
          status,
          showCount(count),
          message,
        ]),
        ...(one.unfinished === 0
          ? []
          : [
              [
                caseName(one),
                "no answer",
                showCount(one.unfinished),
                "no answers had arrived when the load ended",
              ],
            ]),
      ]),
    },
  ],
});

const modelSection = (cases: readonly BenchCase[]): Section => {
  const rows = cases.flatMap((one) => (one.models ?? []).map((model) => ({ one, model })));
  const ran = rows.filter(({ model }) => model.averageBatch !== undefined);
  const heaviest = protocolsOf(cases).flatMap(
    (protocol) =>
      busiestOf(cases.filter((one) => one.protocol === protocol && (one.models ?? []).length > 0)) ?? [],
  );
  const sizes = heaviest.flatMap((one) =>
    (one.models ?? []).flatMap(({ model, batches: ranInRows }) =>
      ranInRows.map(({ rows: batch, executions }) => ({ case: caseName(one), model, batch, executions })),
    ),
  );
  const merging = new Set(sizes.flatMap(({ model, batch }) => (batch > 1 ? [model] : [])));
  const single = [...new Set(sizes.map(({ model }) => model))].filter((model) => !merging.has(model));
  const batches = sizes.filter(({ model }) => merging.has(model));
  return {
    title: "Models",
    blocks: [
      "From the server's statistics: each model's activity while a case was measured. Queue and compute are means per request; compute includes reading inputs, running the model and writing outputs.",
      ...(batches.length === 0
        ? []
        : [
            plot(
              "Sizes of the batches that ran",
              ran
                .map(({ one, model }) => `${caseName(one)}: ${model.model} ${showNumber(model.averageBatch)}`)
                .join("; "),
              {
                data: { values: batches },
                facet: {
                  row: {
                    ...kindOf("model"),
                    header: {
                      labelOrient: "top",
                      labelAnchor: "start",
                      labelAngle: 0,
                      labelFontSize: 12,
                      labelPadding: 4,
                    },
                  },
                },
                resolve: { scale: { y: "independent" } },
                spec: {
                  width: 620,
                  height: 110,
                  mark: { type: "bar" },
                  encoding: {
                    x: { field: "batch", type: "ordinal", title: "rows in a batch", axis: { labelAngle: 0 } },
                    xOffset: { field: "case", type: "nominal" },
                    y: quantity("executions", "executions", { axis: { tickCount: 3 } }),
                    color: kindOf("case"),
                  },
                },
              },
              `For the load with the most answers for each protocol.${single.length === 0 ? "" : ` Always one row: ${single.join(", ")}.`}`,
            ),
          ]),
      {
        kind: "table",
        columns: [
          "case",
          "model",
          ...["requests", "executions", "average batch", "queue", "compute"].map((figures) => ({ figures })),
        ],
        rows: rows.map(({ one, model }) => [
          unbroken(caseName(one)),
          `${model.model}${model.version === "1" ? "" : ` ${model.version}`}`,
          showCount(model.requests),
          showCount(model.executions),
          showNumber(model.averageBatch),
          showUs(model.queueUs),
          showUs(model.computeInputUs + model.computeInferUs + model.computeOutputUs),
        ]),
      },
    ],
  };
};

const conditions = (result: BenchResult): Section => {
  const { machine, server, requests, options, models, cases } = result;
  const late = cases.flatMap(({ load, sentLate }) =>
    load.kind === "open" && sentLate !== undefined ? [sentLate.p99] : [],
  );
  return {
    title: "Conditions",
    blocks: [
      {
        kind: "table",
        columns: ["what", "value"],
        rows: [
          [
            "machine",
            `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.platform}; load ${machine.load} before`,
          ],
          ["Node", machine.node],
          ["server", serverName(server)],
          ["addresses", [server.http, server.grpc].filter((one) => one !== undefined).join(", ")],
          [
            "requests",
            `${showCount(requests.count)} with ${showCount(requests.rows)} rows, ${requests.source}, in mixed order`,
          ],
          [
            "each case",
            `${options.warmSeconds} s to warm, ${options.seconds} s measured; seed ${options.seed}${options.device === undefined ? "" : `; device ${options.device}`}${options.profile === undefined ? "" : `; profile ${options.profile}`}`,
          ],
          ...(late.length === 0 ? [] : [["sent late, p99", showMs(Math.max(...late))]]),
        ],
      },
      {
        kind: "details",
        summary: "Hashes of models and requests",
        blocks: [
          {
            kind: "code",
            text: [...Object.entries(models), ["requests", requests.hash] as const]
              .map(([name, hash]) => `${hash.slice(0, 16)}  ${name}`)
              .join("\n"),
          },
        ],
      },
    ],
  };
};
