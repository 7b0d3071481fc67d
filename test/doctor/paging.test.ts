import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpsServer, startHttpsServer } from "../support/https-server.ts";
import { runInProcess } from "../support/in-process.ts";
import { entriesOf } from "./judge-mutations.ts";

/** The ways in which an API pages. */
interface Api {
  readonly style: "page" | "page0" | "offset";
  readonly page: string;
  readonly size: string;
  readonly most: number;
  readonly count: number;
  readonly hasTotal: boolean;
}

let server: HttpsServer;
let folder: string;
let api: Api;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hostform-paging-"));
  server = await startHttpsServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? "", "https://x.invalid");
    const isList = pathname === "/zones";
    const size = Math.min(Number(query.get(api.size) ?? api.most), api.most);
    const value = Number(query.get(api.page) ?? (api.style === "page" ? 1 : 0));
    const from = { page: Math.max(value - 1, 0) * size, page0: value * size, offset: value }[api.style];
    const zones = Array.from({ length: api.count }, (_, n) => ({ id: n + 1, name: `zone-${n + 1}.example` }));
    const items = zones.slice(from, from + size);
    const body = isList ? { items, ...(api.hasTotal && { total: api.count }) } : { message: "none" };
    response.writeHead(isList ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const styleText = { page: "", page0: "first: 0,", offset: "style: offset," };

const contractOf = ({ style, page, size, most, hasTotal }: Api) => `contract: 1
name: paged
request: { auth: { header: Authorization, scheme: Bearer } }
answer: { record: "", list: /items, error: { message: /message } }
paging: { ${styleText[style]} page: ${page}, size: ${size}, max_size: ${most}${hasTotal ? ", total: /total" : ""} }
kinds:
  dns_zone:
    id: /id
    fields: { name: { at: /name } }
    operations: { list: { method: GET, path: /zones } }
`;

/** Returns the findings about paging of a contract that says `written`, where the API is `real`. */
async function examine(real: Api, written: Api) {
  api = real;
  const file = join(folder, "contract.yaml");
  writeFileSync(file, contractOf(written));
  const flags = ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem"), "--contract", file];
  const ran = await runInProcess({ flags, env: { HOSTFORM_API_KEY: "a-key-for-paging" } }, ["doctor", "--json"]);
  const found = entriesOf(ran).filter(({ entry }) => entry[0] === "paging");
  const outcomeOf = (word: string) => found.find(({ entry }) => entry.join(".") === word);
  return { outcomeOf, ran };
}

const styles = ["page", "page0", "offset"] as const;
const usual: Api = { style: "page", page: "page", size: "limit", most: 50, count: 7, hasTotal: true };
const words = {
  page: { style: "page", first: undefined },
  page0: { style: "page", first: 0 },
  offset: { style: "offset", first: undefined },
};

describe("a way of paging", () => {
  const pairs = styles.flatMap((real) => styles.map((written) => ({ real, written })));
  test.each(pairs)("$written of an API that has $real is judged", async ({ real, written }) => {
    for (const count of [3, 4, 7])
      for (const hasTotal of [true, false]) {
        const isEmpty = real === "page0" && written === "page" && !hasTotal;
        const page = real === "offset" ? "skip" : "page";
        const there = { ...usual, style: real, page, count, hasTotal };
        const { outcomeOf, ran } = await examine(there, { ...there, style: written });
        const paging = outcomeOf("paging");
        // Without a count, an empty list is no sign of another first page.
        if (isEmpty) expect(paging?.outcome).toBe("not_tested");
        else if (real === written) expect(paging?.outcome, ran.stdout).toBe("confirmed");
        else {
          expect(paging?.outcome, ran.stdout).toBe("refuted");
          const write = (paging?.write?.["paging"] ?? {}) as Record<string, unknown>;
          expect({
            style: write["style"] ?? (written === "offset" && !("style" in write) ? "offset" : "page"),
          }).toEqual({
            style: words[real].style,
          });
          if (real === "page0") expect(write["first"]).toBe(0);
          if (written === "page0") expect(write["first"]).toBe(null);
        }
      }
  });

  test("of a list with two objects is not tested, with the reason", async () => {
    const { outcomeOf } = await examine({ ...usual, count: 2 }, usual);
    expect(outcomeOf("paging")).toMatchObject({ outcome: "not_tested", reason: "no list has three objects" });
  });
});

describe("the size of a page", () => {
  test.each(["take", "per_page", "pageSize"])("is refuted where the API calls it %s", async (size) => {
    const { outcomeOf } = await examine({ ...usual, size }, usual);
    expect(outcomeOf("paging.size")).toMatchObject({ outcome: "refuted", write: { paging: { size } } });
  });

  test("is not confirmed where no name has an effect", async () => {
    const { outcomeOf } = await examine({ ...usual, size: "stueck" }, usual);
    expect(outcomeOf("paging.size")?.outcome).toBe("not_tested");
    expect(outcomeOf("paging.max_size")?.outcome).toBe("not_tested");
  });

  test.each(styles.flatMap((style) => [true, false].map((hasTotal) => ({ style, hasTotal }))))(
    "has its most by $style, counted: $hasTotal",
    async ({ style, hasTotal }) => {
      const there = { ...usual, style, hasTotal, count: 120 };
      const cut = await examine(there, { ...there, most: 100 });
      expect(cut.outcomeOf("paging.max_size"), cut.ran.stdout).toMatchObject({
        outcome: "refuted",
        write: { paging: { max_size: 50 } },
      });
      const full = await examine(there, there);
      expect(full.outcomeOf("paging.max_size")?.outcome, full.ran.stdout).toBe("confirmed");
      const few = await examine({ ...there, count: 7 }, { ...there, most: 100 });
      expect(few.outcomeOf("paging.max_size")?.outcome).toBe("not_tested");
    },
  );
});
