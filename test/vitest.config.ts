import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { memoryFolder } from "./support/memory-folder.ts";

/** The proofs take longest: begun last, they would run alone at the end. */
class ProofsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isProof = ({ moduleId }: TestSpecification) => moduleId.includes("/test/proofs/");
    return [...sorted.filter(isProof), ...sorted.filter((file) => !isProof(file))];
  }
}

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/soak/**"],
    env: memoryFolder(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // No test changes a module: a worker that keeps them saves each file the loading of all.
    isolate: false,
    sequence: { sequencer: ProofsFirst },
    reporters: ["default", ["json", { outputFile: "dist/test-results.json" }]],
  },
});
