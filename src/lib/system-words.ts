import { dirname } from "node:path";

/** The message of the error for a path that leads nowhere. */
export const noSuchFile = "there is no such file";

/** The reasons for which the system refuses a file or a program, by their codes. */
export const systemWords: Readonly<Record<string, string>> = {
  EACCES: "this user has no permission for it",
  EBUSY: "something uses it; if it is mounted alone, mount its folder",
  EDQUOT: "the disk is full",
  EEXIST: "something has that name already",
  EISDIR: "it is a folder, not a file",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "its name is too long",
  ENOENT: noSuchFile,
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is a file, not a folder",
  EPERM: "this user has no permission for it",
  EROFS: "the disk is read-only",
};

/**
 * Returns an error of the system with words in place of its code, and other errors as they are. `written`: a path that was to be written,
 * which the error names from then on; the system names a draft, or nothing.
 */
export function inWords(error: unknown, written?: string): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (written !== undefined && "syscall" in error) Object.assign(error, { path: written, dest: undefined });
  if (!error.message.startsWith(`${String(error.code)}: `)) return error;
  const isAbsent = error.code === "ENOENT" && written !== undefined;
  const words = isAbsent ? `there is no folder ${dirname(written)}` : systemWords[String(error.code)];
  error.message = words ?? error.message;
  return error;
}

/** Why no connection came about, by the code of the system. */
export const notConnected: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the name does not resolve",
  EAI_AGAIN: "the name cannot be resolved now",
  EHOSTUNREACH: "no route leads to it",
  ENETUNREACH: "no route leads to its network",
};

/** Returns why no connection came about, with the code by which a search finds more; another error in its own words. */
export const connectionText = ({ code = "", message }: NodeJS.ErrnoException): string =>
  notConnected[code] === undefined ? message : `${notConnected[code]}: ${code}`;
