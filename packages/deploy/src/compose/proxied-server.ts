/** A server behind a proxy: its name, and the host and ports where it listens. */
export interface ProxiedServer {
  readonly name: string;
  readonly host: string;
  readonly httpPort: number;
  readonly grpcPort: number;
}
