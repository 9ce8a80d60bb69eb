import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** The serious and critical findings of axe on a page. */
export const seriousFindings = async (page: Page): Promise<readonly string[]> => {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      readonly axe: {
        run(options: { resultTypes: ["violations"] }): Promise<{
          violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      };
    };
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id} ${html} ${failureSummary}`));
  });
};
