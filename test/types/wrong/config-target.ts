// Target that is no release
import { defineConfig } from "tritype";

export const wrong = defineConfig({ target: "v24.10" });
