import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import fc from "fast-check";
import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { getOrMake } from "../../src/lib/collect.ts";
import { renderHtmlPage } from "../../src/render/page/html-page.ts";
import type { PageSource } from "../../src/render/page/page-items.ts";
import { size } from "../proofs/size.ts";
import { browserPath, openBrowser } from "../support/browser.ts";
import { forDraws } from "../support/for-draws.ts";
import { harmlessLike, hostile, hostileText, tagsOf } from "../support/hostile-text.ts";
import { pageSources, planOfCustomers } from "../support/page-source.ts";

const sorts = ["plan", "report", "drift"] as const;
const identity = (text: string) => text;
const pageOf = (source: PageSource) => renderHtmlPage(source, identity, 0);
const plan = (customers: number): PageSource => ({ plan: planOfCustomers(customers), diagnostics: [], notices: [] });

test("no value of a manifest or of the API makes a tag or ends an attribute", async () => {
  const tags = (text: string, sort: (typeof sorts)[number]) => tagsOf(pageOf(pageSources(text)[sort]));
  const plain = new Map<string, readonly string[]>();
  await forDraws({ numRuns: 25 }, hostileText, fc.constantFrom(...sorts), (text, sort) => {
    const like = harmlessLike(text);
    expect(tags(text, sort)).toEqual(getOrMake(plain, `${sort} ${like}`, () => tags(like, sort)));
  });
});

test("a secret is masked wherever it stands, also where a value is cut or marked", () => {
  const secret = "correct-horse-battery-staple";
  const mask = (text: string) => text.replaceAll(secret, "(secret)");
  for (const sort of sorts) {
    const page = renderHtmlPage(pageSources(` ${secret} `)[sort], mask, 0);
    expect(page).toContain("(secret)");
    expect(page.replaceAll(/<\/?mark>/gu, "")).not.toMatch(/correct|horse|battery|staple/u);
  }
});

test("a mistake in a template names the place that uses it, as in the text", () => {
  const defined = { file: "templates.yaml", line: 3, col: 5 };
  const uses = [{ template: "site", at: defined, used: { file: "shop.yaml", line: 7, col: 2 } }];
  const diagnostic = { severity: "warning", code: "lint", summary: "A name", at: { ...defined, uses } } as const;
  const page = pageOf({ ...plan(1), diagnostics: [diagnostic] });
  expect(page).toContain("shop.yaml:7:2 templates.site (templates.yaml:3) is used here");
});

test("a page of the same plan is the same, and allows only its own script and style", () => {
  const page = pageOf(plan(2));
  expect(pageOf(plan(2))).toBe(page);
  expect(page).toMatch(
    /content="default-src 'none'; style-src 'sha256-[\w+/]{43}='; script-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'"/u,
  );
  expect(page).not.toMatch(/ style=| on\w+=|https?:\/\/(?!api\.your-host)/u);
});

