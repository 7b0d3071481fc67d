import { quoted } from "../lib/escape.ts";

export interface Beginning {
  readonly folder: string;
  /** Files beside the folder that were written, or got lines. */
  readonly files: readonly string[];
  /** Files beside the folder that were there already, and stay as they are. */
  readonly kept: readonly string[];
  readonly imported: boolean;
  /** Whether the manifest names the API. */
  readonly has_base_url: boolean;
  /** The data file of the embedded service that was imported from; absent where another account was, or none. */
  readonly emulator_data?: string | undefined;
  /** Whether a workflow is at its place: not so below the top of a repository. */
  readonly has_workflow: boolean;
  /** Workflows that apply other manifests, and not this one; absent if there are none. */
  readonly elsewhere?: readonly { readonly file: string; readonly applies: readonly string[] }[];
  /** Workflows that apply this manifest, too, beside the new one; absent if there are none. */
  readonly twice?: readonly string[];
}

/** Returns the files that `init` has written, and three steps from there. */
export function beginningText(beginning: Beginning): string {
  const { folder, files, kept, imported, elsewhere = [], twice = [], ...has } = beginning;
  const path = folder.replace(/\/*$/u, "/");
  const from = path === "hosting/" ? "" : ` -f ${quoted(path)}`;
  const write = imported ? `Read ${path}, and choose its name: (it stays)` : `Write your own names into ${path}`;
  const service = has.emulator_data === undefined ? "--emulator" : `--emulator-data ${quoted(has.emulator_data)}`;
  const plan = `hostform plan${from}${has.has_base_url ? "" : ` ${service}`}`;
  const also = has.has_base_url
    ? "The API key comes from HOSTFORM_API_KEY, or from the file in HOSTFORM_KEY_FILE."
    : `On your account, write --base-url https://… in place of ${service}.`;
  const variables = `variable${has.has_base_url ? "" : "s HOSTFORM_BASE_URL and"} HOSTFORM_PACKAGE`;
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
    `1. ${write}.`,
    `2. See what an apply would do. ${also}`,
    `     ${plan}`,
    has.has_workflow
      ? `3. Commit. In the settings of the repository on GitHub, set the secret HOSTFORM_API_KEY and the ${variables}. Reviewers of the environment production approve each apply. Hostform's page on CI names the files for GitLab, Forgejo and any other CI.`
      : "3. Commit. No workflow was written, because GitHub reads one only at the top of a repository: Hostform's page on CI names it.",
  ].join("\n");
}
