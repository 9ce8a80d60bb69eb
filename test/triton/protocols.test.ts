import { describe } from "vitest";
import { grpcTests } from "./protocols/grpc.ts";
import { httpTests } from "./protocols/http.ts";
import { clientTests } from "./protocols/official-client.ts";
import { useServers } from "./protocols/servers.ts";
import { streamingTests } from "./protocols/streaming.ts";

const servers = useServers();

describe("HTTP", () => httpTests(servers));
describe("gRPC", () => grpcTests(servers));
describe("streams and generate", () => streamingTests(servers));
describe("Triton's Python client", () => clientTests(servers));
