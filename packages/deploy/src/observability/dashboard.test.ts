import { expect, test } from "vitest";
import type { DeployedBuild } from "../deployed-build.ts";
import { dashboard } from "./dashboard.ts";

const long = "classifies-the-letters-of-customers-in-";
const names = ["embed", "a".repeat(32), `${long}english`, `${long}french`, "embed.v2", "embed_v2"];
const models = names.map((name) => ({ name, config: {}, profiles: {}, bytes: 1 }));
const build = {
  hash: "",
  profiles: [],
  models,
  manifest: {
    models: models.map(({ name }) => ({ name, kind: "onnx" })),
    ensembles: names.map((name) => ({ name })),
  },
} as unknown as DeployedBuild;

test("every model's dashboard has a uid of its own that Grafana accepts", () => {
  const uids = names.map((name) => (JSON.parse(dashboard(build, name)) as { readonly uid: string }).uid);
  expect(uids.slice(0, 2)).toEqual(["tritype-embed", `tritype-${"a".repeat(32)}`]);
  expect(new Set(uids).size).toBe(names.length);
  for (const uid of uids) expect(uid).toMatch(/^[\w-]{1,40}$/);
  expect(uids[2]).toMatch(/^tritype-classifies-the-let-[a-z\d]+$/);
});
