import { encodeUtf8 } from "@tritype/core";
import { expect, test } from "vitest";
import { generateRequestSteps } from "./generate-request.ts";
import { finish } from "./steps.ts";

test.each(["__proto__", "constructor", "toString"])("a parameter may be called %s", (name) => {
  for (const text of [`{"${name}":1}`, `{"parameters":{"${name}":1}}`]) {
    const request = finish(generateRequestSteps({ model: "m", body: encodeUtf8(text), inputs: [] }));
    expect(Object.entries(request.modelParameters ?? {})).toEqual([[name, 1]]);
  }
});
