import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import fc from "fast-check";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Board } from "../../../src/fleet/board.ts";
import { size } from "../../proofs/size.ts";
import { boardPages, boardPaths } from "../../../src/render/fleet/board-pages.ts";
import { browserPath, openBrowser } from "../../support/browser.ts";
import { forDraws } from "../../support/for-draws.ts";
import { harmlessLike, hostile, hostileText, tagsOf } from "../../support/hostile-text.ts";
import { madeBoard, madeDetails } from "../../support/made-board.ts";
import { planOfCustomers } from "../../support/page-source.ts";

const identity = (text: string) => text;

async function pagesOf(board: Board, text = "", mask = identity): Promise<ReadonlyMap<string, string>> {
  const pages = new Map<string, string>();
  const details = async (names: readonly string[]) => names.map(() => madeDetails(text));
  for await (const [path, page] of boardPages(board, details, mask)) pages.set(path, page);
  return pages;
}

const named = (names: readonly string[]): Board => ({
  ...madeBoard(0),
  accounts: names.map((name) => ({ name, owner: name, state: "clean" })),
});

test("each name of an account leads to a page of its own, below accounts/ and in letters that every server takes", async () => {
  const part = fc.constantFrom(
    "a",
    "A",
    "b",
    "..",
    ".",
    "/",
    "~",
    "-",
    "%2e",
    "\\",
    "ä",
    "?",
    "#",
    " ",
    "\u0000",
    "con",
  );
  const name = fc.array(part, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(""));
  await forDraws({}, fc.uniqueArray(name, { maxLength: 30 }), (names) => {
    const paths = boardPaths(named(names));
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(names.length + 1);
    for (const path of paths) expect(path).toMatch(/^(?:index|accounts\/[a-z0-9_~-][a-z0-9_.~-]{0,120})\.html$/u);
  });
  expect(boardPaths(named(["customers/shop.example"]))[0]).toBe("accounts/customers~shop.example.html");
});

test("a page for each account is yielded at its path, and the one that lists them last", async () => {
  const board = madeBoard(12);
  expect([...(await pagesOf(board)).keys()]).toEqual(boardPaths(board));
});

test("no name, owner, reason or value makes a tag or ends an attribute", async () => {
  const tags = async (text: string) => {
    const board = madeBoard(80, text);
    const accounts = board.accounts.filter(({ state }) => state !== "clean");
    return [...(await pagesOf({ ...board, accounts }, text)).values()].map(tagsOf);
  };
  const plain = { y: await tags("y"), "y y": await tags("y y") };
  await forDraws({ numRuns: 5 }, hostileText, async (text) => {
    expect(await tags(text)).toEqual(plain[harmlessLike(text)]);
  });
});

test("no JSON of the database is a piece of HTML", async () => {
  const summary = { parts: ["<script>alert(1)</script>"], values: [] };
  const plan = JSON.stringify({ ...planOfCustomers(1), diagnostics: [{ severity: "error", code: "x", summary }] });
  const pages = boardPages(madeBoard(1), async () => [{ plan, history: [] }], identity);
  await expect(pages.next()).rejects.toThrow("the last plan and drift of customers/c0.example");
});

