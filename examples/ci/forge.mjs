// Keeps one comment on a pull request, or one issue, up to date: on GitHub, Forgejo or GitLab, from a job of their CI.
//
//   node forge.mjs comment FILE         the comment that bears the mark of FILE gets its text; without one, a new comment
//   node forge.mjs issue FILE           the same with an open issue
//   node forge.mjs issue FILE --close   closes that issue, if there is one
//
// FILE is Markdown that Hostform has written (--markdown), with its mark. FORGE_TOKEN is the token of the job. PULL_REQUEST is the number of
// the pull request on GitHub and Forgejo; GitLab's own variables say all else. Only what the owner of the token has written is changed.
import { readFileSync } from "node:fs";

const { env } = process;
const isGitLab = env.GITLAB_CI === "true";
const botNames = ["github-actions[bot]", "forgejo-actions", "gitea-actions"];
/** Pages of 100 entries that are looked through. */
const mostPages = 30;

/** Ends with a sentence for the person who reads the log of the job. */
function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

/** Returns a variable of the job as text. */
function need(name) {
  const value = env[name] ?? "";
  if (value === "") fail(`The variable ${name} is not set: the job has to give it.`);
  return value;
}

async function send(method, path, body) {
  const base = isGitLab
    ? `${need("CI_API_V4_URL")}/projects/${need("CI_PROJECT_ID")}`
    : `${need("GITHUB_API_URL")}/repos/${need("GITHUB_REPOSITORY")}`;
  const token = need("FORGE_TOKEN");
  const url = path.startsWith("/")
    ? `${isGitLab ? need("CI_API_V4_URL") : need("GITHUB_API_URL")}${path}`
    : `${base}/${path}`;
  const response = await fetch(url, {
    method,
    redirect: "error",
    signal: AbortSignal.timeout(30_000),
    headers: {
      "content-type": "application/json",
      ...(isGitLab ? { "private-token": token } : { authorization: `token ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error) => fail(`${method} ${url} got no answer: ${error.cause?.message ?? error.message}`));
  if (!response.ok) fail(`${method} ${url} was answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
  return response.json();
}

/** Finds what a list holds with the mark, and was written by the owner of the token. */
async function find(list, mark, isOurs) {
  const seen = new Set();
  for (let page = 1; page <= mostPages; page += 1) {
    const all = await send("GET", `${list}${list.includes("?") ? "&" : "?"}per_page=100&page=${page}`);
    const fresh = all.filter(({ id }) => !seen.has(id));
    const found = fresh.find((each) => (each.body ?? each.description ?? "").includes(mark) && isOurs(each));
    if (found || fresh.length === 0) return found;
    for (const { id } of fresh) seen.add(id);
  }
  return undefined;
}

const [what, file, flag] = process.argv.slice(2);
if ((what !== "comment" && what !== "issue") || !file)
  fail("Usage: node forge.mjs comment FILE | issue FILE [--close]");
const text = readFileSync(file, "utf8");
const mark =
  /<!-- hostform:[^>]* -->/u.exec(text)?.[0] ?? fail(`${file} has no mark of Hostform: write it with --markdown.`);
const title = /^### (.*)/mu.exec(text)?.[1] ?? "Hostform";

if (isGitLab) {
  const { id: own } = await send("GET", "/user");
  const isOurs = ({ author }) => author?.id === own;
  if (what === "comment") {
    const notes = `merge_requests/${need("CI_MERGE_REQUEST_IID")}/notes`;
    const note = await find(notes, mark, isOurs);
    await (note ? send("PUT", `${notes}/${note.id}`, { body: text }) : send("POST", notes, { body: text }));
  } else {
    const issue = await find("issues?state=opened", mark, isOurs);
    if (flag === "--close") {
      if (issue) await send("PUT", `issues/${issue.iid}`, { state_event: "close" });
    } else if (issue) await send("PUT", `issues/${issue.iid}`, { title, description: text });
    else await send("POST", "issues", { title, description: text });
  }
} else {
  const names = env.FORGE_USER ? [env.FORGE_USER] : botNames;
  const isOurs = ({ user, pull_request: pull }) => names.includes(user?.login) && !pull;
  if (what === "comment") {
    const comments = `issues/${need("PULL_REQUEST")}/comments`;
    const comment = await find(comments, mark, isOurs);
    await (comment
      ? send("PATCH", `issues/comments/${comment.id}`, { body: text })
      : send("POST", comments, { body: text }));
  } else {
    const issue = await find("issues?state=open", mark, isOurs);
    if (flag === "--close") {
      if (issue) await send("PATCH", `issues/${issue.number}`, { state: "closed" });
    } else if (issue) await send("PATCH", `issues/${issue.number}`, { title, body: text });
    else await send("POST", "issues", { title, body: text });
  }
}
process.stdout.write(
  `${what === "comment" ? "Comment" : "Issue"} ${flag === "--close" ? "closed" : "written"}: ${title}\n`,
);
