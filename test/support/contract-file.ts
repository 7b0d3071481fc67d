import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadContract } from "../../src/contract/load-contract.ts";
import { folderForFile } from "./temporary-folder.ts";

/** A file for the contracts of a test file: `write` puts a text there and says its path, `load` reads it then. */
export function contractFile() {
  const file = join(folderForFile(), "contract.yaml");
  const write = (text: string) => {
    writeFileSync(file, text);
    return file;
  };
  return { file, write, load: (text: string) => loadContract(write(text)) };
}
