import type { Browser, Page } from "playwright-core";

/** A browser page, and its errors and requests. */
export interface WatchedPage {
  readonly page: Page;
  /** The errors and warnings that the browser reports. */
  readonly problems: string[];
  /** The origins of its requests. */
  readonly asked: Set<string>;
}

/** @param timeoutMs How long it waits for an element. */
export const watchedPage = async (browser: Browser, timeoutMs = 20_000): Promise<WatchedPage> => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  const [problems, asked] = [new Array<string>(), new Set<string>()];
  page.setDefaultTimeout(timeoutMs);
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("request", (request) => asked.add(new URL(request.url()).origin));
  return { page, problems, asked };
};
