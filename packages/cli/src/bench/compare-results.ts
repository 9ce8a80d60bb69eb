import { ownValue } from "@tritype/core";
import type { BenchCase, BenchResult } from "./bench-result.ts";
import { caseName, failed } from "./show-case.ts";

/** A case that is in both runs. Ratios are those of the second run to the first. */
export interface ComparedCase {
  readonly name: string;
  readonly a: BenchCase;
  readonly b: BenchCase;
  readonly throughput: number;
  readonly p50: number | undefined;
  readonly p90: number | undefined;
  readonly p99: number | undefined;
  /** Requests without a successful response. */
  readonly failed: readonly [number, number];
}

/** A difference between the two runs. */
export interface Change {
  readonly what: string;
  readonly a: string;
  readonly b: string;
}

export interface Comparison {
  readonly cases: readonly ComparedCase[];
  /** Cases that are only in one of the runs. */
  readonly unmatched: readonly string[];
  /** Possible reasons: machine, server, models, requests, options. */
  readonly changes: readonly Change[];
}

/** A comparison of two runs. */
export const compareResults = (a: BenchResult, b: BenchResult): Comparison => {
  const find = ({ cases }: BenchResult, name: string) => cases.find((one) => caseName(one) === name);
  const namesOf = ({ cases }: BenchResult): readonly string[] => cases.map(caseName);
  const cases = a.cases.flatMap((one): readonly ComparedCase[] => {
    const name = caseName(one);
    const other = find(b, name);
    if (other === undefined) return [];
    const ratio = (read: (measured: BenchCase) => number | undefined): number | undefined => {
      const [before, after] = [read(one), read(other)];
      return before === undefined || after === undefined || before === 0 ? undefined : after / before;
    };
    return [
      {
        name,
        a: one,
        b: other,
        throughput: ratio(({ requestsPerSecond }) => requestsPerSecond) ?? Number.NaN,
        p50: ratio(({ latency }) => latency?.p50),
        p90: ratio(({ latency }) => latency?.p90),
        p99: ratio(({ latency }) => latency?.p99),
        failed: [failed(one), failed(other)],
      },
    ];
  });
  return {
    cases,
    unmatched: [
      ...namesOf(a)
        .filter((name) => find(b, name) === undefined)
        .map((name) => `${name} (first only)`),
      ...namesOf(b)
        .filter((name) => find(a, name) === undefined)
        .map((name) => `${name} (second only)`),
    ],
    changes: changesOf(a, b),
  };
};

const changesOf = (a: BenchResult, b: BenchResult): readonly Change[] => {
  const models = [...new Set([...Object.keys(a.models), ...Object.keys(b.models)])].toSorted();
  const facts: readonly (readonly [string, (result: BenchResult) => string | number | undefined])[] = [
    ["tritype", ({ version }) => version],
    ["processor", ({ machine }) => machine.cpu],
    ["cores", ({ machine }) => machine.cores],
    ["memory, GB", ({ machine }) => machine.memoryGb],
    ["platform", ({ machine }) => machine.platform],
    ["Node", ({ machine }) => machine.node],
    ["server", ({ server }) => `${server.kind}: ${server.name} ${server.version}`],
    ["asked", ({ model }) => model],
    ["device", ({ options }) => options.device ?? "the server's choice"],
    ["profile", ({ options }) => options.profile ?? "none"],
    ["requests", ({ requests }) => `${requests.count} (${requests.source}, ${requests.hash.slice(0, 8)})`],
    ["seconds", ({ options }) => `${options.warmSeconds} + ${options.seconds}`],
    ["seed", ({ options }) => options.seed],
    ["ended early", ({ stopped }) => stopped ?? "no"],
    ...models.map(
      (name) =>
        [
          `model ${name}`,
          ({ models: hashes }: BenchResult) => ownValue(hashes, name)?.slice(0, 8) ?? "does not exist",
        ] as const,
    ),
  ];
  return facts.flatMap(([what, read]) => {
    const [before, after] = [String(read(a) ?? ""), String(read(b) ?? "")];
    return before === after ? [] : [{ what, a: before, b: after }];
  });
};
