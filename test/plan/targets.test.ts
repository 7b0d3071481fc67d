import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  drawNames,
  findFaults,
  nameDrawer,
  none,
  seeds,
  type Account,
  type Contents,
  type Drawn,
} from "./drawn-account.ts";
import { ourServer } from "./zone-model.ts";

const hosts = ["h1.example.com.", "h2.example.com.", "h3.example.org.", "x.w.example.com.", "mx.example.net."];
const addresses = { A: ["192.0.2.1", "192.0.2.2"], AAAA: ["2001:db8::1", "2001:db8::2"], TXT: ['"one"'] };
const contents: Contents = {
  ...addresses,
  MX: hosts,
  SRV: hosts.map((host) => `0 5060 ${host}`),
  HTTPS: [...hosts.map((host) => `1 ${host}`), "1 .", "0 h2.example.com."],
  CNAME: hosts,
  ALIAS: hosts,
  NS: [...hosts, ourServer, "ns.sub.example.com."],
};
/** `npm run test:soak` draws more. */
const runs = Number(process.env["HOSTFORM_SOAK_RUNS"] ?? 60);

const drawName = nameDrawer(contents);
const hostTypes = ["A", "AAAA", "CNAME"];

/** A second zone, which may be new or go; a zone without a record would be unknown to the plan. */
const fixed: Drawn = { name: "txt", type: "TXT", content: '"one"', disabled: false, comment: null };
const other = fc.option(
  drawNames(drawName("h3", hostTypes), drawName("@", ["MX"])).map((records) => [...records, fixed]),
);

const accountOf = (main: fc.Arbitrary<Drawn[]>) =>
  fc
    .tuple(main, other)
    .map(([records, more]): Account => ({ "example.com": records, ...(more && { "example.org": more }) }));

describe("whatever is refused, a host that is named has its address, and every name its answer, unless the plan tells", () => {
  const cases: [string, fc.Arbitrary<Account>][] = [
    [
      "by MX records",
      accountOf(drawNames(drawName("@", ["MX"]), drawName("h1", hostTypes), drawName("h2", ["A", "CNAME"]))),
    ],
    [
      "by SRV and HTTPS records, beside a wildcard",
      accountOf(
        drawNames(
          drawName("_sip._tcp", ["SRV"]),
          drawName("h1", ["A", "HTTPS"]),
          drawName("h2", ["A", "AAAA", "ALIAS"]),
          drawName("*.w", ["A", "CNAME"]),
        ),
      ),
    ],
    [
      "by aliases",
      accountOf(
        drawNames(drawName("www", ["A", "CNAME", "ALIAS"]), drawName("h1", hostTypes), drawName("h2", ["A", "CNAME"])),
      ),
    ],
    [
      "by delegations",
      accountOf(
        drawNames(
          drawName("sub", ["NS"]),
          drawName("far", ["NS"]),
          drawName("ns.sub", ["A"]),
          drawName("h1", hostTypes),
          drawName("@", ["MX"]),
        ),
      ),
    ],
  ];
  test.each(cases)("%s", async (_title, account) => {
    await fc.assert(
      fc.asyncProperty(account, account, seeds, async (before, after, seed) => {
        expect(await findFaults(before, after, seed)).toEqual(none);
      }),
      { numRuns: runs },
    );
  });
});
