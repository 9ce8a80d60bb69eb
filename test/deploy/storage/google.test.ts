import { mkdirSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { freePort } from "../../cli/free-port.ts";
import { goProgram } from "../../environment/go-module.ts";
import { builtProject } from "../deployed-project.ts";
import { askTotal, serveBuild } from "../serve-build.ts";
import { background } from "./background.ts";
import { pathOf, sha256, type StorageService, uploadInSteps } from "./upload-in-steps.ts";

/** fake-gcs-server, and gcloud from the PATH: no registry has gcloud. @param config A folder for gcloud's settings. */
const startGoogle = async (config: string): Promise<StorageService & { readonly address: string }> => {
  const address = `127.0.0.1:${await freePort()}`;
  const [host = "", port = ""] = address.split(":");
  const program = await goProgram("github.com/fsouza/fake-gcs-server", "v1.56.1");
  background(
    program,
    [
      ["-backend", "memory", "-scheme", "http", "-host", host, "-port", port],
      ["-public-host", address, "-external-url", `http://${address}`],
    ].flat(),
  );
  const buckets = `http://${address}/storage/v1/b`;
  await expect
    .poll(() =>
      fetch(buckets).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    .toBe(true);
  await fetch(buckets, { method: "POST", body: JSON.stringify({ name: "models" }) });
  return {
    address,
    url: "gs://models/prod",
    env: {
      ...process.env,
      CLOUDSDK_CONFIG: config,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_STORAGE: `http://${address}/`,
      CLOUDSDK_AUTH_DISABLE_CREDENTIALS: "true",
    },
    stored: async (build) => {
      const listed = (await (await fetch(`${buckets}/models/o?prefix=prod/${build}`)).json()) as {
        readonly items?: readonly { readonly name: string }[];
      };
      const found = (listed.items ?? []).map(async ({ name }) => {
        const content = await fetch(`${buckets}/models/o/${encodeURIComponent(name)}?alt=media`);
        return [pathOf(name, build), sha256(new Uint8Array(await content.arrayBuffer()))] as const;
      });
      return Object.fromEntries(await Promise.all(found));
    },
    refusals: [
      { url: "gs://other/prod", says: /gs:\/\/other not found: 404/ },
      {
        env: { CLOUDSDK_AUTH_DISABLE_CREDENTIALS: "false" },
        says: /do not currently have an active account/,
      },
    ],
  };
};

test("gcloud uploads a build once, and a real Triton loads it from Google Cloud Storage", async () => {
  const made = await builtProject();
  const google = await startGoogle(made.path("gcloud"));
  const address = await uploadInSteps(made, google);

  vi.stubEnv("CLOUD_STORAGE_EMULATOR_ENDPOINT", `http://${google.address}`);
  mkdirSync(made.path("empty"));
  const server = await serveBuild(made, [`--model-repository=${address}`], "empty");
  vi.unstubAllEnvs();
  expect(await askTotal(server, [1, 2, 3, 4])).toMatchObject({ outputs: [{ name: "sum", data: [20] }] });
}, 1_800_000);
