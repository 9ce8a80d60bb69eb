import type { Diagnostic, StepDefinition } from "@tritype/core";
import { definedAt, writtenAt } from "../check/check-declaration.ts";
import { nearFileHelp } from "../files/near-file.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { diagnoseBackend } from "./backend-diagnostics.ts";
import type { StrangeFile } from "./file-kind.ts";

/** The file that a step, or one of its versions, names as `file`. */
export interface ModelFileBytes {
  readonly file: string;
  /** Undefined if there is no such file, in which case the diagnostics explain why. */
  readonly bytes: Uint8Array | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The finding for a file that is not the `wanted` model. */
export const notReadable = (
  step: StepDefinition,
  file: string,
  wanted: string,
  { problem, help }: StrangeFile,
): Diagnostic =>
  diagnoseBackend("step-file/not-readable", {
    with: { step: step.name, file, wanted, problem },
    labels: definedAt(step),
    help,
  });

/** @param wanted The expected file, such as "its plan". */
export const readModelFile = (
  step: StepDefinition,
  file: string | undefined,
  host: CompilerHost,
  wanted: string,
): ModelFileBytes => {
  const at = { labels: writtenAt(step, "file") };
  if (file === undefined || file === "")
    return {
      file: "",
      bytes: undefined,
      diagnostics: [
        diagnoseBackend("step-file/none", { with: { step: step.name, what: "no `file`", wanted }, ...at }),
      ],
    };
  const bytes = host.readFile(file);
  return {
    file,
    bytes,
    diagnostics:
      bytes === undefined
        ? [
            diagnoseBackend("step-file/not-found", {
              with: { step: step.name, file },
              ...at,
              ...nearFileHelp(host, file),
            }),
          ]
        : [],
  };
};
