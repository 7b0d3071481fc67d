import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { memoryFolder } from "./support/memory-folder.ts";

/**
 * Paths in the order in which they run. First the file that counts work: V8 counts the loops of a function only if it was compiled after
 * the counting began, so that file needs a worker in which little has run. Starting a process costs more the larger the worker has grown,
 * so the tests that start many come next; then the proofs, of which one begun last would run alone at the end.
 */
const paths = ["security/work-of-readers", "repository/", "import/", "commands/", "examples/", "security/", "proofs/"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const place = paths.findIndex((path) => moduleId.includes(`/test/${path}`));
      return place < 0 ? paths.length : place;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

const root = new URL("..", import.meta.url).pathname;
/** A worker copies the table of its memory for each program that it starts: pages of 2 MB make it small, where glibc has them. */
process.env["GLIBC_TUNABLES"] ??= "glibc.malloc.hugetlb=1";

/** Services of tests have certificates of their own. To read those of the machine takes each program of Node that is started longer than its start. */
delete process.env["NODE_EXTRA_CA_CERTS"];

/** `npm test` imports what the build has just compiled: to compile each module again, and to load it without Node, took a quarter of the time of pure tests. */
const built = { find: /^(?:\.\.\/)+src\/(.*)\.ts$/u, replacement: `${root}dist/$1.js` };

export default defineConfig({
  root,
  resolve: { alias: process.env["HOSTFORM_BUILT"] === "1" ? [built] : [] },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/soak/**"],
    env: memoryFolder(),
    globalSetup: ["stop-postgres", "keep-refs"].map((name) => new URL(`support/${name}.ts`, import.meta.url).pathname),
    setupFiles: ["test/support/same-draws.ts"],
    // Only what hangs is to end by them: with ten busy processes beside it, a test of git took more than a minute.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 4,
    // A worker runs most functions too seldom for what it costs to optimise them: a sixth of the CPU time of all tests. Node ends at a flag
    // that it does not know, and only Node 20 knows that one. Threads that collect a worker's garbage wait for each other where all
    // processors are busy, and it makes much that is garbage at once.
    execArgv: [
      ...(process.versions.node.startsWith("20.") ? ["--interrupt-budget=1500000"] : []),
      "--single-threaded-gc",
      "--min-semi-space-size=16",
      "--max-semi-space-size=64",
    ],
    // No test changes a module: a worker that keeps them saves each file the loading of all.
    isolate: false,
    server: { deps: { external: [/\/dist\/.*\.js$/u] } },
    sequence: { sequencer: LongestFirst },
    reporters: ["default", ["json", { outputFile: "dist/test-results.json" }]],
  },
});
