import { expect, test } from "vitest";
import { givenTo } from "./given.fixture.ts";
import { givenHeaders } from "./given-headers.ts";

const headersOf = (texts: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  givenHeaders(givenTo("inspect", "--url", "localhost:8000", ...texts.map((text) => `--header=${text}`)), {
    env,
  });

test("header values can contain environment variables", () => {
  expect(headersOf([])).toBeUndefined();
  expect(headersOf(["Authorization: Bearer ${TOKEN}", "x-tenant:a: b"], { TOKEN: "it's a secret" })).toEqual({
    Authorization: "Bearer it's a secret",
    "x-tenant": "a: b",
  });
});

test.each([
  ["secret", "--header is not a header"],
  ["two words: secret", "--header is not a header"],
  ["x: secret${NOT_SET}", "--header x: the environment variable NOT_SET is not set"],
  ["x: ${BROKEN}", "--header x: the value contains characters that are not allowed in headers"],
  ["Host: secret", "--header Host cannot be set"],
])("%s is an error that does not repeat the value", (text, message) => {
  const act = (): unknown => headersOf([text], { BROKEN: "secret\r\nX: 1" });
  expect(act).toThrow(message);
  expect(act).not.toThrow("secret");
});
