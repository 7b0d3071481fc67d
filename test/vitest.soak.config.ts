import { defineConfig } from "vitest/config";

/** The proofs at full size, and what takes long by itself (`npm run test:soak`). */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/proofs/**/*.test.ts", "test/soak/**/*.test.ts"],
    env: { HOSTFORM_SOAK: "1" },
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
