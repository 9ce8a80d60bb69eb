// versions of a project that are neither fresh nor appended
import { defineConfig } from "tritype";

export default defineConfig({ versions: "keep" });
