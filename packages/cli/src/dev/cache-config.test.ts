import { expect, test } from "vitest";
import { givenTo } from "../given.fixture.ts";
import { cacheConfigOf } from "./cache-config.ts";

const bytes = (...args: readonly string[]): number | undefined => cacheConfigOf(givenTo("dev", ...args));

test("as in Triton, there is no cache unless one is configured", () => {
  expect(bytes()).toBeUndefined();
  expect(bytes("--cache-config", "local,size=1048576")).toBe(1_048_576);
  expect(bytes("--cache-config=local,size=1")).toBe(1);
});

test.each(["redis,host=localhost", "local", "local,size=", "local,size=0", "local,size=1k", "local,bytes=1"])(
  "%s is refused",
  (written) => {
    expect(() => bytes(`--cache-config=${written}`)).toThrow(`--cache-config is ${written}`);
  },
);
