import { ownVersion } from "./own-version.ts";
import { main } from "./main.ts";
import { createTerminal } from "./terminal.ts";

// ONNX Runtime 1.29 and newer send statistics about models to Microsoft, unless this is set. Only the main thread can set it for native code.
process.env["ORT_DISABLE_TELEMETRY"] ||= "1";
process.exitCode = await main(process.argv.slice(2), createTerminal(), ownVersion());
// Timers and sockets that the user's code leaves open do not keep the command from ending.
setTimeout(() => process.stdout.write("", () => process.stderr.write("", () => process.exit())), 500).unref();
