import type { RawRequest } from "./raw-request.ts";

interface Asked {
  /** The reason why the local server deliberately answers differently. */
  readonly differs?: string;
}
const load = (body?: string): { readonly request: RawRequest } => ({
  request: {
    method: "POST",
    path: "/v2/repository/models/raw/load",
    ...(body === undefined ? {} : { body }),
  },
});
const unload = (body: string): { readonly request: RawRequest } => ({
  request: { path: "/v2/repository/models/raw/unload", body },
});
const post = (path: string, body = "", more: Asked = {}): Asked & { readonly request: RawRequest } => ({
  request: { path: `/v2/repository${path}`, body },
  ...more,
});

/** Unusual model control requests over HTTP. */
export const httpControlRequests: Readonly<Record<string, Asked & { readonly request: RawRequest }>> = {
  "load without a body": load(),
  "load with an empty object": load("{}"),
  "load with a list": load("[1]"),
  "load with no JSON": load("{"),
  "parameters that are a list": load('{"parameters":[1]}'),
  "parameters that are a text": load('{"parameters":"x"}'),
  "parameters that are null": load('{"parameters":null}'),
  "a configuration that is an object": load('{"parameters":{"config":{}}}'),
  "a configuration that is a number": load('{"parameters":{"config":1}}'),
  "a configuration that is null": load('{"parameters":{"config":null}}'),
  "a parameter that there is not": load('{"parameters":{"other":"x"}}'),
  "a number that there is not": load('{"parameters":{"other":1}}'),
  "a file that is a number": load('{"parameters":{"file:1/model.py":1}}'),
  "a file that is not base64": load('{"parameters":{"file:1/model.py":"%%%"}}'),
  "keys beside the parameters": load('{"config":"x","other":1}'),
  "unload with no JSON": unload("{"),
  "unload with a list": unload('{"parameters":[1]}'),
  "unload_dependents that is a text": unload('{"parameters":{"unload_dependents":"true"}}'),
  "unload_dependents that is a number": unload('{"parameters":{"unload_dependents":1}}'),
  "an unload parameter that there is not": unload('{"parameters":{"other":1}}'),
  "unload of an unknown model": post("/models/nobody/unload"),
  "index with no JSON": post("/index", "{"),
  "ready that is a text": post("/index", '{"ready":"yes"}'),
  "ready that is null": post("/index", '{"ready":null}'),
  "index with GET": { request: { path: "/v2/repository/index" } },
  "load with GET": { request: { path: "/v2/repository/models/raw/load" } },
  "load with PUT": { request: { method: "PUT", path: "/v2/repository/models/raw/load", body: "{}" } },
  "load of a named repository": post("/mine/models/raw/load"),
  "unload of a named repository": post("/mine/models/raw/unload", "{"),
  "another action": post("/models/raw/reload"),
  "no model": post("/models//load"),
  "load of a version": post("/models/raw/versions/1/load"),
  "two dots": post("/models/../load", "", {
    differs: "refused as what it is, as releases after 24.10 do: 24.10 reads the folder above",
  }),
  "two dots, encoded": post("/models/%2e%2e/load"),
  "one dot": post("/models/./load"),
  "a slash, encoded": post("/models/x%2fy/load"),
  "two dots are not unloaded": post("/models/../unload"),
};

const raw = { model_name: "raw" };
/** Unusual model control requests over gRPC. */
export const grpcControlRequests: Readonly<
  Record<string, Asked & { readonly method: string; readonly message: object }>
> = {
  "load of a named repository": {
    method: "RepositoryModelLoad",
    message: { ...raw, repository_name: "mine" },
  },
  "unload of a named repository": {
    method: "RepositoryModelUnload",
    message: { ...raw, repository_name: "mine" },
  },
  "index of a named repository": { method: "RepositoryIndex", message: { repository_name: "mine" } },
  "a configuration that is a boolean": {
    method: "RepositoryModelLoad",
    message: { ...raw, parameters: { config: { bool_param: true } } },
  },
  "a configuration that is nothing": {
    method: "RepositoryModelLoad",
    message: { ...raw, parameters: { config: {} } },
  },
  "a file that is a text": {
    method: "RepositoryModelLoad",
    message: { ...raw, parameters: { "file:1/model.py": { string_param: "x" } } },
  },
  "a parameter that there is not": {
    method: "RepositoryModelLoad",
    message: { ...raw, parameters: { other: { int64_param: 1 } } },
  },
  "unload_dependents that is a text": {
    method: "RepositoryModelUnload",
    message: { ...raw, parameters: { unload_dependents: { string_param: "true" } } },
  },
  "an unload parameter that there is not": {
    method: "RepositoryModelUnload",
    message: { ...raw, parameters: { other: { bool_param: true } } },
  },
  "a path": {
    method: "RepositoryModelLoad",
    message: { model_name: "../local/model_repository/raw" },
    differs: "refused as what it is, as releases after 24.10 do",
  },
  "an absolute path": {
    method: "RepositoryModelLoad",
    message: { model_name: "/etc" },
    differs: "refused as what it is, as releases after 24.10 do",
  },
  "no name": {
    method: "RepositoryModelLoad",
    message: { model_name: "" },
    differs: "refused as what it is, as releases after 24.10 do: 24.10 reads the repository as a model",
  },
  "unload of a path": { method: "RepositoryModelUnload", message: { model_name: "../x" } },
};
