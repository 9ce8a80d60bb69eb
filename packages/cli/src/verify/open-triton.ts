import { grpcClient, httpClient, type InferenceClient } from "@tritype/client";
import type { NamedTensors } from "@tritype/core";
import { serveTriton } from "@tritype/tritonserver";
import type { Given } from "../command.ts";
import { serverUrl } from "../server-url.ts";
import type { Terminal } from "../terminal.ts";
import { tritonFor } from "../triton/triton-for.ts";

/** Ways to ask a real Triton, and a Python that has what emitted models import; undefined for a server that is not ours. */
export interface OpenTriton {
  readonly runs: readonly {
    readonly name: string;
    infer(model: string, inputs: NamedTensors): Promise<NamedTensors>;
  }[];
  readonly python: string | undefined;
  /** The profile that it serves. */
  readonly configName: string | undefined;
}

/** The models that our Triton serves: `configName` takes `configs/<name>.pbtxt` of every model. */
interface Served {
  readonly repository: string;
  readonly configName: string | undefined;
}

/** A real Triton over HTTP and gRPC: the one `--triton-url` names, else our own with the repository. */
export const openTriton = async (
  given: Given,
  served: Served,
  terminal: Terminal,
  resources: (() => Promise<void>)[],
): Promise<OpenTriton> => {
  const { http, grpc, python, configName } = await addresses(given, served, terminal, resources);
  const clients: readonly (readonly [string, InferenceClient])[] = [
    ["triton http", httpClient(http)],
    ["triton grpc", grpcClient(grpc)],
  ];
  const runs = clients.map(([name, client]) => {
    resources.push(async () => client.close());
    return { name, infer: (model: string, inputs: NamedTensors) => client.infer({ model, inputs }) };
  });
  return { runs, python, configName };
};

interface Addresses extends Pick<OpenTriton, "python" | "configName"> {
  readonly http: string;
  readonly grpc: string;
}

const addresses = async (
  given: Given,
  served: Served,
  terminal: Terminal,
  resources: (() => Promise<void>)[],
): Promise<Addresses> => {
  const url = given.text("triton-url");
  if (url !== undefined) {
    const { href, hostname, port } = serverUrl(url, "triton-url");
    return {
      http: href,
      grpc: given.text("triton-grpc") ?? `${hostname}:${Number(port || 80) + 1}`,
      python: undefined,
      configName: served.configName,
    };
  }
  const { installation, configName } = await tritonFor(served.repository, served.configName, terminal);
  const server = await serveTriton(installation, { ...served, configName });
  resources.push(() => server.stop());
  await server.waitReady();
  return {
    http: server.httpUrl,
    grpc: server.grpcAddress,
    python: installation.kind === "wheel" ? installation.python : undefined,
    configName,
  };
};
