// Target that is not a release
import { defineConfig } from "tritype";

export const wrong = defineConfig({ target: "v24.10" });
