import { DatabaseError } from "../connection.ts";

/** The user of the stores of an account: one run of it. */
export interface StoreHolder {
  /** The name of the lease that it holds. */
  readonly lease: string;
  /** A UUID: what it writes is taken only while the lease has this token. */
  readonly token: string;
  readonly newId: () => string;
}

/** Does what a database may refuse, and returns `refused` of the reason where it does. */
export async function orRefused<T, U>(work: () => Promise<T>, refused: (error: DatabaseError) => U): Promise<T | U> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseError) return refused(error);
    throw error;
  }
}
