import { schemaLine } from "../../import/write-manifest.ts";
import { escapeYaml } from "../../lib/escape.ts";
import type { Contract } from "../../model/contract.ts";

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
