import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { listen } from "../fixtures/listen.ts";

/**
 * One origin for a page and its server, as with a reverse proxy in front of Triton: `/client/…` are the files of a
 * build's client, `/triton/…` is forwarded to `upstream`, everything else is `page`.
 */
export const servePage = async (
  folder: string,
  upstream: () => string,
  page = "<!doctype html><title>client</title>",
): Promise<{ readonly origin: string; readonly close: () => void }> => {
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? "/";
    if (path.startsWith("/client/")) {
      response.writeHead(200, { "Content-Type": "text/javascript" });
      response.end(readFileSync(`${folder}/${path.slice("/client/".length)}`));
      return;
    }
    if (!path.startsWith("/triton/")) {
      response.writeHead(200, { "Content-Type": "text/html" }).end(page);
      return;
    }
    const { method, headers } = incoming;
    const onward = request(`${upstream()}${path.slice("/triton".length)}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      // If the server disconnects mid-response, the page sees the same as without a proxy.
      answer.once("close", () => {
        if (!answer.complete) response.destroy();
      });
    });
    onward.once("error", () => response.writeHead(502).end());
    response.once("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  return {
    origin: `http://127.0.0.1:${await listen(server)}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
