import type { TritonOptions } from "@tritype/endpoint";
import { noticeOf, type Terminal } from "./terminal.ts";

/** A repository, and the profile of it: `configs/<name>.pbtxt` of every model. */
export type Served = Pick<TritonOptions, "repository" | "configName">;

/** A real Triton with a repository, as `openTriton` takes it; what it says goes to the terminal. */
export const servedTriton = ({ repository, configName }: Served, terminal: Terminal): TritonOptions => ({
  repository,
  configName,
  env: terminal.env,
  progress: terminal.note,
  notice: noticeOf(terminal),
});
