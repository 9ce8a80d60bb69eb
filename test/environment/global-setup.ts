import { installTriton } from "@tritype/tritonserver";
import { cacheFolder } from "@tritype/wheels";
import { chromiumPath } from "./chromium.ts";
import { pythonWithNumpy } from "./python.ts";

/**
 * Makes what tests share before the first of them runs, so that no test's time goes to a download. What cannot be made here is said,
 * and the tests that need it fail.
 */
export default async function setup(): Promise<void> {
  const notice = (line: string): void => void process.stderr.write(`${line}\n`);
  const made = await Promise.allSettled([
    pythonWithNumpy(),
    chromiumPath(),
    installTriton({ cache: cacheFolder(process.env), notice }),
  ]);
  for (const result of made) if (result.status === "rejected") notice(String(result.reason));
}
