import { openDatabase, prepareStatement } from "./database.ts";
import { openObjects, type Objects } from "./objects.ts";

/** The objects as they were at a moment, whatever is written after it. */
export interface ReadView {
  readonly objects: Objects;
  readonly release: () => void;
}

/** Opens a consistent view of the data file in a read transaction of its own. `now` is in ms since the epoch. */
export function openReadView(file: string, now: () => number): ReadView {
  const database = openDatabase(file);
  prepareStatement(database, "BEGIN").run();
  // A transaction sees the state of its first read.
  prepareStatement(database, "SELECT 1 FROM objects LIMIT 1").get();
  return {
    objects: openObjects(database, now),
    release() {
      prepareStatement(database, "ROLLBACK").run();
      database.close();
    },
  };
}
