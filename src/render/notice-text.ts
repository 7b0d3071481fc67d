import { noticeText, type Notice } from "../messages/notices.ts";
import { printable, type Page } from "./layout.ts";

/** Notices of several lines. */
const pages: ReadonlySet<Notice["type"]> = new Set(["cancelled", "initialised", "inventory", "inventory_event"]);

/** Returns a notice as text without control characters: no value in it begins a line. */
export const renderNotice = (notice: Notice, mask: Page["mask"]): string =>
  `${pages.has(notice.type) ? noticeText(escapeValues(notice, mask)) : printable({ mask }, noticeText(notice))}\n`;

const escapeValues = (notice: Notice, mask: Page["mask"]) =>
  JSON.parse(JSON.stringify(notice), (_, value: unknown) =>
    typeof value === "string" ? printable({ mask }, value) : value,
  ) as Notice;
