import { Agent, createServer, request } from "node:http";

/**
 * Sends POST requests on one persistent connection and collects the answers' bytes, with almost no overhead.
 */
export const openCaller = (url) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    post: (path, { contentType, headers, body }) =>
      new Promise((resolve, reject) => {
        const call = request(
          url + path,
          {
            agent,
            method: "POST",
            headers: { ...headers, "Content-Type": contentType, "Content-Length": body.byteLength },
          },
          (response) => {
            const chunks = [];
            response.on("data", (chunk) => chunks.push(chunk));
            response.once("end", () => {
              const answer = Buffer.concat(chunks);
              if (response.statusCode === 200) resolve({ headers: response.headers, body: answer });
              else reject(new Error(`${response.statusCode}: ${answer.toString()}`));
            });
          },
        );
        call.once("error", reject);
        call.end(body);
      }),
    close: () => agent.destroy(),
  };
};

/** A bare server that reads the request, awaits `work` and returns `body`: the cost of HTTP itself. */
export const openBareServer = async (body, work, headers = {}) => {
  const server = createServer((incoming, response) => {
    const chunks = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.once("end", async () => {
      Buffer.concat(chunks);
      await work();
      response.writeHead(200, { ...headers, "Content-Length": body.byteLength });
      response.end(body);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
