import { join } from "node:path";
import { bootstrap } from "./bootstrap.mjs";
import { root, run } from "./workspace.mjs";

await bootstrap();
process.exitCode = await run(process.execPath, [join(root, "examples", "sentence-embedding", "demo.mjs")]);
