import type { Notice } from "../engine/session/events.ts";
import { quoted } from "../lib/quoted.ts";

/** Returns the files that `init` has written, and three steps from there. */
export function renderBeginning({
  folder,
  files,
  kept,
  imported,
  has_base_url: hasBaseUrl,
  elsewhere = [],
  twice = [],
}: Extract<Notice, { type: "initialised" }>): string {
  const path = folder.replace(/\/*$/u, "/");
  const from = path === "hosting/" ? "" : ` -f ${quoted(path)}`;
  const write = imported ? `Read ${path}, and change what you like` : `Write your own names into ${path}`;
  const plan = `hostform plan${from}${hasBaseUrl ? "" : " --emulator"}`;
  const also = hasBaseUrl
    ? ", with the API key in HOSTFORM_API_KEY, or its file in HOSTFORM_KEY_FILE"
    : "; on your account: --base-url https://… instead of --emulator";
  const variables = hasBaseUrl ? "variable HOSTFORM_PACKAGE" : "variables HOSTFORM_PACKAGE and HOSTFORM_BASE_URL";
  return [
    `Wrote ${[path, ...files].join(", ")}.${kept.length === 0 ? "" : ` Left as it is: ${kept.join(", ")}.`}`,
    ...elsewhere.map(
      ({ file, applies }) =>
        `${file} applies ${applies.join(", ")}, and not ${path}: name ${path} there if it is to be applied, too.`,
    ),
    ...twice.map((file) => `${file} applies ${path}, too, as the new workflow does: keep only one of them.`),
    "Next:",
    `  1. ${write}.`,
    `  2. See what an apply would do: ${plan}${also}`,
    `  3. Commit. In the settings of the repository on GitHub, set the secret HOSTFORM_API_KEY and the ${variables}.`,
  ].join("\n");
}
