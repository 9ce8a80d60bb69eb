import type { Load } from "@tritype/load-test";
import { type Given, usage } from "../command.ts";
import type { BenchCase } from "./bench-result.ts";

export type Protocol = BenchCase["protocol"];

/** The load test that the options describe. */
export interface BenchPlan {
  readonly loads: readonly Load[];
  /** If undefined, all protocols for which the server has an address. */
  readonly protocol: Protocol | undefined;
  readonly seconds: number;
  readonly warmSeconds: number;
  readonly timeoutMs: number;
  readonly seed: number;
}

const defaultClients: readonly number[] = [1, 4, 16];
/** More connections would exhaust the ports of one machine before they help. */
export const mostConnections = 512;

/** @throws PipelineError `usage/invalid` */
export const benchPlan = (given: Given): BenchPlan => {
  const seed = given.integer("seed", [0, 2 ** 32 - 1]) ?? 1;
  const clients = list(given, "clients").map((text) => clientsOf(text, partOf(given, "clients", text)));
  const rates = list(given, "rate").map((text) => rateOf(text, "50/s,100/s", partOf(given, "rate", text)));
  const chosen = clients.length === 0 && rates.length === 0 ? defaultClients : clients;
  return {
    loads: [
      ...chosen.map((clients): Load => ({ kind: "closed", clients })),
      ...rates.map((rate): Load => ({ kind: "open", rate, seed, connections: mostConnections })),
    ],
    protocol: protocolOf(given.text("protocol")),
    seconds: secondsOf(given, "seconds", 10, [0.1, 86_400]),
    warmSeconds: secondsOf(given, "warm", 2, [0, 86_400]),
    timeoutMs: timeoutMsOf(given),
    seed,
  };
};

const list = (given: Given, option: string): readonly string[] =>
  given
    .text(option)
    ?.split(",")
    .map((part) => part.trim()) ?? [];

/** The problem with one part of a list. */
const partOf = (given: Given, option: string, part: string): string =>
  part === "" ? `--${option} is ${given.text(option)}, with an empty part` : `--${option} has ${part}`;

const clientsOf = (text: string, problem: string): number => {
  const clients = Number(text);
  if (!/^\d+$/.test(text) || clients < 1 || clients > 10_000)
    throw usage(problem, "list whole numbers from 1 to 10000: --clients 1,4,16");
  return clients;
};

const mostRate = 1_000_000;

/**
 * "50/s", "50" → 50
 * @param example A value of `--rate`.
 * @throws PipelineError `usage/invalid`
 */
export const rateOf = (text: string, example: string, problem = `--rate is ${text}`): number => {
  const rate = Number(/^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text)?.[1]);
  if (rate > 0 && rate <= mostRate) return rate;
  throw usage(problem, `use requests per second, more than 0 and at most ${mostRate}: --rate ${example}`);
};

/** `--timeout` in milliseconds. @throws PipelineError `usage/invalid` */
export const timeoutMsOf = (given: Given): number => secondsOf(given, "timeout", 30, [0.1, 86_400]) * 1000;

const protocolOf = (text: string | undefined): Protocol | undefined => {
  if (text === undefined || text === "http" || text === "grpc") return text;
  throw usage(`--protocol is ${text}`, "use http or grpc, or omit it for both");
};

/** @throws PipelineError `usage/invalid` */
export const secondsOf = (
  given: Given,
  option: string,
  byDefault: number,
  [least, most]: readonly [least: number, most: number],
): number => {
  const text = given.text(option) ?? String(byDefault);
  const seconds = Number(/^(\d+(?:\.\d+)?)s?$/.exec(text)?.[1]);
  if (!(seconds >= least && seconds <= most))
    throw usage(`--${option} is ${text}`, `use seconds from ${least} to ${most}`);
  return seconds;
};
