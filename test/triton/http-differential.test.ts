import { join } from "node:path";
import { type HttpServer, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  installTime,
  type Judged,
  judgeRepository,
  type TemporaryFolder,
  temporaryFolder,
  writeFiles,
} from "./judge.ts";
import { judgedModels } from "./judged-models.ts";
import { type RawReply, sendRaw } from "./raw-request.ts";
import { rawRequests } from "./raw-requests.ts";

/** Where the local server means to answer otherwise, and why. An entry that no longer differs fails. */
const differences: Readonly<Record<string, string>> = {
  "the server's metadata": "it says who it is and which extensions it has",
  "no rank, much data": "a scalar has one element; Triton counts none and never looks at its data",
  "an int64 with an exponent":
    "an integer counts as one however it is written; an exact parser for all JSON would be slower",
  "a string with NUL": "ONNX Runtime for Node.js cuts strings at NUL: refused instead of cut",
  "a header length that is no number":
    "releases after 24.10 refuse it as the local server does; 24.10 reads 0",
  "bytes in a string that are no UTF-8":
    "Triton hands such bytes to the model; JSON is UTF-8, so they are refused here, with binary data as the way out",
  "a key given twice": "Triton takes the first of the two, JavaScript's parser the last",
  "gzip that is none": "24.10 takes what it cannot decompress for an empty body",
};

let folder: TemporaryFolder;
let judged: Judged;
let server: HttpServer;
beforeAll(async () => {
  folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  await writeFiles(repository, judgedModels());
  judged = await judgeRepository(repository);
  server = await serveHttp(judged.local, { port: 0 });
}, installTime);
afterAll(async () => {
  await server?.close();
  await judged?.stop();
  await folder.remove();
});

test.each(Object.entries(rawRequests))("%s", async (name, request) => {
  const [wanted, got] = await Promise.all([
    sendRaw(judged.triton.httpUrl, request),
    sendRaw(server.url, request),
  ]);
  if (name in differences) expect(shown(got)).not.toEqual(shown(wanted));
  else expect(shown(got)).toEqual(shown(wanted));
});

test("every difference is one of a request", () => {
  expect(Object.keys(differences).filter((name) => !(name in rawRequests))).toEqual([]);
});

/** Errors and empty answers carry no type worth comparing: Triton calls some of its JSON text/plain. */
const shown = ({ status, headers, body }: RawReply): object => {
  const type = headers["content-type"];
  if (status !== 200 || body.length === 0) return { status, text: body.toString() };
  const header = headers["inference-header-content-length"];
  const length = header === undefined ? body.length : Number(header);
  // RapidJSON writes `Infinity`, which is no JSON.
  const text = body
    .subarray(0, length)
    .toString()
    .replaceAll(/(?<=[[,])-?Infinity/g, '"$&"');
  const json = JSON.parse(text) as Answer;
  const binary = readBinary(json, body.subarray(length));
  // Triton's outputs and maps have no order: they come out of hash tables.
  const outputs = json.outputs?.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { status, type, binary, json: { ...json, ...(outputs && { outputs }) } };
};

interface Answer {
  readonly outputs?: readonly {
    readonly name: string;
    readonly parameters?: { readonly binary_data_size?: number };
  }[];
}

/** The bytes of each output in hex; what is left stands under "". */
const readBinary = ({ outputs = [] }: Answer, bytes: Buffer): Readonly<Record<string, string>> => {
  let at = 0;
  const parts = Array.isArray(outputs)
    ? outputs.map(({ name, parameters }) => {
        const end = at + (parameters?.binary_data_size ?? 0);
        const part = [name, bytes.toString("hex", at, end)] as const;
        at = end;
        return part;
      })
    : [];
  return Object.fromEntries([...parts, ["", bytes.toString("hex", at)]]);
};
