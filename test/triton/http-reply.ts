import type { RawReply } from "./raw-request.ts";

export const shown = ({ status, headers, body }: RawReply): object => {
  const type = headers["content-type"];
  if (status !== 200 || body.length === 0) return { status, type, text: body.toString() };
  const header = headers["inference-header-content-length"];
  const length = header === undefined ? body.length : Number(header);
  // RapidJSON writes `Infinity`, which is not JSON.
  const text = body
    .subarray(0, length)
    .toString()
    .replaceAll(/(?<=[[,])-?Infinity/g, '"$&"');
  const json = JSON.parse(text) as Answer;
  const binary = readBinary(json, body.subarray(length));
  // The order of Triton's outputs and maps is undefined, because Triton keeps them in hash tables.
  const outputs = json.outputs?.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  // The configuration shows that the judge's ONNX backend is a Python model.
  const runtime = json.runtime === "model.py" ? { runtime: "" } : {};
  return { status, type, binary, json: { ...json, ...runtime, ...(outputs && { outputs }) } };
};

interface Answer {
  readonly runtime?: string;
  readonly outputs?: readonly {
    readonly name: string;
    readonly parameters?: { readonly binary_data_size?: number };
  }[];
}

/** The bytes of each output in hex, by its name; the other bytes have the name "". */
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
  const sorted = parts.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries([...sorted, ["", bytes.toString("hex", at)]]);
};
