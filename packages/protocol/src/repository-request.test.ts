import { describe, expect, test } from "vitest";
import { decodeBase64 } from "./repository-request.ts";
import { finish } from "./steps.ts";
import {
  type GrpcRepositoryParameter,
  indexRequestSteps,
  loadRequestSteps,
  unloadRequestSteps,
  readGrpcLoadParameters,
  readGrpcUnloadParameters,
} from "./repository-request.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const parseLoad = (body: Uint8Array) => finish(loadRequestSteps(body));
const text = (data: Uint8Array | undefined): string => new TextDecoder().decode(data);
const answer = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as { readonly code: string; readonly message: string };
    return `${code}: ${message}`;
  }
};

test.each([
  ["", ""],
  ["YQ==", "a"],
  ["YWI=", "ab"],
  ["YWJj", "abc"],
  ["YW Jj\nZA", "abcd"],
  ["%Y*W-J_j", "abc"],
  ["Y", ""],
  ["YQ==YQ==", "a\u0006\u0010"],
])("base64 %j", (encoded, decoded) => {
  expect(text(finish(decodeBase64(encoded)))).toBe(decoded);
});

test("every byte survives base64", () => {
  const all = Uint8Array.from({ length: 256 }, (_, i) => i);
  expect(finish(decodeBase64(btoa(String.fromCharCode(...all))))).toEqual(all);
});

test.each([
  ["", false],
  ["{}", false],
  ['{"ready":true}', true],
  ['{"ready":null}', "request/malformed: attempt to access JSON non-boolean as boolean"],
])("index %j", (body, wanted) => {
  expect(answer(() => finish(indexRequestSteps(bytes(body))))).toBe(wanted);
});

describe("load", () => {
  test("the request contains a configuration and files", () => {
    const { config, files } = parseLoad(
      bytes('{"parameters":{"config":"{}","file:1/model.onnx":"YWJj","file:":""}}'),
    );
    expect([config, [...files].map(([path, data]) => [path, text(data)])]).toEqual([
      "{}",
      [
        ["1/model.onnx", "abc"],
        ["", ""],
      ],
    ]);
    for (const body of ["", "{}", "[1]", '{"parameters":{}}'])
      expect(parseLoad(bytes(body))).toEqual({ files: new Map() });
  });
  test.each([
    ["{", "failed to parse the request JSON buffer: Missing a name for object member. at 1"],
    ['{"parameters":null}', "attempt to get members for non-object"],
    ['{"parameters":{"config":{}}}', "attempt to access JSON non-string as string"],
    ['{"parameters":{"other":"x"}}', "unexpected error on creating Triton parameter"],
  ])("%j", (body, wanted) => {
    expect(answer(() => parseLoad(bytes(body)))).toBe(`request/malformed: ${wanted}`);
  });
});

test.each([
  ["", false],
  ["{", false],
  ['{"parameters":{"unload_dependents":true}}', true],
  ['{"parameters":{"unload_dependents":"true"}}', false],
])("unload %j", (body, wanted) => {
  expect(finish(unloadRequestSteps(bytes(body)))).toBe(wanted);
});

const parameter = (given: Partial<GrpcRepositoryParameter>): GrpcRepositoryParameter => ({
  parameter_choice: Object.keys(given)[0] ?? "",
  bool_param: false,
  string_param: "",
  bytes_param: new Uint8Array(),
  ...given,
});

test("gRPC parameters", () => {
  const config = parameter({ string_param: "{}" });
  const file = parameter({ bytes_param: bytes("abc") });
  expect(readGrpcLoadParameters({ config, "file:1/m": file })).toEqual({
    config: "{}",
    files: new Map([["1/m", bytes("abc")]]),
  });
  expect([
    answer(() => readGrpcLoadParameters({ config: file })),
    answer(() => readGrpcLoadParameters({ "file:1/m": config })),
    answer(() => readGrpcLoadParameters({ other: config })),
  ]).toEqual([
    "request/invalid: invalid value type for load parameter 'config', expected string_param.",
    "request/invalid: invalid value type for load parameter 'file:1/m', expected bytes_param.",
    "request/invalid: unrecognized load parameter 'other'.",
  ]);
  expect([
    readGrpcUnloadParameters({}),
    readGrpcUnloadParameters({ unload_dependents: parameter({ bool_param: true }) }),
    answer(() => readGrpcUnloadParameters({ unload_dependents: config })),
  ]).toEqual([
    false,
    true,
    "request/invalid: invalid value type for 'unload_dependents' parameter, expected bool_param.",
  ]);
});
