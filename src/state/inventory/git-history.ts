import type { Address } from "../../model/address.ts";
import type { InventoryEvent } from "../../model/inventory.ts";
import type { Git } from "../git/run-git.ts";

const fields = [
  "%H",
  "%cI",
  "%s",
  ...["By", "Plan", "Commit", "Dirty"].map((name) => `%(trailers:key=Hostform-${name},valueonly)`),
];

/** The commits up to `tip` whose text of `file` gained or lost a mention of the address, and which of both; undefined where git cannot tell. */
export async function readHistory(
  git: Git,
  tip: string,
  file: string,
  address: Address,
): Promise<readonly InventoryEvent[] | undefined> {
  const format = `--format=tformat:%x01${fields.join("%x00")}`;
  const looks = ["--first-parent", "--diff-merges=first-parent", "--no-textconv", "--no-ext-diff", "--no-renames"];
  const log = await git(["log", ...looks, "--no-patch", format, `-S${JSON.stringify(address)}`, tip, "--", file]);
  if (!log.ok) return undefined;
  const events: InventoryEvent[] = [];
  for (const text of log.stdout.toString().split("\u0001").slice(1)) {
    const event = await readEvent(git, text, file, address);
    if (event) events.push(event);
  }
  return events;
}

async function readEvent(git: Git, text: string, file: string, address: Address): Promise<InventoryEvent | undefined> {
  const [commit = "", time = "", subject = "", ...trailers] = text.split("\0").map((each) => each.trim());
  const [by, planHash, headCommit, dirty] = trailers;
  const isOurs = async (revision: string) =>
    mentions((await git(["cat-file", "blob", `${revision}:${file}`])).stdout, address);
  const [before, after] = [await isOurs(`${commit}^1`), await isOurs(commit)];
  if (before === after) return undefined;
  return {
    change: after ? "entered" : "left",
    commit,
    time: new Date(time).toISOString(),
    subject,
    ...(by && { by }),
    ...(planHash && { planHash }),
    ...(headCommit && { headCommit }),
    ...(dirty === "true" && { dirty: true }),
  };
}

/** Whether the address is among those that are ours, which stand before all other lists; another text has none. */
function mentions(text: Buffer, address: Address): boolean {
  const whole = text.toString();
  const end = whole.indexOf('"prevent_destroy"');
  return whole.slice(0, end < 0 ? undefined : end).includes(JSON.stringify(address));
}
