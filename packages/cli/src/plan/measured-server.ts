import type { NamedTensors } from "@tritype/core";
import { type Endpoint, openLocal, openRemote, openTriton, refuseUnserved } from "@tritype/endpoint";
import { httpTarget, type Target } from "@tritype/load-test";
import type { ModelStatistics } from "@tritype/protocol";
import { orClosed } from "../close-all.ts";
import { ownVersion } from "../own-version.ts";
import type { Given } from "../command.ts";
import { deviceOf } from "../project/device.ts";
import { type Served, servedTriton } from "../served-triton.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { type ProcessorTime, processorTimeOf } from "./processor-time.ts";

/** A server whose models are measured one by one. */
export interface MeasuredServer {
  readonly endpoint: Endpoint;
  /** "triton 2.51.0" */
  readonly name: string;
  /** The profile that it serves. */
  readonly configName: string | undefined;
  readonly statistics: () => Promise<readonly ModelStatistics[]>;
  /** The processor time that the server has used; undefined if unknown. */
  readonly processorTime: () => ProcessorTime | undefined;
  /** Clients that send these requests to a model. */
  readonly target: (model: string, requests: readonly NamedTensors[]) => Target;
  readonly close: () => Promise<void>;
}

/** Milliseconds that a request may take. */
const timeoutMs = 60_000;

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
  const { name, version } = await orClosed({ close }, () => endpoint.client.serverMetadata());
  const { pid, configName } = server;
  return {
    endpoint,
    name: `${name} ${version}`,
    configName,
    statistics: () => endpoint.client.statistics(),
    target: (model, requests) =>
      httpTarget(server.http, { model, requests: requests.map((inputs) => ({ inputs })), timeoutMs }),
    processorTime: () => (pid === undefined ? undefined : processorTimeOf(pid)),
    close,
  };
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
  await orClosed(endpoint, () => refuseUnserved(endpoint.runtime.models()));
  return {
    endpoint,
    name: `tritype ${ownVersion()}`,
    configName,
    statistics: async () => endpoint.runtime.statistics(),
    target: (model, requests) => ({
      requests: requests.length,
      open: () => ({
        send: (index) =>
          endpoint.infer(model, requests[index] as NamedTensors).then(
            () => undefined,
            (error: unknown) => ({ status: "failed", message: (error as Error).message, lost: false }),
          ),
        close: () => undefined,
      }),
    }),
    processorTime: () => processorTimeOf(process.pid),
    close: endpoint.close,
  };
};
