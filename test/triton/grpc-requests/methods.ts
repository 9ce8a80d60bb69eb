import type { GrpcRequest } from "../grpc-call.ts";
import type { GrpcRequests } from "./infer-message.ts";

const call = (method: string, message: object = {}): GrpcRequest => ({ method, message });

/** Names and versions, for the methods that take both. */
const models: Readonly<Record<string, object>> = {
  "a model": { name: "sum" },
  "a version": { name: "sum", version: "1" },
  "an ensemble": { name: "sum_twice" },
  "a reshaped model": { name: "scalar" },
  "names that are not ASCII": { name: "names" },
  "an unknown model": { name: "nope" },
  "an unknown version": { name: "sum", version: "9" },
  "a version that is not a number": { name: "sum", version: "x" },
  "a version with more behind": { name: "sum", version: "1x" },
  "a version with a space": { name: "sum", version: " 1" },
  "a version with a plus": { name: "sum", version: "+1" },
  "a version with zeros": { name: "sum", version: "001" },
  "a version below 0": { name: "sum", version: "-1" },
  "a version further below 0": { name: "sum", version: "-2" },
  "version 0": { name: "sum", version: "0" },
  "a version that is a fraction": { name: "sum", version: "1.5" },
  "a version beyond int64": { name: "sum", version: "99999999999999999999" },
  "no name": {},
  "a name in other letters": { name: "Sum" },
};

const each = (method: string): GrpcRequests =>
  Object.fromEntries(
    Object.entries(models).map(([what, message]) => [`${method} of ${what}`, call(method, message)]),
  );

/** Bytes that are not a valid message of the method. */
const broken: Readonly<Record<string, Uint8Array>> = {
  "bytes that are none": Buffer.from([0xff, 0xff, 0xff, 0xff]),
  "a field cut off": Buffer.from([10, 20, 97]),
  "an unknown field": Buffer.from([10, 3, 115, 117, 109, 250, 6, 1, 97]),
  "a name that is not UTF-8": Buffer.from([10, 2, 0xff, 0xfe]),
  "a field of another kind": Buffer.from([8, 1]),
};

/** Every method except inference, and invalid messages. */
export const methods: GrpcRequests = {
  ServerLive: call("ServerLive"),
  ServerReady: call("ServerReady"),
  ServerMetadata: call("ServerMetadata"),
  ...each("ModelReady"),
  ...each("ModelMetadata"),
  ...each("ModelConfig"),
  "ModelStatistics of an unknown model": call("ModelStatistics", { name: "nope" }),
  "ModelStatistics of an unknown version": call("ModelStatistics", { name: "sum", version: "9" }),
  "ModelStatistics of a version that is not a number": call("ModelStatistics", { name: "sum", version: "x" }),
  RepositoryIndex: call("RepositoryIndex"),
  "RepositoryIndex of what is ready": call("RepositoryIndex", { ready: true }),
  "RepositoryIndex of a repository by name": call("RepositoryIndex", { repository_name: "other" }),
  RepositoryModelLoad: call("RepositoryModelLoad", { model_name: "sum" }),
  RepositoryModelUnload: call("RepositoryModelUnload", { model_name: "sum" }),
  SystemSharedMemoryStatus: call("SystemSharedMemoryStatus"),
  CudaSharedMemoryStatus: call("CudaSharedMemoryStatus"),
  TraceSetting: call("TraceSetting"),
  LogSettings: call("LogSettings"),
  ...Object.fromEntries(
    Object.entries(broken).flatMap(([what, message]) =>
      ["ModelMetadata", "ModelInfer", "ServerLive"].map((method) => [
        `${method} of ${what}`,
        { method, message },
      ]),
    ),
  ),
};
