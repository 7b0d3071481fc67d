import { beforeEach, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";

/** A service whose answers are in another vendor's form: test/api/list-styles.test.ts draws more of them. */
const account = accountForFile();
const front = frontForFile(account);
/** The requests of a run, as `METHOD /path`. */
let asked: string[] = [];

beforeEach(() => {
  asked = [];
});

type Data = Record<string, unknown>;

/** One page of a list: the query and all records in; body and headers out. */
type Paged = (
  query: URLSearchParams,
  all: readonly Data[],
  path: string,
) => { body: unknown; headers?: Record<string, string> };

/** The most records on a page. */
const cap = 3;

const slice = (all: readonly Data[], from: number) => all.slice(from, from + cap);

const styles: readonly { name: string; contract: string; paged: Paged; isWeak?: true }[] = [
  {
    name: "pages from 0 and a count in a header",
    contract: `answer: { record: "", list: /items }\npaging: { first: 0, total: null, total_header: X-Total, actual_size: null }\n`,
    paged: (query, all) => ({
      body: { items: slice(all, Number(query.get("page")) * cap) },
      headers: { "x-total": String(all.length) },
    }),
  },
  {
    name: "links in a header",
    contract: `answer: { record: "", list: "" }\npaging: { style: link, page: null, size: null, total: null, actual_size: null }\n`,
    paged: (query, all, path) => {
      const from = Number(query.get("from") ?? 0);
      const link = `<${path}?from=${from + cap}>; rel="next"`;
      return { body: slice(all, from), ...(from + cap < all.length && { headers: { link } }) };
    },
    isWeak: true,
  },
  {
    name: "objects by their ids, and others between them",
    contract: `answer: { record: "", list: /all }\npaging: { style: none, total: null, actual_size: null, page: null, size: null }\nkinds: { dns_zone: { operations: { list: { keyed_by: /id, where: [{ pointer: /x, equals: [null] }] } } }, dns_record: { operations: { list: { keyed_by: /id, where: [{ pointer: /in_zone, equals: ["{zone_id}"] }] } } } }\n`,
    paged: (_query, all, path) => ({
      body: {
        all: Object.fromEntries([
          ...all.map(({ id, ...rest }) => [id, { ...rest, in_zone: path.split("/")[4] }]),
          ["other", { name: "other", type: "TXT", in_zone: "another", x: 1, content: "other" }],
        ]),
      },
    }),
    isWeak: true,
  },
];

/** Has the service answer lists in a style, and a single record bare. */
function answerIn(paged: Paged): void {
  front.interfere(async (request, response, pass) => {
    const { url = "", method = "" } = request;
    asked.push(`${method} ${url}`);
    const { pathname, searchParams } = new URL(url, front.baseUrl);
    const isList = method === "GET" && !/\/(zones|records)\/[^/]+$/u.test(pathname);
    const { status, headers, text } = await pass(isList ? `${pathname}?per_page=100` : url);
    const body = (text === "" ? null : JSON.parse(text)) as { data?: unknown } | null;
    const { data } = body ?? {};
    const answer = (to: unknown, more: Record<string, string> = {}) => {
      response.writeHead(status, { ...headers, ...more }).end(text === "" ? "" : JSON.stringify(to));
      return true;
    };
    if (status >= 300 || data === undefined) return answer(body);
    if (!Array.isArray(data)) return answer(data);
    const page = paged(searchParams, data as Data[], pathname);
    return answer(page.body, page.headers);
  });
}

const run = (contract: string, ...args: string[]) => {
  const file = account.write("contract.yaml", `contract: 1\nname: other\nextends: v2026\n${contract}`);
  return runInProcess({ flags: [...front.flags, "--contract", file], env: account.env }, args);
};

const manifestOf = (zone: string, count: number) =>
  account.write(
    "m.yaml",
    `version: 1\nname: vendor\ndns:\n  ${zone}:\n    records:\n${Array.from({ length: count }, (_, index) => `      r${index}: { A: 192.0.2.${index + 1} }\n`).join("")}`,
  );

describe.each(styles)("lists as $name", ({ name, contract, paged, isWeak }) => {
  test("are read whole: what is applied is found again, and what is weakly proven is said once", async () => {
    answerIn(paged);
    const zone = `z${styles.findIndex((each) => each.name === name)}.example`;
    const file = manifestOf(zone, 4);
    exits(0, await run(contract, "apply", "-f", file, "--auto-approve", "--json"));
    asked = [];
    const planned = await run(contract, "plan", "-f", file, "--detailed-exitcode", "--json");
    expect(planned.status, planned.stdout + asked.join("\n")).toBe(0);
    const notices = JSON.stringify(eventsOf(planned)).split('"weak_list"').length - 1;
    expect(notices).toBe(isWeak === true ? 1 : 0);
  });
});

test("a page that the service names elsewhere is not asked for, and the list is incomplete", async () => {
  const { contract } = styles.find(({ name }) => name === "links in a header") ?? { contract: "" };
  answerIn((_query, all) => ({
    body: all,
    headers: { link: `<https://elsewhere.example/v2026/dns/zones>; rel="next"` },
  }));
  const planned = exits(6, await run(contract, "plan", "-f", manifestOf("elsewhere.example", 1)));
  expect(planned.stdout + planned.stderr).toMatch(/the next page is at https:\/\/elsewhere\.example/u);
});

const jobs = `answer: { record: /object, list: /items, job: { statuses: null, location: null, resource_id: null, id: /action/id, path: "/actions/{job}", record: /action, status: /status, done: [success], failed: [error], error: /error/message } }\npaging: { style: none, total: null, actual_size: null, page: null, size: null }\n`;

/** Has the service answer writes with a job beside the object; the job runs when it is first asked for. */
function answerWithJobs(outcome: string): () => number {
  let polls = 0;
  front.interfere(async (request, response, pass) => {
    const { url = "", method = "" } = request;
    const [path = ""] = url.split("?");
    asked.push(`${method} ${path}`);
    if (path.includes("/actions/")) {
      polls += 1;
      const status = polls < 2 ? "running" : outcome;
      const action = { id: 7, status, error: { message: "the disk is full" } };
      return answerJson(response, 200, { action });
    }
    const isList = method === "GET" && !/\/(zones|records)\/[^/]+$/u.test(path);
    const { status, headers, text } = await pass(isList ? `${path}?per_page=100` : url);
    const body = (text === "" ? {} : JSON.parse(text)) as { data?: unknown };
    const told = Array.isArray(body.data) ? { items: body.data } : { object: body.data };
    const whole = { ...told, ...(method !== "GET" && { action: { id: 7, status: "running" } }) };
    response.writeHead(status, headers).end(text === "" ? "" : JSON.stringify(status < 300 ? whole : body));
    return true;
  });
  return () => polls;
}

test.each([
  ["success", 0],
  ["error", 5],
])("a job beside the object in the answer is awaited, and decides the step: %s", async (outcome, status) => {
  const polls = answerWithJobs(outcome);
  const file = manifestOf(`job-${outcome}.example`, 1);
  const applied = await run(jobs, "apply", "-f", file, "--auto-approve");
  expect(applied.status, applied.stdout + asked.join("\n")).toBe(status);
  expect(polls()).toBeGreaterThan(1);
  if (outcome === "error") expect(applied.stdout + applied.stderr).toContain("the disk is full");
});
