import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/**
 * Returns an object that all tests of a file share: filled with what `open` returns before the first test, and closed after the last.
 * It is empty until then. Objects close in the reverse order of these calls.
 */
export function openedForFile<Opened extends { readonly close: () => Promise<void> | void }>(
  open: () => Promise<Opened> | Opened,
): Opened {
  const opened = {} as Opened;
  beforeAll(async () => {
    Object.assign(opened, await open());
  });
  afterAll(() => opened.close());
  return opened;
}

/** The same for each test of a file: opened anew before it, and closed after it. */
export function openedForTest<Opened extends { readonly close: () => Promise<void> | void }>(
  open: () => Promise<Opened> | Opened,
): Opened {
  const opened = {} as Opened;
  beforeEach(async () => {
    Object.assign(opened, await open());
  });
  afterEach(() => opened.close());
  return opened;
}
