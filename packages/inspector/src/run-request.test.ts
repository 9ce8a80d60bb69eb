import { finish } from "@tritype/protocol";
import { expect, test } from "vitest";
import { pageRequestSteps } from "./run-request.ts";

test("the line about a request is short", () => {
  const read = (model: string) => {
    const body = '{"inputs":[]}';
    const head = JSON.stringify({ model, headerLength: body.length });
    return finish(pageRequestSteps(new TextEncoder().encode(`${head}\n${body}`)));
  };
  expect(read("m")?.head.model).toBe("m");
  expect(read("m".repeat(20_000))).toBeUndefined();
});
