import type { LoadResult } from "./cluster.ts";

/** Prints how the requests of each client ended. */
export const printLoad = (title: string, results: Readonly<Record<string, LoadResult>>): void => {
  for (const [client, { answered, failed, failures, lengths }] of Object.entries(results))
    console.log(
      `${title}, ${client}: ${failed} failed of ${answered + failed}${lengths === undefined ? "" : `, lengths ${JSON.stringify(lengths)}`}${failures.length === 0 ? "" : `\n  ${failures.join("\n  ")}`}`,
    );
};
