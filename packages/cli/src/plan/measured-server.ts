import { type Endpoint, openLocal, openRemote, openTriton, refuseUnserved } from "@tritype/endpoint";
import type { ModelStatistics } from "@tritype/protocol";
import { ownVersion } from "../bench/own-version.ts";
import type { Given } from "../command.ts";
import { deviceOf } from "../project/device.ts";
import { type Served, servedTriton } from "../served-triton.ts";
import { noticeOf, type Terminal } from "../terminal.ts";

/** A server whose models are measured one by one. */
export interface MeasuredServer {
  readonly endpoint: Endpoint;
  /** "triton 2.51.0" */
  readonly name: string;
  readonly statistics: () => Promise<readonly ModelStatistics[]>;
  readonly close: () => Promise<void>;
}

/** The build in the local runtime, or with `--triton` in a real Triton. */
export const openMeasured = (
  served: Served,
  device: ReturnType<typeof deviceOf>,
  given: Given,
  terminal: Terminal,
): Promise<MeasuredServer> =>
  given.flag("triton") ? inTriton(served, terminal) : inProcess(served, device, given, terminal);

const inTriton = async (served: Served, terminal: Terminal): Promise<MeasuredServer> => {
  const server = await openTriton(servedTriton(served, terminal));
  const endpoint = await openRemote("Triton", server);
  const close = async (): Promise<void> => {
    await endpoint.close();
    await server.close();
  };
  try {
    const { name, version } = await endpoint.client.serverMetadata();
    return { endpoint, name: `${name} ${version}`, statistics: () => endpoint.client.statistics(), close };
  } catch (error) {
    await close();
    throw error;
  }
};

const inProcess = async (
  { repository, configName }: Served,
  device: ReturnType<typeof deviceOf>,
  given: Given,
  terminal: Terminal,
): Promise<MeasuredServer> => {
  const endpoint = await openLocal("the build", {
    repository,
    configName,
    device,
    python: given.flag("python") ? "always" : "twin",
    pythonCommand: terminal.env["TRITYPE_PYTHON"],
    notice: noticeOf(terminal),
  });
  try {
    refuseUnserved(endpoint.runtime.models());
  } catch (error) {
    await endpoint.close();
    throw error;
  }
  return {
    endpoint,
    name: `tritype ${ownVersion()}`,
    statistics: async () => endpoint.runtime.statistics(),
    close: endpoint.close,
  };
};
