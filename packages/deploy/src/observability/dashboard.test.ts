import { expect, test } from "vitest";
import type { DeployedBuild } from "../deployed-build.ts";
import { dashboard } from "./dashboard.ts";

const long = "classifies-the-letters-of-customers-in-";
const names = ["embed", "a".repeat(32), `${long}english`, `${long}french`, "embed.v2", "embed_v2"];
const models = names.map((name) => ({ name, config: {}, profiles: {}, bytes: 1, storedBytes: 1 }));
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

test("the row of a model that contains other steps names them", () => {
  const step = { name: "encoder", kind: "onnx", fused: ["clean", "embed_embedding"] };
  const config = { ensemble_scheduling: { step: [{ model_name: "encoder" }] } };
  const { panels } = JSON.parse(
    dashboard(
      {
        ...build,
        models: [{ name: "embed", config, profiles: {}, bytes: 0, storedBytes: 0 }],
        manifest: { ...build.manifest, models: [{ name: "embed", kind: "ensemble" }, step] },
      },
      "embed",
    ),
  ) as { readonly panels: readonly { readonly fieldConfig: { readonly overrides: readonly object[] } }[] };
  for (const { fieldConfig } of panels)
    expect(fieldConfig.overrides).toEqual([
      {
        matcher: { id: "byName", options: "encoder" },
        properties: [{ id: "displayName", value: "encoder with clean, embed_embedding" }],
      },
    ]);
});
