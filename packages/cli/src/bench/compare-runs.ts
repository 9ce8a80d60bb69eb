import { resolve } from "node:path";
import type { Cell, Report } from "@tritype/report";
import type { Colors } from "picocolors/types.js";
import { type ExitCode, type Given, usage } from "../command.ts";
import { readGivenFile } from "../request-file.ts";
import type { Terminal } from "../terminal.ts";
import { type BenchResult, parseBenchResult } from "./bench-result.ts";
import { type Comparison, compareResults } from "./compare-results.ts";
import { showCount, showMs, showRate, showRatio } from "./figures.ts";
import { unbroken } from "./show-case.ts";
import { writeReport } from "../write-file.ts";
import { alignedTable } from "./print-result.ts";
import { cliError } from "../errors.ts";

/** `pipeline bench --compare a.json b.json` */
export const compareRuns = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const [first, second, ...others] = given.positionals;
  if (first === undefined || second === undefined || others.length > 0)
    throw usage("--compare takes two results", "name them: pipeline bench --compare a.json b.json");
  const [a, b] = [read(first, terminal), read(second, terminal)];
  const comparison = compareResults(a, b);
  if (comparison.cases.length === 0) throw cliError("bench/no-common-case", { first, second });
  terminal.out(
    given.flag("json") ? JSON.stringify(comparison, null, 2) : print(comparison, terminal.outColors),
  );
  await writeReport(given, terminal, () => comparisonReport([first, a], [second, b], comparison));
  return 0;
};

const read = (path: string, { cwd }: Terminal): BenchResult =>
  parseBenchResult(readGivenFile(resolve(cwd, path), "the file", path), path);

const print = ({ cases, unmatched, changes }: Comparison, colors: Colors): string =>
  [
    alignedTable(
      [
        ["second run / first run", "requests/s", "p50", "p90", "p99", "failed"],
        ...cases.map(({ name, throughput, p50, p90, p99, failed: [before, after] }) => [
          name,
          ...[throughput, p50, p90, p99].map(showRatio),
          `${showCount(before)} → ${showCount(after)}`,
        ]),
      ],
      colors,
    ),
    ...unmatched.map((name) => `${colors.dim("not compared")} ${name}`),
    ...(changes.length === 0
      ? [colors.dim("machine, server, models, requests and options are the same")]
      : changes.map(({ what, a, b }) => `${colors.yellow("changed")} ${what}: ${a} → ${b}`)),
  ].join("\n");

/** Runs vary by a few percent; smaller differences are not marked. */
const notable = 0.1;

const ratioCell = (ratio: number | undefined, better: "more" | "less"): Cell => {
  const text = showRatio(ratio);
  if (ratio === undefined || !(Math.abs(ratio - 1) > notable)) return text;
  return { text, tone: ratio > 1 === (better === "more") ? "good" : "bad" };
};

/** A run and the name of its file. */
type NamedRun = readonly [string, BenchResult];

const comparisonReport = ([aName, a]: NamedRun, [bName, b]: NamedRun, comparison: Comparison): Report => {
  const { cases, unmatched, changes } = comparison;
  return {
    title: `Two load tests of ${a.model === b.model ? a.model : `${a.model} and ${b.model}`}`,
    subtitle: `${aName} (${a.began.slice(0, 16).replace("T", " ")} UTC) and ${bName} (${b.began.slice(0, 16).replace("T", " ")} UTC)`,
    ...(changes.some(({ what }) => ["requests", "processor", "cores"].includes(what))
      ? {
          verdict: {
            tone: "warn",
            text: "The runs used different machines or requests, so the ratios mean little.",
          } as const,
        }
      : {}),
    sections: [
      {
        title: "Ratios",
        blocks: [
          `Ratios of the second run to the first. Differences of ${notable * 100} % or less are not marked, because runs vary by that much anyway.`,
          {
            kind: "table",
            columns: [
              "case",
              ...["requests/s", "", "p50", "", "p90", "", "p99", "", "failed"].map((figures) => ({
                figures,
              })),
            ],
            rows: cases.map((one) => [
              unbroken(one.name),
              ratioCell(one.throughput, "more"),
              `${showRate(one.a.requestsPerSecond)} → ${showRate(one.b.requestsPerSecond)}`,
              ...(["p50", "p90", "p99"] as const).flatMap((name) => [
                ratioCell(one[name], "less"),
                `${showMs(one.a.latency?.[name])} → ${showMs(one.b.latency?.[name])}`,
              ]),
              `${showCount(one.failed[0])} → ${showCount(one.failed[1])}`,
            ]),
          },
          {
            kind: "plot",
            title: "Requests/s",
            description: cases.map(({ name, throughput }) => `${name}: ${showRatio(throughput)}`).join("; "),
            spec: {
              data: {
                values: cases.flatMap(({ name, a: before, b: after }) => [
                  { case: name, run: aName, rate: before.requestsPerSecond },
                  { case: name, run: bName, rate: after.requestsPerSecond },
                ]),
              },
              height: { step: 16 },
              mark: "bar",
              encoding: {
                y: { field: "case", type: "nominal", title: null, sort: null },
                yOffset: { field: "run", type: "nominal", sort: [aName, bName] },
                x: { field: "rate", type: "quantitative", title: "requests/s" },
                color: { field: "run", type: "nominal", title: null, sort: [aName, bName] },
              },
            },
          },
          ...(unmatched.length === 0
            ? []
            : [{ kind: "notice", tone: "quiet", text: `Not compared: ${unmatched.join("; ")}` } as const]),
        ],
      },
      {
        title: "What changed",
        blocks: [
          changes.length === 0
            ? "Nothing: machine, server, models, requests and options are the same."
            : {
                kind: "table",
                columns: ["what", aName, bName],
                rows: changes.map((change) => [change.what, change.a, change.b]),
              },
        ],
      },
    ],
    footer: `pipeline bench --compare, tritype ${b.version}`,
  };
};
