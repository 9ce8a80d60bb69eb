import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import readReleasePlan from "@changesets/get-release-plan";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

test("the changesets make one release of all packages, as `npx changeset status` shows", async () => {
  const { changesets, releases } = await readReleasePlan(root);
  const written = readdirSync(`${root}.changeset`).filter((name) => name.endsWith(".md"));
  expect(changesets.map(({ id }) => `${id}.md`).toSorted()).toEqual(written.toSorted());
  const released = releases.filter(({ type }) => type !== "none");
  expect(new Set(released.map(({ newVersion }) => newVersion)).size).toBe(1);
  expect(released.map(({ name }) => name)).toEqual(expect.arrayContaining(["tritype", "create-tritype"]));
  expect(released.filter(({ name }) => /^@tritype\/(?:test|example-)/.test(name))).toEqual([]);
});
