import { describe, expect, it } from "vitest";
import { streamWriters } from "../../src/cli/main.ts";

function makeStreams(isTTY: boolean) {
  const written: string[] = [];
  const stream = (name: string) => ({
    isTTY,
    on: () => undefined,
    write: (text: string) => written.push(`${name}: ${text}`),
  });
  return { written, out: stream("out") as never, error: stream("error") as never };
}

describe("gathered output", () => {
  it("is written at once after a pause, and otherwise in its order, the lines of one stream in one text", () => {
    const { written, out, error } = makeStreams(false);
    let now = 0;
    const { write, writeError, flush } = streamWriters(out, error, () => now);
    write("1");
    expect(written).toEqual(["out: 1"]);
    write("2");
    write("3");
    writeError("4");
    write("5");
    expect(written).toEqual(["out: 1"]);
    flush();
    expect(written.slice(1)).toEqual(["out: 23", "error: 4", "out: 5"]);
    write("6");
    now = 100;
    write("7");
    expect(written.slice(4)).toEqual(["out: 67"]);
  });

  it("is not gathered on a terminal", () => {
    const { written, out, error } = makeStreams(true);
    const { write } = streamWriters(out, error, () => 0);
    write("1");
    write("2");
    expect(written).toEqual(["out: 1", "out: 2"]);
  });
});
