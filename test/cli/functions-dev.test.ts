import { expect, test } from "vitest";
import { serveHere, type Serving } from "./served-dev.ts";
import { project } from "./small-project.ts";

const pipeline = `
import { bytes, defineEnsemble, step } from "tritype";
import { ending } from "./ending.ts";

const clean = step({
  name: "clean",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ text: text.trim() + ending(text) }),
});
export const tidy = defineEnsemble({
  name: "tidy",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ tidy: clean({ text }).text }),
});
`;
const ending = (text: string): string =>
  `export const ending = (text: string): string => (text.includes("?") ? "" : ${text});\n`;
const ask = async (served: Serving, text: string): Promise<unknown> => {
  const { status, body } = await served.infer("tidy", {
    inputs: [{ name: "text", datatype: "BYTES", shape: [1, 1], data: [text] }],
  });
  return status === 200
    ? (body as { readonly outputs: readonly { readonly data: readonly unknown[] }[] }).outputs[0]?.data[0]
    : (body as { readonly error: string }).error;
};

test("dev watches the modules of a function; after a refusal the last build keeps serving", async () => {
  const small = project({ "pipeline.ts": pipeline, "ending.ts": ending('"."') });
  const served = await serveHere(small);
  expect(await ask(served, " a ")).toBe("a.");
  small.write("ending.ts", ending('"!"'));
  await served.prints(/^reloaded tidy in \d+ ms/m);
  expect(await ask(served, " a ")).toBe("a!");
  small.write("ending.ts", ending("String(Math.random())"));
  const said = await served.prints(/^still serving the build of/m);
  expect(said).toContain("error[function/randomness]: step `clean`: ");
  expect(said).toMatch(/ending\.ts:1:\d+/);
  expect(await ask(served, " a ")).toBe("a!");
  // Changes to lines above the function do not affect any model.
  small.write("ending.ts", `\n\nexport const unused = 1;\n\n${ending('"!"')}`);
  const kept = await served.prints(/^(?:reloaded|fixed|nothing changed).*\n/m);
  expect(kept).toMatch(/^fixed/m);
  small.write("ending.ts", ending("text.slice(0, 1).repeat(-1)"));
  await served.prints(/^reloaded tidy in \d+ ms/m);
  expect(await ask(served, "?")).toBe("?");
});
