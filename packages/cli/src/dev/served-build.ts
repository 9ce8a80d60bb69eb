import { PipelineError } from "@tritype/core";
import type { Runtime } from "@tritype/runtime";
import { describeError } from "../describe-error.ts";
import type { Terminal } from "../terminal.ts";
import { reloadLines, timeOfDay } from "./reload-report.ts";

/** The build that `dev` serves, and its timestamp. */
export interface ServedBuild {
  /** Serves the current content of the repository and reports the changes. @param since A value of `performance.now()`. */
  reload(since: number): Promise<"changed" | "same" | "failed">;
  /** `still serving the build of 12:03:04`, unless no model has been served so far. */
  sayStillServing(): void;
  /** `12:03:04` */
  time(): string;
}

/** @param afterReload Called after a change or a failed reload. */
export const createServedBuild = (
  runtime: Runtime,
  terminal: Terminal,
  clock: () => Date,
  afterReload: () => void = () => {},
): ServedBuild => {
  let built = clock();
  const time = (): string => timeOfDay(built);
  const sayStillServing = (): void =>
    terminal.note(
      runtime.models().length === 0 ? "no models are served" : `still serving the build of ${time()}`,
    );
  return {
    time,
    sayStillServing,
    reload: async (since) => {
      try {
        const report = await runtime.reload();
        for (const line of reloadLines(report, runtime, performance.now() - since, terminal))
          terminal.note(line);
        const changed = report.loaded.length + report.unloaded.length > 0;
        if (changed || report.failed.length > 0) afterReload();
        if (changed) built = clock();
        else if (report.failed.some(({ serving }) => serving)) sayStillServing();
        return report.failed.length > 0 ? "failed" : changed ? "changed" : "same";
      } catch (error) {
        if (!PipelineError.is(error)) throw error;
        terminal.note(describeError(error, terminal.colors, ""));
        sayStillServing();
        return "failed";
      }
    },
  };
};
