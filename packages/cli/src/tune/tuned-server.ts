import type { Device } from "@tritype/runtime";
import { type Given, usage } from "../command.ts";
import { givenHeaders } from "../given-headers.ts";
import { deviceOf } from "../project/device.ts";
import { serverUrl } from "../server-url.ts";
import type { Terminal } from "../terminal.ts";

/** The server that measures candidates, according to the options. */
export interface TunedServer {
  /** The address of a running server; undefined if this process starts one for each candidate. */
  readonly http: string | undefined;
  readonly headers: ReturnType<typeof givenHeaders>;
  readonly device: Device;
  /** Default: the processors of the profile, or else of this machine. */
  readonly cores: number | undefined;
}

/** @throws PipelineError `usage/invalid` */
export const tunedServer = (given: Given, terminal: Terminal): TunedServer => {
  const url = given.text("url");
  for (const flag of ["triton", "python"])
    if (url !== undefined && given.flag(flag))
      throw usage(`--${flag} starts a server, --url uses a running one`, "remove one of them");
  return {
    http: url === undefined ? undefined : serverUrl(url, "url").href,
    headers: givenHeaders(given, terminal),
    device: deviceOf(given, "cpu"),
    cores: given.integer("cores", [1, 1024]),
  };
};
