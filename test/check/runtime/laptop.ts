import type { Diagnostic } from "@tritype/core";
import { entries } from "@tritype/check";
import { laptopExceptions } from "../../../packages/runtime/src/repository/laptop-exceptions.ts";

/** Rules about the server's machine, which the local runtime does not know. */
const byMachine: ReadonlySet<string> = new Set([
  "accelerator/unknown",
  "backend/not-installed",
  "backend/op-library-not-found",
  "backend/runtime-not-found",
  "batch/strategy-not-found",
  "instance/gpus-without-gpu",
  "instance/no-gpu",
  "instance/unknown-gpu",
  "repository/agent-not-installed",
]);

const ours: ReadonlySet<string> = new Set(
  entries.flatMap(({ code, judged }) => (judged === "ours" ? [code] : [])),
);

/** Whether a finding is one of Triton's refusals. */
export const isRefusal = ({ code, severity }: Diagnostic): boolean => severity === "error" && !ours.has(code);

/**
 * Whether the local runtime must also refuse a model with this finding: the runtime has the same information as the
 * server, and the rule is not on the list of exceptions.
 */
export const holdsOnLaptop = ({ code }: Diagnostic): boolean =>
  !laptopExceptions.has(code) && !byMachine.has(code);
