import { encodeUtf8 } from "@tritype/core";
import type { PrintedTensor } from "./print-tensor.ts";
import { concatSteps, type Steps, stepSize } from "./steps.ts";

/** The HTTP header with the position where the binary data begins. */
export const headerLengthName = "Inference-Header-Content-Length";

/** An HTTP body with its headers. */
export interface InferMessage {
  readonly contentType: string;
  /** `Inference-Header-Content-Length` if binary data follows the JSON. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** JSON members, whole or in pieces, followed by binary data if there is any. */
export function* printMessage(
  members: readonly (string | readonly string[] | undefined)[],
  binary: readonly (Uint8Array | undefined)[],
): Steps<InferMessage> {
  const json: Uint8Array[] = [];
  let text = "{";
  let isFirst = true;
  for (const member of members) {
    if (member === undefined) continue;
    if (!isFirst) text += ",";
    isFirst = false;
    for (const piece of typeof member === "string" ? [member] : member) {
      text += piece;
      if (text.length < 8 * stepSize) continue;
      json.push(encodeUtf8(text));
      text = "";
      yield;
    }
  }
  json.push(encodeUtf8(`${text}}`));
  const data = binary.filter((part) => part !== undefined && part.byteLength > 0) as Uint8Array[];
  const headerLength = json.reduce((sum, part) => sum + part.byteLength, 0);
  const body =
    json.length === 1 && data.length === 0 ? (json[0] as Uint8Array) : yield* concatSteps([...json, ...data]);
  return data.length === 0
    ? { contentType: "application/json", headers: {}, body }
    : {
        contentType: "application/octet-stream",
        headers: { [headerLengthName]: String(headerLength) },
        body,
      };
}

/** The JSON of the tensors, separated by commas. */
export const joined = (tensors: readonly PrintedTensor[]): readonly string[] =>
  tensors.length === 1
    ? (tensors[0] as PrintedTensor).json
    : tensors.flatMap(({ json }, i) => (i === 0 ? json : [",", ...json]));
