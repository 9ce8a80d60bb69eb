import { encodeUtf8 } from "@tritype/core";
import { describe, expect, it } from "vitest";
import { parseJson } from "./parse-json.ts";

describe("parseJson", () => {
  it.each<[string, unknown]>([
    ['{"datatype":"INT64","data":[9007199254740993]}', { datatype: "INT64", data: [9007199254740993n] }],
    ['{"datatype":"FP64","data":[9007199254740993]}', { datatype: "FP64", data: [9007199254740992] }],
    ['{"sequence_id":18446744073709551615}', { sequence_id: 18446744073709551615n }],
    ["[NaN]", [Number.NaN]],
  ])("%s", (text, value) => {
    expect(parseJson(encodeUtf8(text))).toEqual(value);
  });

  it("counts an error's place in bytes", () => {
    expect(() => parseJson(encodeUtf8('{"é":'))).toThrow(
      expect.objectContaining({
        code: "request/malformed",
        message: "failed to parse the request JSON buffer: Invalid value. at 6",
      }),
    );
  });
});
