import type { Manifest } from "@tritype/manifest";
import { expect, test } from "vitest";
import { deploymentName } from "./deployed-build.ts";

const nameOf = (...ensembles: readonly string[]): string =>
  deploymentName({ ensembles: ensembles.map((name) => ({ name })) } as unknown as Manifest);

test("a deployment has the name of the first ensemble, as Kubernetes allows it", () => {
  expect(nameOf("embed")).toBe("embed");
  expect(nameOf("Embed_v2.", "other")).toBe("embed-v2-and-1-more");
  expect(nameOf("a".repeat(40))).toBe("a".repeat(40));
  expect(nameOf()).toBe("triton");
});

test("long names that begin alike remain different", () => {
  const long = "classifies-the-letters-of-customers-in-";
  const names = [nameOf(`${long}english`), nameOf(`${long}french`), nameOf(`${long}french`, "other")];
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^classifies-the-letters-of-[a-z\d-]{1,14}$/);
});
