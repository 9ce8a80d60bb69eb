import { type IncomingMessage, request as httpRequest, type ServerResponse } from "node:http";
import { startRuntime } from "@tritype/runtime";
import { serveHttp } from "@tritype/server";
import { expect, onTestFinished } from "vitest";
import { answerHttp } from "../fixtures/listen.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { pipeline } from "./run-pipeline.ts";
import { pipelineSource } from "./small-project.ts";

/** The pipeline of the small project, with a sample. */
export const warm = (source = pipelineSource): string =>
  source.replace(/\}\);\n$/, '  warmup: [{ name: "ones", inputs: { x: [[1, 1, 1, 1]] } }],\n});\n');

/** Builds a project, and serves it. */
export const serveBuild = async (made: ProjectFixture): Promise<string> => {
  expect(await pipeline(made, ["build"])).toMatchObject({ code: 0 });
  return serve(made);
};

/** Serves the last build of a project until the test ends, like a deployed server. Returns its address. */
export const serve = async (made: ProjectFixture): Promise<string> => {
  const runtime = await startRuntime({
    repository: made.path("build/model_repository"),
    device: "cpu",
    python: "twin",
    notice: () => {},
  });
  const server = await serveHttp(runtime, { port: 0 });
  onTestFinished(async () => {
    await server.close();
    await runtime.close();
  });
  return server.url;
};

/** One string for each line of output: the model, the check and its result. */
export const checked = (out: string): readonly string[] =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/).slice(0, 3).join(" "));

/** A proxy of a server that calls itself `name`. Returns its address. */
export const namedServer = (url: string, name: string): Promise<string> =>
  answerHttp((request, response) => {
    if (request.url === "/v2") response.end(JSON.stringify({ name, version: "2.51.0", extensions: [] }));
    else passOn(url, request, response);
  });

const passOn = (url: string, request: IncomingMessage, response: ServerResponse): void => {
  const { method, headers } = request;
  const passed = httpRequest(`${url}${request.url ?? ""}`, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  request.pipe(passed);
};

/** A proxy that passes requests on, except inferences after the first ones. Returns its address. */
export const proxyOf = (
  url: string,
  passedOn: number,
  otherwise: (response: ServerResponse, pass: () => void) => void,
): Promise<string> => {
  let inferences = 0;
  return answerHttp((request, response) => {
    const pass = (): void => passOn(url, request, response);
    if (request.url?.endsWith("/infer") === true && ++inferences > passedOn) otherwise(response, pass);
    else pass();
  });
};
