import { counted } from "@tritype/core";
import {
  bottleneckOf,
  type Calibration,
  type Change,
  type Demand,
  type NoPlan,
  type Plan,
} from "@tritype/plan";
import { showMs, showNumber, showRate } from "../bench/figures.ts";
import { alignedTable } from "../bench/print-result.ts";
import type { Terminal } from "../terminal.ts";
import { type CallsByCode, caveatOf } from "./calls-by-code.ts";

type Colors = Terminal["colors"];

/** A plan, and everything that it depends on. */
export interface ShownPlan {
  readonly calibration: Calibration;
  readonly demand: Demand;
  /** The price of one server for an hour. */
  readonly price: number | undefined;
  readonly plan: Plan | NoPlan;
  readonly changes: readonly Change[];
  /** The simulated models whose code calls other models. */
  readonly byCode: readonly CallsByCode[];
}

/** The output of `--json`. Times in milliseconds. */
export const planJson = ({ calibration, demand, price, plan, changes, byCode }: ShownPlan): object => {
  const { system: _, formatVersion: __, ...measured } = calibration;
  const costOf = (one: Plan | NoPlan) =>
    price === undefined || one.kind === "none" ? {} : { costPerHour: price * one.replicas };
  return {
    formatVersion: 1,
    demand,
    measured,
    ...plan,
    ...costOf(plan),
    ...(plan.kind === "plan" ? { bottleneck: bottleneckOf(plan.server.stations)?.model } : {}),
    changes: changes.map(({ what, plan: one }) => ({ what, ...one, ...costOf(one) })),
    caveats: byCode.map((one) => ({ ...one, text: caveatOf(one) })),
  };
};

/** The plan as printed for people. */
export const printPlan = (shown: ShownPlan, colors: Colors): string => {
  const { calibration, demand, plan } = shown;
  const { model, server, machine, requests } = calibration;
  const wanted = `${showRate(demand.rate)} requests/s with p99 within ${showMs(demand.p99)}`;
  const first =
    plan.kind === "plan"
      ? `${colors.green(counted(plan.replicas, "server"))} for ${wanted}`
      : `${colors.red("no plan")} for ${wanted}: ${whyNone(plan)}`;
  return [
    first,
    colors.dim(
      `simulated; the times of \`${model}\` were measured in ${server} on ${machine.cores} cores with ${requests}`,
    ),
    ...shown.byCode.map((one) => colors.yellow(caveatOf(one))),
    ...(plan.kind === "plan" ? ["", ...planTables(shown, plan, colors)] : []),
    "",
    changeTable(shown, colors),
  ].join("\n");
};

const whyNone = ({ why, alone, slowest, delay }: NoPlan): string => {
  const longest = `\`${slowest.model}\` takes longest, ${showMs(slowest.milliseconds)}`;
  if (why === "service") return `a single request already takes ${showMs(alone)} (p99); ${longest}`;
  return why === "delay"
    ? `a request takes ${showMs(alone)} (p99), but its batches wait up to ${showMs(delay)} for other requests`
    : `a request takes ${showMs(alone)} (p99), which leaves no time to wait for another request; ${longest}`;
};

const planTables = (
  { demand, price, calibration }: ShownPlan,
  { replicas, capacity, server }: Plan,
  colors: Colors,
): readonly string[] => {
  const busiest = bottleneckOf(server.stations)?.model;
  const { stations, cores } = calibration.system;
  return [
    alignedTable(
      [
        ["", "servers", "requests/s", "at most", "p50", "p99", ...costHead(price)],
        [
          "as configured",
          String(replicas),
          showRate(demand.rate),
          showRate(replicas * capacity),
          showMs(server.p50),
          showMs(server.p99),
          ...cost(price, replicas),
        ],
      ],
      colors,
    ),
    "",
    alignedTable(
      [
        ["in each server", "count", "busy", "rows/batch", "queue", ""],
        ...server.stations.map(({ model, utilization, batch, queued }) => [
          model,
          String(stations.find((one) => one.model === model)?.instances ?? 1),
          percent(utilization),
          showNumber(batch),
          showMs(queued),
          model === busiest ? "bottleneck" : "",
        ]),
        ["processors", String(cores), percent(server.processors), "", "", ""],
      ],
      colors,
    ),
  ];
};

const changeTable = ({ price, changes }: ShownPlan, colors: Colors): string =>
  alignedTable(
    [
      ["possible change", "servers", "p50", "p99", ...costHead(price)],
      ...changes.map(({ what, plan }) =>
        plan.kind === "plan"
          ? [
              what,
              String(plan.replicas),
              showMs(plan.server.p50),
              showMs(plan.server.p99),
              ...cost(price, plan.replicas),
            ]
          : [what, "no plan", "", "", ...costHead(price).map(() => "")],
      ),
    ],
    colors,
  );

const costHead = (price: number | undefined): readonly string[] => (price === undefined ? [] : ["per hour"]);
const cost = (price: number | undefined, replicas: number): readonly string[] =>
  price === undefined ? [] : [(price * replicas).toFixed(2)];

const percent = (share: number): string => `${Math.round(share * 100)} %`;
