// a field that a profile of the project does not have
import { defineConfig } from "tritype";

export default defineConfig({ profiles: { cpu: { optimization: { priority: "max" } } } });
