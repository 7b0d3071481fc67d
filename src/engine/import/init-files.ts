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
export function domainText(domain: string, schema: string, { kinds }: Contract, onlyDns: boolean): string {
  const offered = parts.filter((part) => part.kinds.every((kind) => kinds[kind] !== undefined));
  const chosen = onlyDns ? offered.filter((part) => part.kinds.includes("dns_record")) : offered;
  const head = `${schema}
# A field that you do not write keeps its live value. A resource that no file declares is left alone.
`;
  return head + chosen.map(({ text }) => text(domain)).join("");
}

/** Lines for .gitignore: the journal, and the secrets that a shell or CI gives to `${env:NAME}`. */
export const ignoredByGit = [".hostform/", ".env"] as const;

/** The place of the workflow in the repository. */
export const workflowFile = ".github/workflows/hostform.yml";

/** The API of a workflow: the variables decide where the key goes, whatever a pull request writes into the manifest. */
interface WorkflowTarget {
  /** Undefined where the repository is to name it. */
  readonly baseUrl: string | undefined;
  /** A built-in contract, or a file from the top of the repository. */
  readonly contract: string;
}

/** Returns a workflow of GitHub that plans each pull request, and applies the main branch. `path`: the manifest, from the top of the repository. */
export function workflowText(path: string, { baseUrl, contract }: WorkflowTarget): string {
  const steps = `    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@34e114876b0b11c390a56381ad16ebd13914f8d5 # v4.3.1
        with: { fetch-depth: 0 }
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with: { node-version: 24 }
      - run: npm install --global "$HOSTFORM_PACKAGE"
`;
  return `# Shows the plan of each pull request, and applies the main branch.
# Repository secret: HOSTFORM_API_KEY, and each secret that the manifest names as \${env:…}.
# Repository ${baseUrl === undefined ? "variables: HOSTFORM_BASE_URL, and" : "variable"} HOSTFORM_PACKAGE: the tarball that npm pack writes in a clone of Hostform, its URL or ./PATH.
name: hostform
on:
  pull_request:
  push: { branches: [main] }
env:
  HOSTFORM_FILE: ${escapeYaml(JSON.stringify(path))}
  HOSTFORM_PACKAGE: \${{ vars.HOSTFORM_PACKAGE }}
  # The API key goes there, whatever a pull request writes into the manifest.
  HOSTFORM_BASE_URL: ${baseUrl === undefined ? `\${{ vars.HOSTFORM_BASE_URL }}` : JSON.stringify(baseUrl)}
  HOSTFORM_CONTRACT: ${JSON.stringify(contract)}
jobs:
  plan:
    # A pull request from a fork gets no secrets.
    if: github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
    permissions: { contents: read }
${steps}      - run: hostform plan
        env: { HOSTFORM_API_KEY: "\${{ secrets.HOSTFORM_API_KEY }}" }
  apply:
    if: github.event_name == 'push'
    concurrency: hostform
    # Hostform keeps under refs/hostform/ which resources are its own.
    permissions: { contents: write }
${steps}      - run: hostform apply --auto-approve
        # Add the secrets of the manifest, such as INFO_PASSWORD: "\${{ secrets.INFO_PASSWORD }}"
        env: { HOSTFORM_API_KEY: "\${{ secrets.HOSTFORM_API_KEY }}" }
`;
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
