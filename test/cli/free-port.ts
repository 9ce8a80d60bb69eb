import { once } from "node:events";
import { createServer } from "node:net";
import { listen } from "../fixtures/listen.ts";

/** A free port of 127.0.0.1. */
export const freePort = async (): Promise<number> => {
  const server = createServer();
  const port = await listen(server);
  await once(server.close(), "close");
  return port;
};
