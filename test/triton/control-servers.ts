import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { grpcMethod } from "@tritype/protocol";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import type { LoadParameters, Step } from "./control-sequences.ts";
import { sendRaw } from "./raw-request.ts";

/** A server, called over one protocol. Each answer is one line. */
export interface ControlledServer {
  readonly load: (model: string, parameters?: LoadParameters) => Promise<string>;
  readonly unload: (model: string, dependents?: boolean) => Promise<string>;
  /** The entries of the index, or the error. */
  readonly index: (ready?: boolean) => Promise<readonly IndexEntry[] | string>;
  readonly ask: (model: string, version?: string) => Promise<string>;
  /** The versions in the version policy of the model's configuration. */
  readonly policy: (model: string) => Promise<string>;
  readonly close: () => void;
}

export interface IndexEntry {
  readonly name: string;
  readonly version?: string;
  readonly state?: string;
  readonly reason?: string;
}

const configText = (config: string | object): string =>
  typeof config === "string" ? config : JSON.stringify(config);

export const overHttp = (url: string): ControlledServer => {
  const post = async (path: string, body?: string): Promise<string> => {
    const reply = await sendRaw(url, { method: "POST", path, ...(body === undefined ? {} : { body }) });
    return `${reply.status} ${reply.body.toString()}`.trim();
  };
  const control = (model: string, action: string, parameters: object | undefined): Promise<string> =>
    post(
      `/v2/repository/models/${model}/${action}`,
      parameters === undefined ? undefined : JSON.stringify({ parameters }),
    );
  return {
    load: (model, parameters) =>
      control(
        model,
        "load",
        parameters && {
          ...(parameters.config === undefined ? {} : { config: configText(parameters.config) }),
          ...Object.fromEntries(
            Object.entries(parameters.files ?? {}).map(([path, text]) => [
              `file:${path}`,
              Buffer.from(text).toString("base64"),
            ]),
          ),
        },
      ),
    unload: (model, dependents) =>
      control(model, "unload", dependents === undefined ? undefined : { unload_dependents: dependents }),
    index: async (ready) => {
      const text = await post(
        "/v2/repository/index",
        ready === undefined ? undefined : JSON.stringify({ ready }),
      );
      return text.startsWith("200 ") ? (JSON.parse(text.slice(4)) as readonly IndexEntry[]) : text;
    },
    ask: async (model, version) => {
      const path = `/v2/models/${model}${version === undefined ? "" : `/versions/${version}`}/infer`;
      const input = { name: "X", datatype: "FP32", shape: [1], data: [0] };
      const text = await post(path, JSON.stringify({ inputs: [input] }));
      if (!text.startsWith("200 ")) return text;
      const answer = JSON.parse(text.slice(4)) as {
        readonly model_version: string;
        readonly outputs: readonly { readonly data: readonly number[] }[];
      };
      return `version ${answer.model_version} makes ${answer.outputs[0]?.data[0]}`;
    },
    policy: async (model) => {
      const { body } = await sendRaw(url, { path: `/v2/models/${model}/config` });
      return /"version_policy":\{"specific":\{"versions":\[([^\]]*)\]/.exec(body.toString())?.[1] ?? "none";
    },
    close: () => {},
  };
};

/** Makes one call on its own connection. Returns "OK" or the error. */
export const callGrpc = async (address: string, method: string, message: object): Promise<string> => {
  const client = new Client(address, credentials.createInsecure());
  try {
    const answer = await callOf(client)(method, message);
    return typeof answer === "string" ? answer : "OK";
  } finally {
    client.close();
  }
};

export const callGrpcReady = async (address: string): Promise<boolean> => {
  const client = new Client(address, credentials.createInsecure());
  try {
    const answer = await callOf(client)("ServerReady", {});
    return (answer as { readonly ready?: boolean }).ready === true;
  } finally {
    client.close();
  }
};

const callOf =
  (client: Client) =>
  (name: string, message: object): Promise<object | string> =>
    new Promise((resolve, reject) => {
      const { path, request, response } = grpcMethod(name);
      client.makeUnaryRequest(
        path,
        (value: object) => Buffer.from(request.encode(value)),
        response.decode as (bytes: Uint8Array) => object,
        message,
        new Metadata(),
        { deadline: Date.now() + 110_000 },
        (error: ServiceError | null, answer) => {
          if (error !== null) resolve(`${status[error.code]} ${error.details}`);
          else if (answer === undefined) reject(new Error(`${name} has no answer`));
          else resolve(answer);
        },
      );
    });

export const overGrpc = (address: string): ControlledServer => {
  const client = new Client(address, credentials.createInsecure());
  const call = callOf(client);
  const done = async (name: string, message: object): Promise<string> => {
    const answer = await call(name, message);
    return typeof answer === "string" ? answer : "OK";
  };
  return {
    load: (model_name, { config, files = {} } = {}) =>
      done("RepositoryModelLoad", {
        model_name,
        parameters: {
          ...(config === undefined ? {} : { config: { string_param: configText(config) } }),
          ...Object.fromEntries(
            Object.entries(files).map(([path, text]) => [`file:${path}`, { bytes_param: Buffer.from(text) }]),
          ),
        },
      }),
    unload: (model_name, dependents) =>
      done("RepositoryModelUnload", {
        model_name,
        ...(dependents === undefined
          ? {}
          : { parameters: { unload_dependents: { bool_param: dependents } } }),
      }),
    index: async (ready = false) => {
      const answer = await call("RepositoryIndex", { ready });
      return typeof answer === "string" ? answer : (answer as { models: readonly IndexEntry[] }).models;
    },
    ask: async (model_name, model_version = "") => {
      const answer = await call("ModelInfer", {
        model_name,
        model_version,
        inputs: [{ name: "X", datatype: "FP32", shape: [1], contents: { fp32_contents: [0] } }],
      });
      if (typeof answer === "string") return answer;
      const { model_version: version, raw_output_contents: outputs } = answer as {
        readonly model_version: string;
        readonly raw_output_contents: readonly Uint8Array[];
      };
      return `version ${version} makes ${Buffer.from(outputs[0] ?? []).readFloatLE()}`;
    },
    policy: async (name) => {
      const answer = (await call("ModelConfig", { name })) as {
        readonly config?: {
          readonly version_policy?: { readonly specific?: { readonly versions: readonly string[] } };
        };
      };
      return answer.config?.version_policy?.specific?.versions.join(",") ?? "none";
    },
    close: () => client.close(),
  };
};

/** Runs the steps one after the other. Returns a line for each request. */
export const runSteps = async (
  steps: readonly Step[],
  server: ControlledServer,
  repository: string,
  prefix: string,
): Promise<readonly string[]> => {
  const lines: string[] = [];
  for (const step of steps) {
    if (step.kind === "write") {
      // Triton detects a change by the modification time, which has a resolution of a few milliseconds.
      await sleep(20);
      writeFiles(repository, step.files);
    } else if (step.kind === "remove") await rm(join(repository, step.path), { recursive: true });
    else lines.push(...(await runStep(step, server, prefix)));
  }
  return lines.map((line) => shown(line, repository).replaceAll(prefix, ""));
};

type Asked = Exclude<Step, { readonly kind: "write" | "remove" }>;
const runStep = async (step: Asked, server: ControlledServer, prefix: string): Promise<readonly string[]> => {
  if (step.kind === "index") return settledIndex(server, prefix, step.ready);
  const { kind, model } = step;
  if (kind === "policy") return [`versions of ${model}: ${await server.policy(model)}`];
  if (kind === "ask") {
    const { version } = step;
    return [`ask ${model}${version === undefined ? "" : ` ${version}`}: ${await server.ask(model, version)}`];
  }
  if (kind === "unload") {
    const answer = await server.unload(model, step.dependents);
    return [`unload ${model}${step.dependents === true ? " and dependents" : ""}: ${answer}`];
  }
  const { config, files = {} } = step.parameters ?? {};
  const what = [...(config === undefined ? [] : ["a configuration"]), ...Object.keys(files)].join(", ");
  return [`load ${model}${what === "" ? "" : ` with ${what}`}: ${await server.load(model, step.parameters)}`];
};

/** The sequence's entries in the index, once no model is being unloaded. */
const settledIndex = async (
  server: ControlledServer,
  prefix: string,
  ready: boolean | undefined,
): Promise<readonly string[]> => {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const entries = await server.index();
    if (typeof entries === "string") return [`index: ${entries}`];
    const own = entries.filter(({ name }) => name.startsWith(prefix));
    if (own.some(({ state }) => state === "UNLOADING") && Date.now() < deadline) {
      // Triton takes more than a second.
      await sleep(100);
      continue;
    }
    if (ready === undefined) return own.map(indexLine);
    const asked = await server.index(ready);
    if (typeof asked === "string") return [`index: ${asked}`];
    return ["ready:", ...asked.filter(({ name }) => name.startsWith(prefix)).map(indexLine)];
  }
};

const indexLine = ({ name, version = "", state = "", reason = "" }: IndexEntry): string =>
  `index: ${[name, version, state, reason].filter((text) => text !== "").join(" ")}`;

const shown = (line: string, repository: string): string =>
  line.replaceAll(repository, "<repository>").replaceAll(/\/tmp\/[\w-]+/g, "<folder>");
