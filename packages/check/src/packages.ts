export { packageOfModule } from "./python/package-of-module.ts";
