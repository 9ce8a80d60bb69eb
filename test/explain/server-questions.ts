import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { PipelineError } from "@tritype/core";
import { serveTriton, type TritonServer, type WheelInstallation } from "@tritype/tritonserver";
import { killTriton } from "../triton/judge.ts";
import { sendRaw, type RawRequest } from "../triton/raw-request.ts";
import { httpRequests } from "../triton/http-requests/corpus.ts";
import { httpQuestions } from "./http-questions.ts";
import { type RecordedMessage, withoutPlaces } from "./recorded-messages.ts";

type Said = Pick<RecordedMessage, "about" | "from" | "text">;

/**
 * The messages of a server with `judgedModels` and `oddModels` for all invalid requests: over HTTP, to its clients, in its log.
 */
export const askEverything = async (
  triton: TritonServer,
  { python }: WheelInstallation,
): Promise<readonly Said[]> => {
  const { headers: _, ...subjects } = httpRequests;
  const differential: Readonly<Record<string, RawRequest>> = Object.assign({}, ...Object.values(subjects));
  const http = await answersTo(triton, { ...differential, ...httpQuestions }, "http");
  const script = fileURLToPath(new URL("ask.py", import.meta.url));
  const addresses = [triton.httpUrl.replace("http://", ""), triton.grpcAddress];
  const { stdout } = await promisify(execFile)(python, [script, ...addresses], {
    maxBuffer: 2 ** 26,
    timeout: 120_000,
  });
  const answers = Object.entries(JSON.parse(stdout) as Readonly<Record<string, string>>);
  const client = answers.map(([about, text]): Said => ({ about, from: "client", text: withoutPlaces(text) }));
  return [...http, ...client.filter(({ text }) => text !== ""), ...logged(triton)];
};

/** The messages of a server in explicit mode for loads that fail. */
export const askToLoad = async (
  installation: WheelInstallation,
  repository: string,
): Promise<readonly Said[]> => {
  const extraArguments = ["--model-control-mode=explicit"];
  const triton = await serveTriton(installation, { repository, strict: false, extraArguments });
  try {
    return await answersTo(triton, loads, "load");
  } finally {
    await killTriton(triton);
  }
};

const load = (model: string, parameters: object = {}): RawRequest => ({
  path: `/v2/repository/models/${model}/load`,
  body: JSON.stringify({ parameters }),
});
const loads: Readonly<Record<string, RawRequest>> = {
  "load of an unknown model": load("nope"),
  "load of Python that raises": load("raises"),
  "load of a module that is not there": load("no_module"),
  "load of a broken configuration": load("odd", { config: "{" }),
  "load of an unknown field": load("odd", { config: '{"max_batch": 3}' }),
  "load of a negative batch": load("odd", { config: '{"backend":"python","max_batch_size":-3}' }),
  "load with another parameter": load("odd", { colour: "red" }),
  "load of a file without a configuration": load("odd", { "file:1/model.py": "AAAA" }),
};

/** Triton's messages when it cannot start. */
export const askToStart = async (
  installation: WheelInstallation,
  repository: string,
  taken: TritonServer,
): Promise<readonly Said[]> => {
  const failures: Readonly<Record<string, Parameters<typeof serveTriton>[1]>> = {
    "a port that is already in use": {
      repository,
      httpPort: Number(new URL(taken.httpUrl).port),
      extraArguments: ["--model-control-mode=explicit"],
    },
    "two wildcards": {
      repository,
      extraArguments: ["--model-control-mode=explicit", "--load-model=*", "--load-model=odd"],
    },
  };
  const said: Said[] = [];
  for (const [about, options] of Object.entries(failures)) {
    try {
      await (await serveTriton(installation, options)).stop();
    } catch (error) {
      if (!PipelineError.is(error)) throw error;
      said.push({ about, from: "start", text: withoutPlaces(error.message) });
    }
  }
  return said;
};

const answersTo = async (
  triton: TritonServer,
  requests: Readonly<Record<string, RawRequest>>,
  from: Said["from"],
): Promise<readonly Said[]> => {
  const said: Said[] = [];
  for (const [name, request] of Object.entries(requests)) {
    const { status, body } = await sendRaw(triton.httpUrl, request);
    const text = body.toString();
    if ((status !== 200 && text !== "") || text.startsWith('{"error"'))
      said.push({ about: `HTTP: ${name}`, from, text: withoutPlaces(text) });
  }
  return said;
};

/** Errors in the log, each kind once. */
const logged = (triton: TritonServer): readonly Said[] => {
  const lines = triton
    .log()
    .split("\n")
    .map(withoutPlaces)
    .filter((line) => /^[EW]\d{4} /.test(line));
  return [...new Set(lines)].map((text) => ({
    about: `log: ${text.replace(/^\w+ \S+ \d+ /, "").slice(0, 300)}`,
    from: "log",
    text,
  }));
};
