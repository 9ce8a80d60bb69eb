import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Address, BothServers } from "./both-servers.ts";

/** A run of a program against each server, whose address replaces HTTP and GRPC in `-u HTTP` and `-u GRPC`. */
export interface ProgramRun {
  /** The command as shown in the table, without the words that are the same for all runs. */
  readonly command: string;
  /** The reason why the two servers give different results. */
  readonly differs?: string;
}

interface Result {
  readonly code: number | null;
  readonly output: string;
}

/** A row of a table: what ran, the exit codes of Triton and `pipeline dev`, and how their results compare. */
export type Row = readonly [what: string, theirs: string, ours: string, compared: string];

export interface ProgramOptions {
  /** All words of the command, given those of the run. */
  readonly words: (run: readonly string[]) => readonly string[];
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Removes the parts of an output that differ in every run. */
  readonly comparable: (output: string) => string;
}

/** Runs each program against both servers, one after the other if it uses shared memory, whose names are always the same. */
export const runPrograms = async (
  runs: readonly ProgramRun[],
  { triton, dev }: Pick<BothServers, "triton" | "dev">,
  options: ProgramOptions,
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (const { command, differs } of runs) {
    const first = runAgainst(triton, command, options);
    if (/shm|shared|reuse/.test(command)) await first;
    const [theirs, ours] = await Promise.all([first, runAgainst(dev, command, options)]);
    const alike = theirs.code === ours.code && theirs.output === ours.output;
    const compared = alike ? "alike" : (differs ?? `DIFFERS: ${firstDifference(theirs, ours)}`);
    rows.push([`\`${command}\``, String(theirs.code), String(ours.code), compared]);
  }
  return rows;
};

const runAgainst = async (
  { http, grpc }: Address,
  command: string,
  { words, cwd, env, comparable }: ProgramOptions,
): Promise<Result> => {
  const addresses: Readonly<Record<string, string>> = { HTTP: http, GRPC: grpc };
  const placed = command
    .split(" ")
    .map((word, index, all) => (all[index - 1] === "-u" ? (addresses[word] ?? word) : word));
  const [program = "", ...argv] = words(placed);
  const child = spawn(program, argv, {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
    ...(env && { env }),
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output: comparable(output.replaceAll(http, "HTTP").replaceAll(grpc, "GRPC")) };
};

const firstDifference = (theirs: Result, ours: Result): string => {
  const [wanted, got] = [theirs.output.split("\n"), ours.output.split("\n")];
  const first = wanted.findIndex((line, index) => line !== got[index]);
  const shown = (lines: readonly string[]): string => lines.slice(first, first + 4).join(" / ");
  return `${shown(wanted)} but ${shown(got)}`;
};
