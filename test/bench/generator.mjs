import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { percentile, tensorOf } from "@tritype/core";
import { grpcTarget, httpTarget, machineClock, runLoad } from "@tritype/load-test";
import { bodies } from "./load.mjs";
import { summarize } from "./measure.mjs";

const model = "identity_small";
const inputs = new Map([["x", tensorOf("FP32", [1, 16], Array(16).fill(0.5))]]);

/**
 * The load generator of `pipeline bench` compared with bare sockets whose answers are not read, both against bare echo
 * servers.
 */
export const generator = async (runs = 3) => {
  const children = [];
  const start = async (file, args) => {
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    children.push(child);
    const [places] = await once(child, "message");
    return { child, places };
  };
  try {
    const { places } = await start("load-server.mjs", ["echo"]);
    const caller = await start("load-caller.mjs", []);
    const samples = new Map();
    for (let round = 0; round < runs; round++)
      for (const protocol of ["http", "grpc"])
        for (const clients of [1, 16]) {
          const bare = await sendBare(caller.child, places, protocol, clients);
          const ours = await sendOurs(places, protocol, clients);
          const name = `${clients} ${clients === 1 ? "client" : "clients"}, ${protocol}`;
          for (const [who, made] of [
            [name, { ...ours, ratio: ours.rate / bare.rate }],
            [`${name}: bare sockets`, { ...bare, ratio: 1 }],
          ])
            samples.set(who, [...(samples.get(who) ?? []), made]);
        }
    return [
      {
        title: "the load generator of pipeline bench",
        rows: [...samples].map(([name, all]) => ({
          name,
          ...summarize(all.map(({ p50 }) => p50)),
          extra: {
            "requests/s": Math.round(summarize(all.map(({ rate }) => rate)).median),
            "of bare": summarize(all.map(({ ratio }) => ratio)).median.toFixed(2),
          },
        })),
        notes: [
          "echo: node:http and Node's HTTP/2 returning the bytes that they receive; the generator and the echo server share the machine",
        ],
        checks: [],
      },
    ];
  } finally {
    for (const child of children) child.disconnect();
  }
};

const sendBare = async (child, { url, address }, protocol, clients) => {
  const message = {
    protocol,
    target: protocol === "http" ? url : address,
    bodies: [bodies[protocol](model, inputs).toString("base64")],
    clients,
  };
  const send = async (seconds) => {
    child.send({ ...message, seconds });
    const [made] = await once(child, "message");
    return made;
  };
  await send(0.3);
  return await send(1.5);
};

const sendOurs = async ({ url, address }, protocol, clients) => {
  const options = { model, requests: [{ inputs }], timeoutMs: 10_000 };
  const { perSecond, latencies, failures } = await runLoad({
    load: { kind: "closed", clients },
    target: protocol === "http" ? httpTarget(url, options) : grpcTarget(address, options),
    clock: machineClock,
    warmMs: 300,
    measureMs: 1500,
    drainMs: 1000,
    seed: 1,
    signal: new AbortController().signal,
  });
  if (failures.length > 0) throw new Error(failures[0].message);
  return { rate: perSecond, p50: percentile(latencies, 0.5) };
};
