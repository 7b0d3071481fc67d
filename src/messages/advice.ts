import { quoted } from "../lib/quoted.ts";
import { unlocking } from "./inventory-commands.ts";
import type { Address } from "../model/address.ts";

/** The advice to use a flag, for each case in which a stage gives it. Stages give the data. */
export const advice = {
  useThatBaseUrl: "if that is where the API is, pass it with --base-url",
  allowFolderOfFile: "keep the file below the folder of the manifest, or name its folder with --allow-file",
  /** `option`: by which the files were named. */
  putFileThere: (option: string) =>
    `put the file itself there, name it with ${option}, or allow its folder: --allow-file FOLDER`,
  /** `subject`: what is part of the manifest in that folder. */
  nameFolder: (subject: string, folder: string) =>
    `${subject} part of the manifest in ${folder}: use -f ${folder}, with --only 'ADDRESS-PATTERN' for a part of it`,
  checkKey: "check HOSTFORM_API_KEY or --key-file, the rights of the key, and request.auth of the contract",
  retry: (address: Address) => `when the cause is gone, ask again with --retry ${quoted(address)}`,
  rotate: (address: Address) => `send it again with --rotate ${address}`,
  rotateFields: (address: Address, fields: readonly string[]) =>
    `to send its ${fields.join(", ")} again: --rotate ${address}`,
  installGit: "install git, or pass --inventory FILE",
  useGit: "put the manifest into a git repository, or pass --inventory FILE",
  allowPush: "allow this runner to push refs/hostform/*, or keep the inventory in a file: --inventory FILE",
  checkInventoryFolder:
    "the resources that this run creates will be missing in the inventory; check the folder of --inventory",
  clearMark: `apply again, or clear the mark: ${unlocking}`,
  lockCleared: (by: string) => `${by} has cleared it with --unlock`,
};

/** Why passwords are not rotated that --rotate names. */
export const notRotated = {
  noPassword: (address: Address, noun: string) => `--rotate ${address}: a ${noun} has no password`,
  noField: (address: Address, field: string, noun: string) =>
    `--rotate ${address}: the manifest has no ${field} for this ${noun}`,
  undeclared: (address: Address) => `--rotate ${address}: no manifest declares it`,
};