describe.skipIf(browserPath === undefined)("the page in a browser (needs Debian's package chromium)", () => {
  const opened = openBrowser();

  /** Opens a page from a file, as a person does; `heard`: all that its browser complains of or asks for. */
  async function open(
    source: PageSource,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; heard: string[] }> {
    writeFileSync(join(opened.folder, "page.html"), pageOf(source));
    return opened.openPage("page.html", { permissions: ["clipboard-read", "clipboard-write"], ...options });
  }

  const shown = (page: Page) => page.locator(".item:visible").count();

  test("shows a step with its fields, reason, manifest line and calls, once it is clicked", async () => {
    const { page, heard } = await open(plan(2));
    const step = page.locator("#s3");
    expect(await step.locator(".body").isVisible()).toBe(false);
    await step.locator("summary").click();
    const text = (await step.innerText()).replaceAll(/\s+/gu, " ");
    expect(text).toContain("soa_email a@old.example a@c0.example");
    expect(text).toContain("quota_mb differs from the manifest");
    expect(text).toContain("hosting/c0.example.yaml:3");
    expect(text).toContain("PUT /v2026/zones/{id of dns_zone/c0.example}/records");
    await step.getByRole("link", { name: "2" }).click();
    await page.waitForFunction("document.activeElement.parentElement.id === 's2'");
    expect(heard).toEqual([]);
  });

  test("filters by action, kind, domain and text, and shows all again", async () => {
    const { page } = await open(plan(3));
    const choose = (label: string, value: string) => page.getByLabel(label, { exact: true }).selectOption(value);
    expect(await shown(page)).toBe(21);
    await choose("Kind", "dns_record");
    expect(await shown(page)).toBe(9);
    await choose("Action", "destroy");
    expect(await shown(page)).toBe(3);
    await choose("Domain", "c1.example");
    expect(await shown(page)).toBe(1);
    expect(await page.getByRole("status").innerText()).toBe("1 of 21 shown");
    await page.getByRole("button", { name: "Reset" }).click();
    await expect.poll(() => shown(page)).toBe(21);
    await page.getByLabel("Text").fill("SPF1 c2.example");
    expect(await shown(page)).toBe(1);
    expect(await page.locator(".group:visible").count()).toBe(1);
    await page.keyboard.press("Escape");
    expect(await shown(page)).toBe(21);
  });

  test("copies the flag, the lines of the manifest, and the hash", async () => {
    const { page } = await open(plan(1));
    const copied = async (near: string) => {
      const button = page.locator(".copy", { hasText: near }).getByRole("button");
      await button.click();
      await expect.poll(() => button.innerText()).toBe("Copied");
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    expect(await copied("To allow it")).toBe("--allow-delete mailbox/info@c0.example");
    expect(await copied("Or commit")).toBe('removed:\n  - { address: "mailbox/info@c0.example", action: delete }');
    expect(await copied("Plan hash")).toBe(`sha256:${"3f9a5c1e".repeat(8)}`);
  });

  test.runIf(size.whole)("can be used by the keyboard alone", async () => {
    const { page } = await open(plan(70));
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("/");
    await page.keyboard.type("c7.example soa_email");
    expect(await shown(page)).toBe(1);
    await page.getByRole("button", { name: "Reset" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await page.locator(".item:visible[open]").count()).toBe(1);
    await page.locator("svg a", { hasText: "7 × dns_record" }).focus();
    await page.keyboard.press("Enter");
    expect(await page.getByRole("status").innerText()).toBe("7 of 490 shown");
    await page.keyboard.press("Escape");
    expect(await page.getByRole("status").innerText()).toBe("490 shown");
  });

  test.each(size.every(3, [72, 2, 1]))(
    "draws the order of %i times seven steps in boxes that do not overlap, with the gap",
    async (count) => {
      const { page } = await open(plan(count));
      const boxes = await page
        .locator(".box")
        .evaluateAll((all) =>
          all.map((each) => ["x", "y", "width", "height"].map((name) => Number(each.getAttribute(name)))),
        );
      expect(boxes.length).toBeGreaterThan(4);
      expect(boxes.length).toBeLessThan(91);
      for (const [index, [x = 0, y = 0, width = 0, height = 0]] of boxes.entries())
        for (const [left = 0, top = 0] of boxes.slice(index + 1))
          expect(Math.abs(left - x) >= width || Math.abs(top - y) >= height).toBe(true);
      expect(await page.locator(".edge.gap").count()).toBe(1);
      const points = await page.evaluate<[number, number][]>(`[...document.querySelectorAll(".edge")].flatMap((edge) =>
        Array.from({ length: 41 }, (_, part) => edge.getPointAtLength((edge.getTotalLength() * part) / 40)).map(({ x, y }) => [x, y]))`);
      const isInside = ([x, y]: [number, number]) =>
        boxes.some(
          ([from = 0, top = 0, width = 0, height = 0]) =>
            x > from + 1 && x < from + width - 1 && y > top + 1 && y < top + height - 1,
        );
      expect(points.filter(isInside)).toEqual([]);
    },
  );

  test.each(
    size.every(9, [
      ["plan", "light"],
      ["report", "dark"],
      ["drift", "light"],
    ] as const),
  )("axe finds nothing in the page of a %s (%s), and no width needs scrolling sideways", async (sort, colorScheme) => {
    const { page, heard } = await open(pageSources("y")[sort], { colorScheme });
    await page.getByRole("button", { name: "Open all" }).click();
    await page.evaluate(axe.source);
    const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>("axe.run()");
    expect(found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
    for (const width of [390, 900, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    }
    expect(heard).toEqual([]);
  });

  test.each(sorts)("runs and loads nothing of hostile values in the page of a %s", async (sort) => {
    const { page, heard } = await open(pageSources(hostile.join(""))[sort]);
    expect(await page.locator(".item").count()).toBe(sort === "drift" ? 3 : 14);
    expect(await page.locator("img, body script:not(:last-child), .item a:not([href^='#'])").count()).toBe(0);
    expect(await page.locator("body").innerText()).toContain(
      `<script>alert(1)</script><img src="https://evil.example/x"`,
    );
    expect(heard).toEqual([]);
  });

  test("prints each step that is shown with its fields, and no filter", async () => {
    const { page } = await open(plan(3));
    await page.getByLabel("Kind").selectOption("mailbox");
    await page.emulateMedia({ media: "print" });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator(".item[open]:visible .body:visible").count()).toBe(3);
    expect(await page.locator(".filters").isVisible()).toBe(false);
  });

  test.runIf(size.whole)(
    "prints of more than 200 steps the fields of the dangers alone, and a line for each other",
    async () => {
      const { page } = await open(plan(40));
      await page.emulateMedia({ media: "print" });
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      const [all, dangers] = await Promise.all([shown(page), page.locator(".danger .item").count()]);
      expect(dangers).toBeGreaterThan(0);
      expect([all, await page.locator(".item[open]").count()]).toEqual([280, dangers]);
      expect(await page.locator(".danger .item[open]").count()).toBe(dangers);
    },
  );

  test("shows all without its script", async () => {
    const { page, heard } = await open(plan(2), { javaScriptEnabled: false });
    expect(await shown(page)).toBe(14);
    expect(await page.locator(".filters").isVisible()).toBe(false);
    expect(heard).toEqual([]);
  });

  test.runIf(size.whole)("opens with 5,000 steps in less than two seconds of work", async () => {
    writeFileSync(join(opened.folder, "large.html"), pageOf(plan(715)));
    const page = await opened.browser.newPage();
    const session = await page.context().newCDPSession(page);
    // Work of other processes does not count.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await page.goto(pathToFileURL(join(opened.folder, "large.html")).href);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    const { metrics } = await session.send("Performance.getMetrics");
    expect(metrics.find(({ name }) => name === "TaskDuration")?.value).toBeLessThan(2);
    expect(await page.getByRole("status").innerText()).toBe("5005 shown");
  });
});
