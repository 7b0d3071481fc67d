import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { size } from "../proofs/size.ts";
import { startHttpsServer, type HttpsServer } from "../support/https-server.ts";
import { eventsOf, exits } from "../support/run-hostform.ts";
import { namesOf, openFleet, shopManifest, type TestFleet } from "../support/fleet.ts";

let fleet: TestFleet;
let stranger: HttpsServer;
/** The headers of all that was asked of the stranger. */
let requests: (string | undefined)[];
beforeEach(async () => {
  requests = [];
  [fleet, stranger] = await Promise.all([
    openFleet(namesOf(2)),
    startHttpsServer((request, response) => {
      requests.push(request.headers.authorization);
      response.writeHead(401).end("{}");
    }),
  ]);
  onTestFinished(fleet.close);
  onTestFinished(stranger.close);
  exits(0, await fleet.fleet(["run", "--auto-approve"]));
});

/** What a pull request may change: fleet.yaml, the files beside it, and the names of folders. */
const change = (edit: (text: string) => string) => {
  const path = join(fleet.folder, "fleet.yaml");
  writeFileSync(path, edit(readFileSync(path, "utf8")));
};
const toStranger = () => {
  writeFileSync(join(fleet.folder, "ca.pem"), stranger.ca);
  change((text) => text.replace(fleet.api.baseUrl, stranger.baseUrl.origin));
};
const rename = () => {
  renameSync(join(fleet.folder, "accounts/shop-001"), join(fleet.folder, "accounts/other"));
  fleet.write("other", shopManifest("other"));
};
const ended = async (args: readonly string[]) =>
  eventsOf(await fleet.fleet([...args, "--json"])).filter(({ type }) => type === "account_ended");

describe("a key is not sent to another API than before", () => {
  test.each(
    size.every<readonly [string, () => void]>(4, [
      ["fleet.yaml names another", () => undefined],
      ["the account has another name", rename],
      ["the fleet has another name", () => change((text) => text.replace("name: test", "name: others"))],
      ["both have", () => (change((text) => text.replace("name: test", "name: others")), rename())],
    ]),
  )("where %s", async (_what, prepare) => {
    prepare();
    toStranger();
    for (const args of [["run"], ["run", "--auto-approve"]]) {
      const accounts = await ended(args);
      expect(accounts.map(({ state }) => state)).toEqual(["refused", "refused"]);
      for (const { why } of accounts) {
        expect(why).toContain(stranger.baseUrl.host);
        expect(why).toContain(new URL(fleet.api.baseUrl).host);
        expect(why).toContain("--accept-target");
      }
    }
    expect(requests).toEqual([]);
  });

  test("unless the run accepts that", async () => {
    toStranger();
    const accounts = await ended(["run", "--accept-target"]);
    expect(accounts.map(({ state }) => state)).toEqual(["failed", "failed"]);
    expect(requests).toContain(`Bearer ${fleet.env["HOSTFORM_API_KEY"]}`);
  });

  test.runIf(size.whole)("and a plan that was approved before is refused like any other", async () => {
    fleet.write("shop-001", shopManifest("shop-001", "192.0.2.9"));
    expect((await fleet.fleet(["run"])).status).toBe(6);
    toStranger();
    expect((await ended(["run", "--auto-approve", "--only", "accounts/shop-001"])).map(({ state }) => state)).toEqual([
      "refused",
    ]);
    expect(requests).toEqual([]);
  });
});
