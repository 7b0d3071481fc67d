import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join, relative, resolve, sep } from "node:path";
import { type Head, schemaLine } from "../../import/write-manifest.ts";
import { isInside, mayBringIn, realPath } from "../../lib/inside.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Target } from "../../model/plan.ts";
import { chooseSetting } from "../session/choose-setting.ts";
import type { Session } from "../session/host.ts";
import { inputError } from "../session/input-error.ts";
import type { OpenTargetOptions } from "../session/open-target.ts";
import { escapeYaml } from "../../lib/escape.ts";
import type { Contract } from "../../model/contract.ts";

/**
 * Returns the keys of a new manifest that say which API it is for, so that later commands need no flags but the key. Nothing in it is right
 * on one machine only: a CA file elsewhere is left out, and a contract elsewhere is an InputError.
 */
export function headOf(
  folder: string,
  { contract, caFile }: Pick<OpenTargetOptions, "contract" | "caFile">,
  { emulator, baseUrl }: Target,
  { env, emit }: Session,
): Head {
  const top = topOf(folder);
  const isShared = (path: string) => mayBringIn(realPath(top), realPath(path));
  const usedContract = chooseSetting("contract", contract, {}, env)?.value;
  const usedCa = emulator ? undefined : chooseSetting("ca_file", caFile, {}, env)?.value;
  const isFile = usedContract !== undefined && /[/.]/u.test(usedContract);
  if (isFile && !isShared(usedContract))
    throw inputError(
      "contract_elsewhere",
      `The contract ${usedContract} is not in ${top}, so a manifest that others read cannot name it`,
      "copy it into that folder first, and name the copy",
    );
  const own = isFile ? wayTo(folder, usedContract) : usedContract;
  if (usedCa !== undefined && !isShared(usedCa)) emit({ type: "diagnostics", diagnostics: [caElsewhere(usedCa)] });
  return {
    name: emulator ? unnamed : nameOf(baseUrl),
    provider: {
      ...(!emulator && { base_url: baseUrl.replace(/\/$/u, "") }),
      ...(own !== undefined && { contract: own }),
      ...(usedCa !== undefined && isShared(usedCa) && { ca_file: wayTo(folder, usedCa) }),
    },
  };
}

const caElsewhere = (path: string): Diagnostic => ({
  severity: "warning",
  code: "ca_file_elsewhere",
  summary: `The CA file ${path} is not in the repository, so the manifest does not name it: others do not have that path`,
  hint: "set HOSTFORM_CA_FILE, or put the file beside the manifest and write provider.ca_file",
});

/** Returns the relative path from a folder to a file, as a manifest writes it. */
export function wayTo(folder: string, path: string): string {
  const way = relative(resolve(folder), resolve(path)).split(sep).join("/");
  return way.startsWith(".") ? way : `./${way}`;
}

/** Returns the folder that a repository of the manifest begins at: that of git, or the working folder, or the one beside the manifest. */
export function topOf(folder: string): string {
  const whole = resolve(folder);
  for (let here = whole; ; here = dirname(here)) {
    if (existsSync(join(here, ".git"))) return here;
    if (dirname(here) === here) break;
  }
  return isInside(resolve("."), whole) && whole !== resolve("/") ? resolve(".") : dirname(whole);
}

/** Returns a name for a manifest from the host of its API, unless that is this machine or an address. */
function nameOf(baseUrl: string): string {
  const host = new URL(baseUrl).hostname.toLowerCase().replace(/^api\./u, "");
  const isAddress = isIP(host.replaceAll(/^\[|\]$/gu, "")) !== 0;
  return isAddress || /^(?:.*\.)?localhost$/u.test(host) ? unnamed : nameFrom(host);
}

/** The name of a manifest that nothing names. */
export const unnamed = "imported";

/** Returns a name for a manifest from that of a host or a zone. */
export function nameFrom(domain: string): string {
  const name = domain.replaceAll(/[^a-z0-9]+/gu, "-").replaceAll(/^-|-$/gu, "");
  return name === "" ? unnamed : name.slice(0, 63).replace(/-$/u, "");
}