test("a secret is masked wherever it stands", async () => {
  const secret = "correct-horse-battery-staple";
  const mask = (text: string) => text.replaceAll(secret, "(secret)");
  const board = madeBoard(40, ` ${secret} `);
  for (const page of (await pagesOf(board, ` ${secret} `, mask)).values()) {
    expect(page).toContain("(secret)");
    // The path of a page is made of the name of its account.
    expect(page.replaceAll(/<\/?mark>|href="[^"]*"/gu, "")).not.toMatch(/correct|horse|battery|staple/u);
  }
});

test("the page of an account is the same when the rest of the fleet is another", async () => {
  const [one, other] = [
    await pagesOf(madeBoard(10)),
    await pagesOf({ ...madeBoard(20), madeAt: "2027-01-01T00:00:00Z" }),
  ];
  for (const [path, page] of one) expect(other.get(path) === page).toBe(path !== "index.html");
});

describe.skipIf(browserPath === undefined)("the board in a browser (needs Debian's package chromium)", () => {
  const opened = openBrowser();

  /** Writes the pages of a board, and opens the one that lists the accounts; `heard`: all that its browser complains of or asks for. */
  async function open(
    board: Board,
    text = "",
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; heard: string[] }> {
    for (const [path, page] of await pagesOf(board, text)) {
      mkdirSync(dirname(join(opened.folder, path)), { recursive: true });
      writeFileSync(join(opened.folder, path), page);
    }
    return opened.openPage("index.html", options);
  }

  const shown = (page: Page) => page.locator(".item:visible").count();

  test("lists the worst first, filters by state, owner, group and text, and leads to the page of an account and back", async () => {
    const { page, heard } = await open(madeBoard(160));
    const choose = (label: string, value: string) => page.getByLabel(label, { exact: true }).selectOption(value);
    expect(await page.locator(".tile").allInnerTexts()).toEqual([
      "2\nfailed",
      "2\nnot converged",
      "2\nrefused",
      "2\nblocked",
      "2\ndrifted",
      "2\nwaiting for approval",
      "2\nlater",
      "2\nnever applied",
      "144\nclean",
    ]);
    expect(await page.locator(".item").first().innerText()).toMatch(/failed[\s\S]*the quota of zones is used up/u);
    expect(await shown(page)).toBe(160);
    await choose("State", "clean");
    expect(await shown(page)).toBe(144);
    await choose("Owner", "owner-7");
    expect(await shown(page)).toBe(4);
    await choose("Group", "gold");
    expect(await page.getByRole("status").innerText()).toBe("2 of 160 shown");
    await page.getByRole("button", { name: "Reset" }).click();
    await expect.poll(() => shown(page)).toBe(160);
    await page.getByLabel("Text").fill("C13.example since");
    expect(await shown(page)).toBe(1);
    await page.getByRole("link", { name: "customers/c13.example" }).click();
    await page.waitForURL(/accounts/u);
    expect(await page.locator("header dd").allInnerTexts()).toContain("drifted since 2026-11-17 08:00");
    expect(await page.locator("h2").allInnerTexts()).toEqual([
      "Last plan",
      "Refused 1",
      "Changes 7",
      "Order",
      "Not managed 1",
      "Left aside",
      "Drift 3",
      "History 3",
    ]);
    await page.getByLabel("Text").fill("no step has these words");
    expect(await shown(page), "what drifted is not a change of the plan").toBe(3);
    await page.getByRole("link", { name: "agency" }).click();
    await page.waitForURL(/index/u);
    expect(heard).toEqual([]);
  });

  test.runIf(size.whole).each([
    ["light", 1280],
    ["dark", 390],
  ] as const)("axe finds nothing (%s, %i wide), and no width needs scrolling sideways", async (colorScheme, width) => {
    const options = { colorScheme, viewport: { width, height: 900 } };
    const { page, heard } = await open(madeBoard(40, "y".repeat(60)), "y", options);
    const check = async () => {
      await page.evaluate(axe.source);
      const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>("axe.run()");
      expect(found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
      for (const each of [390, 900, 1440]) {
        await page.setViewportSize({ width: each, height: 900 });
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      }
      await page.setViewportSize({ width, height: 900 });
    };
    await check();
    await page.locator(".item a").first().click();
    await page.waitForURL(/accounts/u);
    await check();
    expect(heard).toEqual([]);
  });

  test("runs and loads nothing of hostile names and values, and opens their pages", async () => {
    const text = hostile.join("");
    const { page, heard } = await open(madeBoard(20, text), text);
    expect(await shown(page)).toBe(20);
    await page.locator(".item a").first().click();
    await page.waitForURL(/accounts/u);
    expect(await page.locator("h1").innerText()).toContain(
      `<script>alert(1)</script><img src="https://evil.example/x"`,
    );
    expect(await page.locator("img, body script:not(:last-child)").count()).toBe(0);
    expect(heard).toEqual([]);
  });

  test.runIf(size.whole)("shows all without its script, and no filter", async () => {
    const { page, heard } = await open(madeBoard(30), "", { javaScriptEnabled: false });
    expect(await shown(page)).toBe(30);
    expect(await page.locator(".filters").isVisible()).toBe(false);
    await page.locator(".item a").first().click();
    await page.waitForURL(/accounts/u);
    expect(await page.locator("#history tbody tr:visible").count()).toBe(3);
    expect(heard).toEqual([]);
  });

  test.runIf(size.largestBoard)("opens with 5,000 accounts in less than two seconds of work", async () => {
    const board = madeBoard(5000);
    const path = join(opened.folder, "large.html");
    for await (const [, text] of boardPages(board, async () => [], identity)) writeFileSync(path, text);
    const page = await opened.browser.newPage();
    const session = await page.context().newCDPSession(page);
    // Work of other processes does not count.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(pathToFileURL(path).href);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    const { metrics } = await session.send("Performance.getMetrics");
    const work = metrics.find(({ name }) => name === "TaskDuration")?.value;
    expect(work).toBeLessThan(2);
    expect(await page.getByRole("status").innerText()).toBe("5000 shown");
  });
});
