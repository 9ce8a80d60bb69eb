import { parseTarget, type Target, type TuneLoad } from "@tritype/tune";
import { rateOf, secondsOf } from "../bench/bench-plan.ts";
import { type Given, usage } from "../command.ts";

/** The plan according to the options. */
export interface TunePlan {
  readonly target: Target;
  readonly load: TuneLoad;
  /** The opposite load: one client if the plan has many, or many clients if the plan has one. */
  readonly sideLoad: TuneLoad;
  readonly seconds: number;
  /** Maximum number of slices in which a new server warms up. */
  readonly mostWarm: number;
  readonly runs: number;
  readonly pairs: readonly [number, number];
}

const many = 16;

/** @throws PipelineError `usage/invalid` */
export const tunePlan = (given: Given): TunePlan => {
  const text = given.text("target");
  if (text === undefined)
    throw usage(
      "`pipeline tune` needs a target",
      'name one: --target throughput, --target latency or --target "p99<50ms"',
    );
  const target = parseTarget(text);
  if (target === undefined)
    throw usage(
      `--target is ${text}`,
      'use throughput, latency, or a limit for p50, p90, p95 or p99: "p99<50ms"',
    );
  const clients = given.integer("clients", [1, 10_000]);
  const written = given.text("rate");
  const rate = written === undefined ? undefined : rateOf(written, "50/s");
  if (target.kind !== "latency" && rate !== undefined)
    throw usage(
      `--rate fixes the throughput, but the target is ${text}`,
      "use --clients, or --target latency",
    );
  if (target.kind === "within" && clients !== undefined)
    throw usage(`--target ${text} finds the number of clients itself`, "remove --clients");
  if (rate !== undefined && clients !== undefined)
    throw usage("--rate and --clients are two kinds of load", "remove one of them");
  const alone = target.kind === "latency";
  return {
    target,
    load:
      rate === undefined
        ? { kind: "closed", clients: clients ?? (alone ? 1 : many) }
        : { kind: "open", rate },
    sideLoad: { kind: "closed", clients: alone ? many : 1 },
    seconds: secondsOf(given, "seconds", 1, [0.1, 3600]),
    mostWarm: 20,
    runs: given.integer("runs", [2, 1000]) ?? 24,
    pairs: [6, 16],
  };
};
