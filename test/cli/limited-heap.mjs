/** A thread that runs a command, for tests that limit its heap. */
import { workerData } from "node:worker_threads";
import { createTerminal, main } from "@tritype/cli";

const { cwd, args } = workerData;
process.exitCode = await main(args, { ...createTerminal(), cwd }, "0.1.0");
