import type { Server, ServerCredentials } from "@grpc/grpc-js";

/** Makes the server listen, and returns its port. */
export const bind = (server: Server, address: string, credentials: ServerCredentials): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => (error === null ? resolve(port) : reject(error)));
  });
