/** The journal of an earlier apply in its place. Reading its parts throws where the place refuses; each reading gives parts of its own. */
export interface StoredJournal {
  readonly parts: () => Iterable<Buffer>;
  /** The first lines of an apply that was cut off before it sent anything, where they are kept. */
  readonly draft: () => Iterable<Buffer>;
}

/** A journal that is being written: whole lines, each of which is sealed. */
export interface JournalLines {
  /**
   * Adds lines at the end; the first time, they and the beginning take the place of the journal that was there. Returns why they could not
   * be added, if so. `isWaitedFor`: they must outlive a power failure before this returns.
   */
  readonly append: (text: string, isWaitedFor: boolean) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

/** The place of the journal of one target: of the writes that an apply is about to send. Everything in it rejects where the place refuses. */
export interface JournalStore {
  /** For messages: a path, or a name of the place. */
  readonly where: string;
  /** Its file, if it is one: a run takes the locks of this machine before it writes there. */
  readonly file?: string;
  readonly read: () => Promise<StoredJournal>;
  /** Begins another journal with these lines. */
  readonly begin: (text: string) => Promise<JournalLines>;
  readonly remove: () => Promise<void>;
  /** Moves a journal that cannot be read out of the way. `now`: milliseconds since the epoch. */
  readonly setAside: (now: number) => Promise<void>;
  /** The places of those that were moved out of the way, and that nobody has removed since. */
  readonly listAside: () => Promise<readonly string[]>;
}
