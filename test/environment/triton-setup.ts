import { installTriton } from "@tritype/tritonserver";
import { cacheFolder } from "@tritype/wheels";
import { notice, prepare } from "./prepare.ts";

export const setup = (): Promise<void> =>
  prepare(() => installTriton({ cache: cacheFolder(process.env), notice }));
