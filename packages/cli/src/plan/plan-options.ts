import type { Demand } from "@tritype/plan";
import { rateOf, secondsOf } from "../bench/bench-plan.ts";
import { type Given, usage } from "../command.ts";
import { deviceOf } from "../project/device.ts";

/** The plan according to the options. */
export interface PlanOptions {
  readonly demand: Demand;
  /** The price of one server for an hour, in any currency. */
  readonly price: number | undefined;
  /** How long to measure each number of rows. */
  readonly seconds: number;
  readonly device: ReturnType<typeof deviceOf>;
}

/** Options for measuring, which cannot be combined with `--from`. */
const measuring = [
  "triton",
  "device",
  "python",
  "requests",
  "seconds",
  "save",
  "profile",
  "model-config-name",
];

/** @throws PipelineError `usage/invalid` */
export const planOptions = (given: Given): PlanOptions => {
  const idle = measuring.find((name) => given.text(name) !== undefined);
  if (given.text("from") !== undefined && idle !== undefined)
    throw usage(`--from reads measured times, so nothing is measured with --${idle}`, "remove one of them");
  const rate = given.text("rate");
  if (rate === undefined)
    throw usage("`pipeline plan` needs a load", "pass the requests per second: --rate 500");
  return {
    demand: {
      rate: rateOf(rate, "500"),
      p99: millisecondsOf(given.text("p99")),
      seed: given.integer("seed", [0, 2 ** 32 - 1]) ?? 1,
    },
    price: priceOf(given.text("price")),
    seconds: secondsOf(given, "seconds", 0.3, [0.01, 60]),
    device: deviceOf(given, "cpu"),
  };
};

const millisecondsOf = (text: string | undefined): number => {
  if (text === undefined)
    throw usage(
      "`pipeline plan` needs a limit",
      "set the time within which 99 % of the requests are answered: --p99 100ms",
    );
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text) ?? [];
  const milliseconds = Number(number) * (unit === "s" ? 1000 : 1);
  if (!(milliseconds > 0 && milliseconds <= 3_600_000))
    throw usage(
      `--p99 is ${text}`,
      "use a time with its unit, more than 0 and at most 3600s: --p99 100ms or --p99 1.5s",
    );
  return milliseconds;
};

const priceOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const price = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || !(price > 0))
    throw usage(`--price is ${text}`, "use the price of one server for an hour, such as --price 1.2");
  return price;
};
