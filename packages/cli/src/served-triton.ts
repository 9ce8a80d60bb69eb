import type { TritonOptions } from "@tritype/endpoint";
import { noticeOf, type Terminal } from "./terminal.ts";

/** A repository and the selected profile: `configs/<name>.pbtxt` of every model. */
export type Served = Pick<TritonOptions, "repository" | "configName" | "extraArguments">;

/** A real Triton that serves a repository, as in `openTriton`; its notices go to the terminal. */
export const servedTriton = (
  { repository, configName, extraArguments = [] }: Served,
  terminal: Terminal,
): TritonOptions => ({
  repository,
  configName,
  extraArguments,
  env: terminal.env,
  progress: terminal.note,
  notice: noticeOf(terminal),
});