/** The parts of a first manifest, and the kinds of resources that each declares. */
const parts: readonly { readonly kinds: readonly string[]; readonly text: (domain: string) => string }[] = [
  {
    kinds: ["service"],
    text: (domain) => `services:
  ${domain}: { plan: WEB-M, datacenter: MAD1 } # as your host names them
`,
  },
  {
    kinds: ["domain"],
    text: (domain) => `domains:
  ${domain}: { service: ${domain}, auto_renew: true }
`,
  },
  {
    kinds: ["dns_zone", "dns_record"],
    text: (domain) => `dns:
  ${domain}:
    ignore: ["_acme-challenge*"]
    records:
      "@":
        A: 192.0.2.10
        MX: [{ priority: 10, value: mx1.host.example. }]
        TXT: v=spf1 mx -all
      www: { CNAME: ${domain}. }
`,
  },
  {
    kinds: ["mailbox"],
    text: (domain) => `# mail:
#   ${domain}:
#     mailboxes:
#       info: { quota: 2 GiB, password: "\${env:INFO_PASSWORD}" }
`,
  },
];

/** Returns the file of a first domain: the parts that an API offers, or only its DNS. */
export function domainText(domain: string, { kinds }: Contract, onlyDns: boolean): string {
  const offered = parts.filter((part) => part.kinds.every((kind) => kinds[kind] !== undefined));
  const chosen = onlyDns ? offered.filter((part) => part.kinds.includes("dns_record")) : offered;
  const head = `${schemaLine()}
# A field that you do not write keeps its live value. A resource that no file declares is left alone.
`;
  return head + chosen.map(({ text }) => text(domain)).join("");
}

/** Lines for .gitignore: the journal, and the secrets that a shell or CI gives to `${env:NAME}`. */
export const ignoredByGit = [".hostform/", ".env"] as const;

/** The place of the workflow in the repository. */
export const workflowFile = ".github/workflows/hostform.yml";

/** The workflow that is written, with the values of an example: HOSTFORM_FILE, HOSTFORM_BASE_URL and HOSTFORM_CONTRACT stand in lines of their own. */
export const workflowExample = "examples/ci/github.yaml";

/**
 * Returns a workflow with other values of its variables; one that is undefined stays. Where the key goes is decided by them, whatever a pull
 * request writes into the manifest. No part of a value is YAML or an expression of GitHub, and no shell sees it but as a variable.
 */
export function workflowText(example: string, values: Readonly<Record<string, string | undefined>>): string {
  return example.replaceAll(/^ {2}(HOSTFORM_(?:FILE|BASE_URL|CONTRACT)): .*$/gmu, (line, name: string) => {
    const literal = values[name]?.replaceAll("${{", () => "${{ '${{' }}");
    return literal === undefined ? line : `  ${name}: ${escapeYaml(JSON.stringify(literal))}`;
  });
}

const applyCommand = /hostform apply(?:\\?\r?\n\s+(?=-\S)|[^\n])*/gu;
const fileVariable = /HOSTFORM_FILE["']?\s*[:=]\s*["']?([^"'\s,}]+)/gu;
const fileFlag = /\s(?:-f|--file)[\s=]\s*["']?([^"'\s,}]+)/gu;

/** Returns the manifests that a workflow applies, without `./` and `/` around them; none where it applies none, or does not write their names. */
export function manifestsAppliedBy(text: string): readonly string[] {
  const workflow = text.replaceAll(/(?<!\S)#.*/gu, "");
  // Other programs have a flag -f, too, such as curl.
  const commands = workflow.match(applyCommand)?.join("\n");
  if (commands === undefined) return [];
  const found = [...workflow.matchAll(fileVariable), ...commands.matchAll(fileFlag)];
  const named = found.map(([, name = ""]) => name.replace(/^\.\/|\/+$/gu, ""));
  if (named.some((name) => name.includes("$"))) return [];
  return named.length > 0 ? [...new Set(named)] : ["hosting"];
}
