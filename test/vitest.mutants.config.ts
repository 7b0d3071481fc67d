import { defineConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import { memoryFolder } from "./support/memory-folder.ts";

/** Keeps the order of `test/mutants/run.mjs`: the tests that find a mutant soonest come first. */
class AsGiven {
  async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
  async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files;
  }
}

/** The unit tests that decide whether a mutant is killed (`npm run test:mutants`): no test that starts a process. */
export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: [
      "test/{plan,order,policy,contract,kinds,apply,saved-plans,model,manifest,live,scenarios}/**/*.test.ts",
      "test/proofs/{exchanges,refused-call,replacing,resource-forms,sent-spelling,steps,vanishing}.test.ts",
    ],
    exclude: ["test/apply/interrupt-early.test.ts"],
    env: memoryFolder(),
    setupFiles: ["test/mutants/switches.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 1,
    isolate: false,
    sequence: { sequencer: AsGiven },
  },
});
