import { expect, test } from "vitest";
import { compareErrors } from "./compare-endpoints.ts";

test("errors are compared by their first lines, without the addresses of objects", () => {
  const pillow = (address: string): string =>
    `row 0: cannot identify image file <_io.BytesIO object at 0x${address}>\n  File "/models/decode/1/model.py"`;
  expect(compareErrors(pillow("7f6a6c0ff240"), pillow("7f361ac59a80"))).toMatchObject({ ok: true });
  expect(compareErrors("row 0: no image", "row 1: no image")).toMatchObject({ ok: false });
});

test.each([
  "onnx runtime error: no",
  "onnx runtime error 1: no",
  "onnx runtime error: [ONNXRuntimeError] : 1 : FAIL : no",
])("`%s` is ONNX Runtime's error without its code", (text) => {
  expect(compareErrors(`m: ${text}`, "m: onnx runtime error: no")).toMatchObject({ ok: true });
  expect(compareErrors(`m: ${text}`, "m: onnx runtime error: other")).toMatchObject({ ok: false });
});
