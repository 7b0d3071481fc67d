import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { openDatabase, prepareStatement } from "../../src/emulator/store/database.ts";
import type { Account } from "../support/account.ts";
import type { Answered, Front } from "../support/front.ts";

/** All that is there when a run is killed: what the service keeps, and the files that the run has written so far. */
export interface Moment {
  /** Before the service hears of a write, or when it has done what it asks for. */
  readonly where: string;
  readonly objects: Rows;
  readonly replays: Rows;
  readonly files: ReadonlyMap<string, string | undefined>;
}

type Rows = readonly (readonly unknown[])[];

/** Returns an answer in place of the service's, if a write is to have one. `nth`: among the writes of its method in this run, from 1. */
export type Meet = (method: string, nth: number) => Met | undefined;

export interface Met {
  /** Whether the service has done what was asked for. */
  readonly isDone: boolean;
  /** Undefined: the connection is cut. */
  readonly answer: Answered | undefined;
}

/**
 * Notes around each write of a run what would be there if the run were killed at that moment, and brings the account and the files back to one
 * of these moments: one run stands for as many killed ones as it has moments.
 */
export function openMoments({ dataFile }: Pick<Account, "dataFile">, front: Front, files: readonly string[]) {
  const database = openDatabase(dataFile);
  const columns = "seq, id, kind, scope, natural_key, record, schedule";
  const objects = prepareStatement(database, `SELECT ${columns} FROM objects ORDER BY seq`);
  const replays = prepareStatement(database, "SELECT * FROM replays");
  const addObject = prepareStatement(database, `INSERT INTO objects (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const addReplay = prepareStatement(database, "INSERT INTO replays VALUES (?, ?, ?, ?, ?)");
  const now = (where = "at the beginning"): Moment => ({
    where,
    objects: objects.all(),
    replays: replays.all(),
    files: new Map(files.map((file) => [file, existsSync(file) ? readFileSync(file, "utf8") : undefined])),
  });
  return {
    now,
    goTo: (moment: Moment): void => {
      database.exec("BEGIN IMMEDIATE; DELETE FROM objects; DELETE FROM replays");
      for (const row of moment.objects) addObject.run(row);
      for (const row of moment.replays) addReplay.run(row);
      database.exec("COMMIT");
      for (const [file, text] of moment.files)
        if (text === undefined) rmSync(file, { force: true });
        else writeFileSync(file, text);
    },
    /** Returns the moments of the next run, which fill as it goes on. */
    watch: (meet: Meet = () => undefined): readonly Moment[] => {
      const moments: Moment[] = [];
      const counts = new Map<string, number>();
      front.interfere(async (request, response, pass, body) => {
        const { method = "", url = "" } = request;
        if (method === "GET") return false;
        const nth = (counts.get(method) ?? 0) + 1;
        counts.set(method, nth);
        const met = meet(method, nth);
        moments.push(now(`before ${method} ${url} ${body}`));
        const own = met?.isDone === false ? undefined : await pass();
        moments.push(now(`after ${method} ${url} ${body}`));
        const answer = met ? met.answer : own;
        if (answer) response.writeHead(answer.status, answer.headers).end(answer.text);
        else response.destroy();
        return true;
      });
      return moments;
    },
    close: () => database.close(),
  };
}
