import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterEach } from "vitest";
import { openedForFile } from "./opened-for-file.ts";

/** The browser of this system, which is Debian's package chromium; undefined where it is not installed. */
export const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

/** A browser, and a folder for the pages that it opens. */
export interface OpenBrowser {
  readonly browser: Browser;
  readonly folder: string;
  /** Opens a file of the folder as a person does; `heard`: all that the browser complains of, or asks for beside pages. */
  readonly openPage: (name: string, options?: BrowserContextOptions) => Promise<{ page: Page; heard: string[] }>;
}

/** Returns a browser for the tests of a group, each of which begins without the pages of the one before. */
export function openBrowser(): OpenBrowser {
  const opened = openedForFile(async () => {
    const folder = mkdtempSync(join(tmpdir(), "hostform-page-"));
    const browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] });
    const openPage: OpenBrowser["openPage"] = async (name, options = {}) => {
      const page = await (await browser.newContext(options)).newPage();
      page.setDefaultTimeout(20_000);
      const heard: string[] = [];
      page.on("console", (message) => heard.push(message.text()));
      page.on("pageerror", (error) => heard.push(error.message));
      page.on("dialog", (dialog) => heard.push(dialog.message()));
      page.on("request", (request) => request.isNavigationRequest() || heard.push(request.url()));
      await page.goto(pathToFileURL(join(folder, name)).href);
      return { page, heard };
    };
    const close = async () => {
      await browser.close();
      rmSync(folder, { recursive: true });
    };
    return { browser, folder, openPage, close };
  });
  afterEach(async () => {
    for (const context of opened.browser.contexts()) await context.close();
  });
  return opened;
}
