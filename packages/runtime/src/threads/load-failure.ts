import { messageOf } from "@tritype/core";

/**
 * The reason why onnxruntime-node cannot be loaded. Its package is the same for all systems and lacks a binary for some, such as
 * Macs with Intel processors.
 */
export const loadFailure = (
  error: unknown,
  system: string = `${process.platform}-${process.arch}`,
): unknown =>
  /^Cannot find module '[^']*onnxruntime_binding\.node'/.test(messageOf(error))
    ? new Error(
        `onnxruntime-node has no binary for ${system}: it runs on Linux with glibc and on Windows (x64 and arm64), and on macOS with Apple silicon`,
        { cause: error },
      )
    : error;
