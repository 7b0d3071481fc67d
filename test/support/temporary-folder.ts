import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

const makeFolder = () => mkdtempSync(join(realpathSync(tmpdir()), "hostform-test-"));
const remove = (folder: string) => () => rmSync(folder, { recursive: true, force: true });

/** Makes an empty folder, and removes it after the last test of the file or group that calls this. */
export function folderForFile(): string {
  const folder = makeFolder();
  afterAll(remove(folder));
  return folder;
}

/** Makes an empty folder, and removes it when the test that calls this has ended. */
export function folderForTest(): string {
  const folder = makeFolder();
  onTestFinished(remove(folder));
  return folder;
}
