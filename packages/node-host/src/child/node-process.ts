import type { Readable } from "node:stream";
import type { NodeTwinOptions } from "@tritype/manifest";
import { type Frame, frameKinds, frameReader, type Part, printFrame, readText } from "../frame.ts";
import { spawnNode } from "./spawn-node.ts";

/** One Node process that has loaded its function. */
export interface NodeProcess {
  readonly pid: number | undefined;
  send(kind: number, id: number, index: number, body?: readonly Part[]): void;
  /** Sets whether it is busy; a busy child keeps this process alive. */
  busy(isBusy: boolean): void;
  kill(): void;
  /** Resolves to how it exited, once all of its frames have been read. Never rejects. */
  readonly ended: Promise<string>;
}

export interface ProcessOptions {
  readonly folder: string;
  readonly options: NodeTwinOptions;
  /** Lines that the function prints. */
  readonly onLine: (line: string) => void;
  readonly onFrame: (frame: Frame) => void;
}

/** Milliseconds within which the function must be loaded. */
const startLimit = 30_000;

/** Starts a process. @throws Error with the reason why the function could not be loaded. */
export const startNode = ({ folder, options, onLine, onFrame }: ProcessOptions): Promise<NodeProcess> =>
  new Promise((resolve, reject) => {
    const { process: child, toChild, fromChild } = spawnNode(folder, options);
    const timer = setTimeout(() => {
      reject(new Error(`it did not start within ${startLimit / 1000} s`));
      child.kill("SIGKILL");
    }, startLimit);
    let failure: string | undefined;
    const hasExited = new Promise<string>((exited) => {
      child.on("error", (error) => exited(`could not be started (${error.message})`));
      child.on("exit", (code, signal) =>
        exited(signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`),
      );
    });
    const isRead = new Promise<void>((read) => fromChild.on("close", read));
    const ended = Promise.all([hasExited, isRead]).then(([how]) => how);
    const streams = [toChild, fromChild, child.stdout, child.stderr] as readonly (Readable & {
      ref?(): void;
      unref?(): void;
    })[];
    const started: NodeProcess = {
      pid: child.pid,
      send: (kind, id, index, body) => void toChild.write(printFrame(kind, id, index, body)),
      busy: (isBusy) => {
        const keep = isBusy ? "ref" : "unref";
        child[keep]();
        for (const stream of streams) stream[keep]?.();
      },
      kill: () => void child.kill("SIGKILL"),
      ended,
    };
    for (const stream of streams) stream.on("error", () => undefined);
    for (const stream of [child.stdout, child.stderr]) forEachLine(stream, onLine);
    fromChild.on(
      "data",
      frameReader((frame) => {
        if (frame.kind === frameKinds.ready) {
          clearTimeout(timer);
          started.busy(false);
          resolve(started);
        } else if (frame.kind === frameKinds.refused) failure = readText(frame.body);
        else onFrame(frame);
      }),
    );
    void ended.then((how) => {
      clearTimeout(timer);
      reject(new Error(failure ?? `Node ${how}`));
    });
  });

const forEachLine = (stream: Readable | null, onLine: (line: string) => void): void => {
  let rest = "";
  stream?.setEncoding("utf8");
  stream?.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(onLine);
  });
  stream?.on("end", () => {
    if (rest !== "") onLine(rest);
  });
};
