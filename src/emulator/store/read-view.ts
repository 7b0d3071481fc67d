import { openDatabase, prepare } from "./database.ts";
import { openObjects, type Objects } from "./objects.ts";

/** The objects as they were at a moment, whatever is written after it. */
export interface ReadView {
  readonly objects: Objects;
  readonly release: () => void;
}

/** Holds a data file as it is now, by a read transaction of its own; `now` in ms since 1970. */
export function openReadView(file: string, now: () => number): ReadView {
  const database = openDatabase(file);
  prepare(database, "BEGIN").run();
  // A transaction sees the state of its first read.
  prepare(database, "SELECT 1 FROM objects LIMIT 1").get();
  return {
    objects: openObjects(database, now),
    release() {
      prepare(database, "ROLLBACK").run();
      database.close();
    },
  };
}
