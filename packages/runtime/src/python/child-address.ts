import { randomBytes } from "node:crypto";
import { unlink } from "node:fs/promises";
import { connect, type NetConnectOpts, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "@tritype/wheels";
import type { FrameReader } from "./frame.ts";

export type Transport = "unix" | "tcp";

/** The address at which a child listens for its two connections, which it tells apart by their order. */
export interface ChildAddress {
  /** The child's input on stdin. */
  readonly input: { readonly path: string } | { readonly token: string };
  /**
   * Connects once the child is listening (`port`: the one it announced). Errors go to `onBroken`, and frames to `reader`;
   * the child sends none if there is no reader.
   */
  connect(port: number, onBroken: (error: Error) => unknown, reader?: FrameReader): Promise<Socket>;
  remove(): Promise<void>;
}

/** sun_path holds 104 bytes on macOS, 108 on Linux. */
const longestPath = 100;

/**
 * A Unix socket in a new folder that only this user may enter. If that is not possible (Windows, a long temporary path), uses TCP
 * on the loopback interface, where the child only accepts clients with a random token.
 */
export const createChildAddress = async (
  transport?: Transport,
  temporary: string = tmpdir(),
): Promise<ChildAddress> => {
  const wanted = transport ?? (process.platform === "win32" ? "tcp" : "unix");
  if (wanted === "unix") {
    const folder = temporaryFolder("tritype-", temporary);
    const path = join(folder.path, "s");
    const remove = async () => {
      // `rm` calls lstat on the socket, after which Node 20 cannot resolve an import's symlink.
      await unlink(path).catch(() => {});
      folder.remove();
    };
    if (Buffer.byteLength(path) <= longestPath)
      return { input: { path }, connect: (_port, ...rest) => connectTo({ path }, "", ...rest), remove };
    await remove();
  }
  const token = randomBytes(32).toString("hex");
  return {
    input: { token },
    connect: (port, ...rest) => connectTo({ port, host: "127.0.0.1" }, token, ...rest),
    remove: () => Promise.resolve(),
  };
};

const connectTo = (
  address: { path: string } | { port: number; host: string },
  token: string,
  onBroken: (error: Error) => unknown,
  reader?: FrameReader,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    // With `onread` the kernel writes directly into a tensor's memory; only net.connect accepts it.
    const onread = reader && {
      buffer: () => reader.space(),
      callback: (count: number) => {
        try {
          reader.received(count);
          return true;
        } catch (error) {
          onBroken(error as Error);
          return false;
        }
      },
    };
    const options: NetConnectOpts = { ...address, ...(onread && { onread }), noDelay: true };
    const socket = connect(options, () => {
      if (token !== "") socket.write(token);
      resolve(socket);
    });
    socket.on("error", (error) => {
      reject(error);
      onBroken(error);
    });
    socket.on("close", () => onBroken(new Error("the connection closed")));
    // A socket that is not read does not notice that it was closed.
    if (reader === undefined) socket.resume();
  });
