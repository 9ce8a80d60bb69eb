// Sends requests from a separate process; each client sends its next request once the previous one is answered. Requests are
// encoded in advance, and only the ends of answers are detected, so that the caller uses little processor time.
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";

/** One persistent HTTP/1.1 connection: sends a whole request, then waits for the end of the answer. */
const openHttp = async (url, requests) => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  let answered;
  let head = Buffer.alloc(0);
  let left = -1;
  socket.on("data", (chunk) => {
    if (left < 0) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      const text = head.toString("latin1", 0, end);
      if (!text.startsWith("HTTP/1.1 200 ")) throw new Error(text.split("\r\n", 1)[0]);
      left = Number(/\r\ncontent-length: (\d+)/i.exec(text)[1]) - (head.length - end - 4);
      head = Buffer.alloc(0);
    } else left -= chunk.length;
    if (left > 0) return;
    left = -1;
    answered();
  });
  return {
    send: (index) =>
      new Promise((resolve) => {
        answered = resolve;
        socket.write(requests[index % requests.length]);
      }),
    close: () => socket.destroy(),
  };
};

/** One HTTP/2 connection, because every official client has its own channel. */
const openGrpc = async (address, requests) => {
  const session = connectHttp2(`http://${address}`, { settings: { initialWindowSize: 4_194_304 } });
  await once(session, "connect");
  session.setLocalWindowSize(16_777_216);
  const headers = {
    ":method": "POST",
    ":path": "/inference.GRPCInferenceService/ModelInfer",
    "content-type": "application/grpc",
    te: "trailers",
  };
  return {
    send: (index) =>
      new Promise((resolve, reject) => {
        const stream = session.request(headers);
        let status;
        stream.on("response", (answer) => (status = answer["grpc-status"]));
        stream.on("trailers", (trailers) => (status = trailers["grpc-status"]));
        stream.resume();
        stream.once("close", () => (status === "0" ? resolve() : reject(new Error(`grpc-status ${status}`))));
        stream.end(requests[index % requests.length]);
      }),
    close: () => session.destroy(),
  };
};

process.on(
  "message",
  async ({ protocol, target, bodies, clients, seconds, count = Number.POSITIVE_INFINITY }) => {
    const requests = bodies.map((body) => Buffer.from(body, "base64"));
    const open = protocol === "http" ? openHttp : openGrpc;
    const connections = await Promise.all(Array.from({ length: clients }, () => open(target, requests)));
    const took = [];
    let sent = 0;
    const begin = performance.now();
    const end = begin + seconds * 1000;
    await Promise.all(
      connections.map(async ({ send }) => {
        while (performance.now() < end && sent < count) {
          const start = performance.now();
          await send(sent++);
          took.push(performance.now() - start);
        }
      }),
    );
    const passed = (performance.now() - begin) / 1000;
    for (const { close } of connections) close();
    took.sort((a, b) => a - b);
    const at = (share) => took[Math.min(took.length - 1, Math.floor(share * took.length))];
    process.send({ requests: took.length, rate: took.length / passed, p50: at(0.5), p99: at(0.99) });
  },
);
process.once("disconnect", () => process.exit(0));
process.send("ready");
