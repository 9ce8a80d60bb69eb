import { supportNames } from "@tritype/translator";
import { expect, test } from "vitest";
import { reservedNames } from "../../packages/compiler/src/function/function-python.ts";
import { arrays, clean, image, rank, scalars } from "./hand-made.ts";
import { buildOf } from "./serve-both.ts";

const { tree } = buildOf([arrays, clean, image, rank, scalars]);
const models = [...tree].flatMap(([path, file]) =>
  path.endsWith("/model.py") && file.kind === "text" ? [[path, file.text] as const] : [],
);

test.each(models)("%s names nothing twice around the function", (_path, text) => {
  const [, around = ""] = text.split("# From Triton's tensors to the function and back.");
  const defined = [...around.matchAll(/^(?:def |class )?([A-Za-z_]\w*)(?:\(| =|:)/gm)].map(
    ([, name = ""]) => name,
  );
  expect(defined).toContain("respond");
  expect(defined.filter((name) => supportNames.has(name))).toEqual([]);
  expect(defined.filter((name) => !reservedNames.includes(name))).toEqual([]);
});

test("no support function has a reserved name", () => {
  expect(reservedNames.filter((name) => supportNames.has(name))).toEqual([]);
});
