import { expect, test } from "vitest";
import type { Reader } from "../../src/api/connection.ts";
import { collectionOf } from "../../src/kinds/derived/collection.ts";
import { kinds } from "../../src/kinds/index.ts";
import { readLive } from "../../src/live/read-live.ts";
import type { Failure } from "../../src/model/failure.ts";
import { builtIn } from "../support/built-in-contract.ts";

test.each(["unreachable", "untrusted", "unauthorized"] as const)(
  "%s: a list that begins with the ids of another is not asked for, since nobody waits for a dead server twice",
  async (sort) => {
    const error: Failure = { sort, method: "GET", path: "/", message: "no answer", attempts: 6 };
    const asked: string[] = [];
    const reader: Reader = {
      get: async ({ path }) => {
        asked.push(path);
        return { ok: false, error };
      },
    };
    const wanted = kinds
      .filter(({ name }) => name === "domain" || name === "dns_record")
      .map((kind) => collectionOf(kind, { zone: "a.example" }));
    expect(await readLive(reader, builtIn, wanted)).toEqual({ ok: false, error });
    expect(asked.toSorted()).toEqual(["/v2026/dns/zones", "/v2026/services"]);
  },
);
