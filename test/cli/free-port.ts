import { once } from "node:events";
import { createServer } from "node:net";

/** A free port of 127.0.0.1 that the system gives to nothing else in the meantime: Linux uses ports from 32768. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await once(server.close(), "close");
    return port;
  }
};
