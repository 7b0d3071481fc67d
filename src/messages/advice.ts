import { quoted } from "../lib/escape.ts";
import type { Address } from "../model/address.ts";

/** The command that changes the inventory. The program, which knows the flags of the run, has the words made with those that it needs. */
export const inventoryCommand = "hostform inventory";

/** Drops a request that the inventory holds. */
export const forgetting = (address: Address, inventory = inventoryCommand) =>
  `${inventory} --forget ${quoted(address)}`;

/** Clears the lock of an apply that did not end. */
export const unlocking = (inventory = inventoryCommand) => `${inventory} --unlock`;

/** Returns the advice to run commands, which ends with them, because they are copied. */
export const applyAfter = (commands: readonly string[]) => `apply again after: ${commands.join(" && ")}`;

/** The advice where the process of the holder of a lock may be dead. */
export const clearDeadLock = (inventory?: string) => `if its process is certainly dead, run: ${unlocking(inventory)}`;

/** The advice to use a flag, for each case in which a stage gives it. Stages give the data. */
export const advice = {
  useThatBaseUrl: "if that is where the API is, pass it with --base-url",
  allowFolderOfFile: "give a text file (up to 1 MiB) in the manifest's folder, or name its folder with --allow-file",
  /** `name`: of a command, as the manifest names it. */
  allowCommand: (name = "NAME") =>
    `the runner may allow it: HOSTFORM_EXEC_${name}="PROGRAM ARGUMENT", or ${name}: [PROGRAM, ARGUMENT] in the file of --exec-file (HOSTFORM_EXEC_FILE), outside the repository`,
  /** `option`: by which the files were named. */
  putFileThere: (option: string) =>
    `put the file itself there, name it with ${option}, or allow its folder: --allow-file FOLDER`,
  /** `subject`: what is part of the manifest in that folder. */
  nameFolder: (subject: string, folder: string) =>
    `${subject} part of the manifest in ${folder}: use -f ${folder}, with --only 'ADDRESS-PATTERN' for a part of it`,
  checkKey: "check HOSTFORM_API_KEY, HOSTFORM_KEY_FILE or --key-file, its rights, and request.auth of the contract",
  retry: (address: Address) => `when the cause is gone, ask again with --retry ${quoted(address)}`,
  rotate: (address: Address) => `send it again with --rotate ${address}`,
  rotateFields: (address: Address, fields: readonly string[]) =>
    `to send its ${fields.join(", ")} again: --rotate ${address}`,
  installGit: "install git, or pass --inventory FILE",
  useGit: "put the manifest into a git repository, or pass --inventory FILE",
  allowPush: "allow this runner to push refs/hostform/*, or keep the inventory in a file: --inventory FILE",
  checkInventoryFolder:
    "the resources that this run creates will be missing in the inventory; check the folder of --inventory",
  restoreInventory: (remote: string, commit: string, ref: string) =>
    `git push --force ${remote} ${commit}:${ref} restores the inventory of this clone; `,
  removeRef: (remote: string, ref: string) => `git push ${remote} --delete ${ref} removes it`,
  trustFolder: "git config --global --add safe.directory FOLDER, if you do",
  giveValue: (name: string) =>
    `give it one with --var ${name}=VALUE, in a file with --var-file, or as HOSTFORM_VAR_${name}; or write a default`,
  applyParentFirst: (parent: Address) =>
    `first apply the resource that the server makes ${parent} with, such as with --only; then plan again`,
  lockCleared: (by: string) => `${by} has cleared it with --unlock`,
};

/** Mistakes in the flags that select, allow and give values. */
export const flagMistakes = {
  notAPair: { summary: "--var needs NAME=VALUE; one of them has no =", hint: "write --var NAME=VALUE" },
  givenTwice: (name: string) => ({ summary: `${sources.flag(name)} is given twice`, hint: "give it once" }),
  selectsNothing: (flag: "only" | "except", glob: string) =>
    `--${flag} ${glob}: no declared or live resource has this address`,
  leftOutToo: (addresses: readonly Address[]) => ({
    summary: `Also left out, because they depend on resources that --except leaves out: ${addresses.slice(0, 10).join(", ")}${addresses.length > 10 ? `, and ${addresses.length - 10} more` : ""}`,
    hint: "every selected step depends on a step that is left out",
  }),
  boughtAlready: (address: Address) => ({
    summary: `--allow-purchase ${address} has no effect: the resource already exists`,
    hint: "leave it out",
  }),
  /** `on`: the address, or the scope with its number; undefined for a flag without any. */
  unused: (consent: keyof typeof consentFlags, on?: string) => ({
    summary: `this plan does nothing that needs ${[consentFlags[consent], ...(on === undefined ? [] : [on])].join(" ")}`,
    hint:
      consent === "rollback"
        ? "leave it out: the commit of the last apply is an ancestor of this one"
        : "check its spelling against the addresses that the plan prints, or leave it out",
  }),
};

/** The flags that allow what a plan refuses, and what it does not plan again by itself. */
export const consentFlags = {
  deletes: "--allow-delete",
  purchases: "--allow-purchase",
  retries: "--retry",
  rotations: "--rotate",
  rollback: "--rollback",
} as const;

/** The place that the value of a variable comes from. */
export const sources = { flag: (name: string) => `--var ${name}` };

/** Why passwords are not rotated that --rotate names. */
export const notRotated = {
  noPassword: (address: Address, noun: string) => `--rotate ${address}: a ${noun} has no password`,
  noField: (address: Address, field: string, noun: string) =>
    `--rotate ${address}: the manifest has no ${field} for this ${noun}`,
  undeclared: (address: Address) => `--rotate ${address}: no manifest declares it`,
};
