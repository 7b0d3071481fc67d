import { escapeControls } from "../lib/escape.ts";
import { boundText } from "../lib/shorten.ts";
import { noticeText, type Notice } from "../messages/notices.ts";

/** Notices of several lines. */
const pages: ReadonlySet<Notice["type"]> = new Set(["cancelled", "initialised", "inventory", "inventory_event"]);

/** Returns a notice as text without control characters: no value in it begins a line. */
export const renderNotice = (notice: Notice): string =>
  `${pages.has(notice.type) ? noticeText(escapeValues(notice)) : escapeControls(noticeText(notice))}\n`;

const escapeValues = (notice: Notice) =>
  JSON.parse(JSON.stringify(notice), (_, value: unknown) =>
    typeof value === "string" ? boundText(escapeControls(value)) : value,
  ) as Notice;
