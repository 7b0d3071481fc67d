import { quoted } from "../lib/quoted.ts";

export interface Beginning {
  readonly folder: string;
  /** Files beside the folder that were written, or got lines. */
  readonly files: readonly string[];
  /** Files beside the folder that were there already, and stay as they are. */
  readonly kept: readonly string[];
  readonly imported: boolean;
  /** Whether the manifest names the API. */
  readonly has_base_url: boolean;
  /** Workflows that apply other manifests, and not this one; absent if there are none. */
  readonly elsewhere?: readonly { readonly file: string; readonly applies: readonly string[] }[];
  /** Workflows that apply this manifest, too, beside the new one; absent if there are none. */
  readonly twice?: readonly string[];
}

/** Returns the files that `init` has written, and three steps from there. */
export function beginningText({
  folder,
  files,
  kept,
  imported,
  has_base_url: hasBaseUrl,
  elsewhere = [],
  twice = [],
}: Beginning): string {
  const path = folder.replace(/\/*$/u, "/");
  const from = path === "hosting/" ? "" : ` -f ${quoted(path)}`;
  const write = imported ? `Read ${path}, and change what you like` : `Write your own names into ${path}`;
  const plan = `hostform plan${from}${hasBaseUrl ? "" : " --emulator"}`;
  const also = hasBaseUrl
    ? " with the API key in HOSTFORM_API_KEY, or its file in HOSTFORM_KEY_FILE"
    : " (on your account, --base-url https://… in place of --emulator)";
  const variables = hasBaseUrl ? "variable HOSTFORM_PACKAGE" : "variables HOSTFORM_PACKAGE and HOSTFORM_BASE_URL";
  return [
    `Wrote ${[path, ...files].join(", ")}.${kept.length === 0 ? "" : ` Left as it is: ${kept.join(", ")}.`}`,
    ...elsewhere.map(
      ({ file, applies }) =>
        `${file} applies ${applies.join(", ")}, and not ${path}: name ${path} there if it is to be applied, too.`,
    ),
    ...twice.map(
      (file) => `${file} already applies ${path}, and the new workflow would apply it again: delete one of the two.`,
    ),
    "Next:",
    `  1. ${write}.`,
    `  2. See what an apply would do: ${plan}${also}`,
    `  3. Commit. In the settings of the repository on GitHub, set the secret HOSTFORM_API_KEY and the ${variables}.`,
  ].join("\n");
}
