import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { RawRequest } from "../triton/raw-request.ts";

/** One folder of `models`: a model and its requests, in order. */
export interface ConformanceModel {
  readonly name: string;
  /** Whether it has a model.py; an ensemble has none. */
  readonly python: boolean;
  readonly requests: readonly RawRequest[];
}

const usualConfig = `backend: "python"
input [ { name: "X" data_type: TYPE_STRING dims: [ -1 ] } ]
output [ { name: "Y" data_type: TYPE_STRING dims: [ -1 ] } ]
`;

export const readConformanceModels = async (folder: string): Promise<readonly ConformanceModel[]> =>
  Promise.all(
    (await readdir(folder)).toSorted().map(async (name) => {
      const files = await readdir(join(folder, name));
      const requests = files.includes("requests.json") ? await readRequests(join(folder, name)) : [];
      return { name, python: files.includes("model.py"), requests };
    }),
  );

/**
 * Makes a model repository of the folders: `*.py` and the content of a folder "2" become files of the versions. Without
 * a config.pbtxt, a model has `X` and `Y`, any number of strings.
 */
export const writeConformanceModels = async (folder: string, repository: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    const [from, to] = [join(folder, name), join(repository, name)];
    const files = await readdir(from);
    await mkdir(join(to, "1"), { recursive: true });
    if (!files.includes("config.pbtxt")) await writeFile(join(to, "config.pbtxt"), usualConfig);
    for (const file of files.filter((one) => one !== "requests.json"))
      await cp(join(from, file), join(to, file.endsWith(".py") ? "1" : "", file), { recursive: true });
  }
};

/** Elements of X, a body, or a body followed by the hex digits of its binary data. */
type Written = readonly string[] | Readonly<Record<string, unknown>>;

const readRequests = async (folder: string): Promise<readonly RawRequest[]> => {
  const written = JSON.parse(await readFile(join(folder, "requests.json"), "utf8")) as readonly Written[];
  const path = `/v2/models/${basename(folder)}/infer`;
  return written.map((request) => {
    if (Array.isArray(request)) return { path, body: JSON.stringify({ inputs: [texts(request)] }) };
    const { hex, body = request } = request as { readonly hex?: string; readonly body?: unknown };
    const head = Buffer.from(JSON.stringify(body));
    if (hex === undefined) return { path, body: head };
    const headers = { "Inference-Header-Content-Length": String(head.length) };
    return { path, headers, body: Buffer.concat([head, Buffer.from(hex, "hex")]) };
  });
};

const texts = (data: readonly string[]): object => ({
  name: "X",
  datatype: "BYTES",
  shape: [data.length],
  data,
});
