import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";

/** The ports of Triton's three services. */
export interface ServerPorts {
  readonly http: number;
  readonly grpc: number;
  readonly metrics: number;
}

/** The given ports, and free ports of 127.0.0.1 for the others. Another process may take them before they are used. */
export async function freePorts(given: Partial<ServerPorts>): Promise<ServerPorts> {
  const servers = await Promise.all([listen(), listen(), listen()]);
  const [http, grpc, metrics] = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(async (server) => await once(server.close(), "close")));
  return { http: http ?? 0, grpc: grpc ?? 0, metrics: metrics ?? 0, ...given };
}

async function listen(): Promise<Server> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
