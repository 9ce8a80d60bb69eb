import { afterAll, beforeAll } from "vitest";
import { createClient } from "tritype/client";
import { embed } from "../../examples/sentence-embedding/pipeline.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { buildExample, serveDev } from "./built-example.ts";
import { embedCases } from "./embed-cases.ts";
import { importEmitted } from "./emitted.ts";

let project: ProjectFixture;
let server: Awaited<ReturnType<typeof serveDev>>;
let emitted: Awaited<ReturnType<typeof importEmitted>>;
beforeAll(async () => {
  project = await buildExample();
  [server, emitted] = await Promise.all([serveDev(project, ["--no-watch"]), importEmitted(project)]);
}, 120_000);
afterAll(async () => {
  await server?.stop();
  project?.remove();
});

embedCases("HTTP against pipeline dev", {
  contract: () => emitted.embedContract,
  open: (ensemble, options = {}) => emitted.createHttpClient({ url: server.url, ensemble, ...options }),
  others: () => ({
    "embedClient of the build": emitted.embedClient({ url: `${server.url}/` }),
    "by name": createClient<typeof embed>({ url: server.url, ensemble: "embed" }),
    "by definition": createClient({ url: server.url, ensemble: embed }),
  }),
});
