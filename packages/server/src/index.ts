export { type HttpOptions, type HttpServer, serveHttp } from "./serve-http.ts";
