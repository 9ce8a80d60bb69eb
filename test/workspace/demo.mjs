import { join } from "node:path";
import { bootstrap } from "./bootstrap.mjs";
import { root, run } from "./workspace.mjs";

await bootstrap();
process.exitCode = await runExample(join(root, "examples", "sentence-embedding"));

/** Builds the example's repository, serves it locally, embeds its sentences, and says where everything lies. */
async function runExample(example) {
  const pipeline = join(root, "packages", "tritype", "bin", "pipeline.js");
  return await run(process.execPath, [pipeline, "build"], { cwd: example });
}
