import type { Git } from "./run-git.ts";

export interface GitRemote {
  /** As the repository calls it. */
  readonly name: string;
  /** For messages: without user and password. */
  readonly url: string;
  /** The settings that git needs to reach it as `hostform`: data only, nothing that names a program. */
  readonly settings: readonly (readonly [string, string])[];
}

/** `origin`, else the only remote, else that of the branch; undefined where none is clear. */
export async function findRemote(git: Git): Promise<GitRemote | undefined> {
  const urls = lines((await git(["remote", "--verbose"])).stdout).map(readRemoteLine);
  const names = [...new Set(urls.map(({ name }) => name))];
  const name = names.includes("origin") ? "origin" : names.length === 1 ? names[0] : await upstreamRemote(git, names);
  const urlFor = (use: string) => urls.find((each) => each.name === name && each.use === use)?.url;
  const [url, pushUrl] = [urlFor("fetch"), urlFor("push")];
  if (name === undefined || url === undefined || pushUrl === undefined) return undefined;
  return {
    name,
    url: url.replace(/:\/\/[^/\s@]*@/u, "://"),
    settings: [["remote.hostform.url", url], ["remote.hostform.pushurl", pushUrl], ...(await transferSettings(git))],
  };
}

/** `NAME⇥URL (fetch)` or `(push)`, and what else git may say of it after that. */
function readRemoteLine(line: string) {
  const [, name = "", url = "", use = ""] = /^(.*?)\t(.*) \((fetch|push)\)/u.exec(line) ?? [];
  return { name, url, use };
}

async function upstreamRemote(git: Git, names: readonly string[]): Promise<string | undefined> {
  const branch = await git(["symbolic-ref", "--quiet", "--short", "HEAD"]);
  if (!branch.ok) return undefined;
  const [name] = lines((await git(["config", "--get", `branch.${branch.stdout.toString().trim()}.remote`])).stdout);
  return names.find((each) => each === name);
}

/** CI jobs keep their token as a header in the repository's own configuration. */
async function transferSettings(git: Git): Promise<(readonly [string, string])[]> {
  const wanted = String.raw`^http\.(.*\.)?(extraheader|proxy|sslcainfo)$`;
  const { stdout } = await git(["config", "--local", "--includes", "--null", "--get-regexp", wanted]);
  return stdout
    .toString()
    .split("\0")
    .flatMap((entry) => {
      const [key = "", ...value] = entry.split("\n");
      return key === "" ? [] : [[key, value.join("\n")] as const];
    });
}

const lines = (output: Buffer) =>
  output
    .toString()
    .split("\n")
    .filter((line) => line !== "");
