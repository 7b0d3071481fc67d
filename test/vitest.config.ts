import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { memoryFolder } from "./support/memory-folder.ts";

/**
 * Folders in the order in which they run. Starting a process costs more the larger the worker has grown, so the tests that start many come
 * first; then the proofs, of which one begun last would run alone at the end.
 */
const folders = ["inventory", "repository", "import", "commands", "examples", "security", "proofs"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const place = folders.findIndex((folder) => moduleId.includes(`/test/${folder}/`));
      return place < 0 ? folders.length : place;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/soak/**"],
    env: memoryFolder(),
    setupFiles: ["test/support/same-draws.ts"],
    // Only what hangs is to end by them: with ten busy processes beside it, a test of git took more than a minute.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 3,
    // No test changes a module: a worker that keeps them saves each file the loading of all.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", ["json", { outputFile: "dist/test-results.json" }]],
  },
});
