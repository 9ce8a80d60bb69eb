import { setTimeout as sleep } from "node:timers/promises";
import type { ProjectFixture } from "../fixtures/project.ts";
import { type RunOptions, type Running, type RunningHere, startHere, startPipeline } from "./run-pipeline.ts";

export interface Served extends Running, Serving {}

/** A server in this process. */
export interface ServedHere extends RunningHere, Serving {}

/** How to reach a server. */
export interface Serving {
  readonly url: string;
  /** Address of its gRPC server, as `host:port`. */
  readonly address: string;
  readonly infer: (
    model: string,
    body: unknown,
  ) => Promise<{ readonly status: number; readonly body: unknown }>;
  /** Waits for the first match in the output from now on. Resolves to the output up to the match. */
  readonly prints: (pattern: RegExp) => Promise<string>;
}

/** Starts `pipeline dev` on a free port, and waits until it serves. */
export const serve = async (
  small: Pick<ProjectFixture, "root">,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<Served> => {
  const running = startPipeline(small, [...dev, ...args], options);
  return { ...running, ...(await untilServing(running)) };
};

/** Like `serve`, but in this process, which takes a second less. For tests that do not concern the process itself. */
export const serveHere = async (
  small: Pick<ProjectFixture, "root">,
  args: readonly string[] = [],
  options: Pick<RunOptions, "env" | "cwd"> = {},
): Promise<ServedHere> => {
  const running = startHere(small, [...dev, ...args], options);
  return { ...running, ...(await untilServing(running)) };
};

const dev = ["dev", "--http-port", "0"];

const untilServing = async (running: Pick<Running, "ended" | "says" | "err">): Promise<Serving> => {
  const [, url = ""] = await running.says(/ at (http:\S+)/);
  await running.says(/stop with Ctrl-C/);
  const infer: Serving["infer"] = async (model, body) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(`${url}/v2/models/${model}/infer`, { method: "POST", body: text });
    return { status: response.status, body: await response.json() };
  };
  let isOver = false;
  const over = (): void => void (isOver = true);
  void running.ended.then(over, over);
  let read = running.err().length;
  const prints: Serving["prints"] = async (pattern) => {
    const from = read;
    for (;;) {
      const match = pattern.exec(running.err().slice(from));
      if (match !== null) {
        read = from + match.index + match[0].length;
        return running.err().slice(from, read);
      }
      if (isOver) throw new Error(`it ended without ${String(pattern)}:\n${running.err().slice(from)}`);
      await sleep(10);
    }
  };
  const address = /gRPC at (\S+?),/.exec(running.err())?.[1] ?? "";
  return { url, address, infer, prints };
};

/** A request with the numbers 0, 1, 2 … as `x`. */
export const x = (shape: readonly number[], rest: object = {}): object => ({
  inputs: [
    {
      name: "x",
      datatype: "FP32",
      shape,
      data: Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => i),
      ...rest,
    },
  ],
});

/** The only value of the only output in an answer. */
export const valueOf = ({ status, body }: Awaited<ReturnType<Served["infer"]>>): unknown =>
  status === 200
    ? (body as { readonly outputs: readonly { readonly data: readonly unknown[] }[] }).outputs[0]?.data[0]
    : body;
