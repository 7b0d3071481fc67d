import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { open as openFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { parseJournal } from "../../src/journal/parse-journal.ts";
import type { Intent, Write } from "../../src/model/journal.ts";
import { fileJournal } from "../../src/journal/file-journal.ts";
import { writeJournal } from "../../src/journal/write-journal.ts";
import type { Address } from "../../src/model/address.ts";
import type { RemoteId } from "../../src/model/resource.ts";
import { forDraws } from "../support/for-draws.ts";
import { sealedLines } from "../support/sealed-lines.ts";
import { folderForFile } from "../support/temporary-folder.ts";
import { begin, inFlightIn, intent, noon, partsOf, write, www } from "./journal-samples.ts";

const top = folderForFile();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(top, "t"));
});

describe("a journal that is written", () => {
  const path = () => join(folder, "x.journal");
  const open = (again: readonly Intent[] = []) =>
    writeJournal(
      fileJournal(path()),
      begin,
      { again, held: [], removedValues: [], unconfirmed: [] },
      { now: () => Date.parse(noon), countOnce: async () => undefined },
    );

  test("has each intent on the disk before its number is given, however many come at once", async () => {
    const journal = await open();
    const numbers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const intended = await journal.intend({ ...write, identity: `192.0.2.${index}` });
        expect(readFileSync(path(), "utf8")).toContain(`"192.0.2.${index}"`);
        return intended.ok ? intended.value : 0;
      }),
    );
    expect(inFlightIn(readFileSync(path(), "utf8"))).toEqual(numbers);
    for (const n of numbers.slice(1)) journal.ended(n, { is: "done" });
    await journal.close(undefined);
    expect(inFlightIn(readFileSync(path(), "utf8"))).toEqual([numbers[0]]);
  });

  const spyOnDisk = async () => {
    const file = await openFile(join(folder, "any"), "w");
    const sync = vi.spyOn(Object.getPrototypeOf(file) as FileHandle, "datasync");
    onTestFinished(() => sync.mockRestore());
    await file.close();
    return sync;
  };

  test("says in words that the disk is full", async () => {
    const sync = await spyOnDisk();
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      syscall: "write",
    });
    sync.mockRejectedValue(full);
    const journal = await open();
    expect(await journal.intend(write)).toEqual({ ok: false, error: "the disk is full" });
    await journal.close(undefined);
  });

  test("waits for the disk, once for all that come meanwhile", async () => {
    const sync = await spyOnDisk();
    let diskIsDone = () => undefined as void;
    sync.mockImplementationOnce(() => new Promise((resolve) => (diskIsDone = resolve)));
    const journal = await open();
    let isWritten = false;
    const first = journal.intend(write).then(() => (isWritten = true));
    await vi.waitFor(() => expect(sync).toHaveBeenCalledOnce(), { timeout: 30_000 });
    const others = Array.from({ length: 200 }, () => journal.intend(write));
    expect(isWritten).toBe(false);
    diskIsDone();
    await Promise.all([first, ...others]);
    expect(sync).toHaveBeenCalledTimes(2);
    await journal.close(undefined);
  });

  test("is gone once nothing is open: what was unknown is settled with its step", async () => {
    const journal = await open();
    const intended = await journal.intend(write);
    if (intended.ok) journal.ended(intended.value, { is: "unknown" });
    journal.settled("s", "done");
    await journal.close(undefined);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("leaves what an earlier apply has left, until it sends something itself", async () => {
    writeFileSync(path(), sealedLines([begin, intent(1)]));
    const journal = await open();
    await journal.close(undefined);
    expect(inFlightIn(readFileSync(path(), "utf8"))).toEqual([1]);
    const next = await open();
    const intended = await next.intend(write);
    if (intended.ok) next.ended(intended.value, { is: "done" });
    await next.close(undefined);
    expect(existsSync(path())).toBe(false);
  });

  test("does not write through a link that is in its way", async () => {
    writeFileSync(join(folder, "precious"), "precious");
    symlinkSync(join(folder, "precious"), `${path()}.new`);
    symlinkSync(join(folder, "precious"), path());
    const journal = await open();
    await journal.intend(write);
    await journal.close(undefined);
    expect(readFileSync(join(folder, "precious"), "utf8")).toBe("precious");
    expect(inFlightIn(readFileSync(path(), "utf8"))).toEqual([1]);
  });

  test("keeps what was made until that very object is deleted, though objects of other addresses have the same id", async () => {
    const addresses = [www, "mailbox/a@a.example", "certificate/a.example/managed"] as Address[];
    const { identity: _identity, ...sample } = write;
    const oneWrite = fc.record({
      address: fc.constantFrom(...addresses),
      id: fc.constantFrom("1", "2"),
      isMade: fc.boolean(),
    });
    await forDraws(60, fc.array(oneWrite, { maxLength: 8 }), async (writes) => {
      rmSync(path(), { force: true });
      const journal = await open();
      const made = new Set<string>();
      for (const { address, id, isMade } of writes) {
        const object = `${address} ${id}`;
        const sent: Write = isMade
          ? { ...sample, address, once: true }
          : { ...sample, address, operation: "delete", method: "DELETE", ids: [id] };
        const intended = await journal.intend(sent);
        if (intended.ok) journal.ended(intended.value, { is: "done", ...(isMade && { id: id as RemoteId }) });
        if (isMade) made.add(object);
        else made.delete(object);
      }
      const nameOf = ({ address, id }: { address: Address; id?: string | undefined }) => `${address} ${id}`;
      expect(new Set(journal.unconfirmed().map(nameOf))).toEqual(made);
      await journal.close(undefined);
      expect(existsSync(path())).toBe(made.size > 0);
      if (made.size === 0) return;
      const parsed = parseJournal(partsOf(readFileSync(path(), "utf8")));
      expect("journal" in parsed && new Set(parsed.journal.made.map(nameOf))).toEqual(made);
    });
  });

  test("gives an earlier key once, and only to the same request with the same body", async () => {
    const body = "0".repeat(64);
    const journal = await open([intent(1, { key: "then", body }), intent(2, { key: "secret" })]);
    expect(journal.keyOf({ ...write, body: "1".repeat(64) })).toBe(undefined);
    expect(journal.keyOf({ ...write, body, path: "/other" })).toBe(undefined);
    expect(journal.keyOf(write), "what is secret in it may be another").toBe(undefined);
    expect(journal.keyOf({ ...write, body })).toBe("then");
    expect(journal.keyOf({ ...write, body })).toBe(undefined);
    await journal.close(undefined);
  });
});
