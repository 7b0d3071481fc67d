import type { Contract, JobRules, KindContract, PagingRules } from "../model/contract.ts";
import { rulesOf } from "./rules-of.ts";

interface Gap {
  readonly path: readonly string[];
  readonly summary: string;
  readonly hint: string;
}

/** The part that an entry lacks, and the words to write; false: none. */
type Lack = false | readonly [lack: string, hint: string];

/** Returns what the rules for requests and answers leave open: a key that no header carries, a page that cannot be asked for, a job that cannot be found or never ends. */
export function checkAnswers(contract: Contract): Gap[] {
  const own = Object.entries(contract.kinds).flatMap(([name, entry]) =>
    entry ? checkKind(contract, name, entry) : [],
  );
  return [...gapsOfAuth(contract), ...gapsOfPaging(contract.paging, []), ...gapsOfJob(contract.answer.job, []), ...own];
}

function gapsOfAuth({ request: { auth } }: Contract): Gap[] {
  const isSent = auth.headers !== undefined || (auth.header as string | undefined) !== undefined;
  return gapsAt(
    ["request", "auth"],
    [
      !isSent && [
        "names no header that carries the key",
        "write auth: { header: Authorization, scheme: Bearer }, or { headers: [A, B] } for a key in two parts",
      ],
    ],
  );
}

function checkKind(contract: Contract, name: string, entry: KindContract): Gap[] {
  const path = ["kinds", name];
  const { answer, paging } = rulesOf(contract, name);
  return [
    ...(entry.paging ? gapsOfPaging(paging, path) : []),
    ...(entry.answer?.job ? gapsOfJob(answer.job, path) : []),
    ...gapsOfList(entry, path),
  ];
}

const gapsAt = (path: readonly string[], lacks: readonly Lack[]): Gap[] =>
  lacks.flatMap((lack) => (lack === false ? [] : [{ path, summary: `${path.join(".")} ${lack[0]}`, hint: lack[1] }]));

function gapsOfPaging({ style, page, size, max_size: most, next }: PagingRules, below: readonly string[]): Gap[] {
  const isNamed = page !== undefined;
  return gapsAt(
    [...below, "paging"],
    [
      (style === "offset" || style === "cursor") &&
        !isNamed && [
          `has the style ${style} and no page, the query parameter`,
          `write page: with the name of the parameter, such as page: ${style}`,
        ],
      style === "cursor" &&
        next === undefined && [
          "has the style cursor and no next, where an answer holds the next cursor",
          "write next: with the pointer to it, such as next: /meta/next_cursor",
        ],
      isNamed &&
        page === size && [
          `asks for the page and for its size by one parameter, ${page}`,
          "write the two names, such as page: page and size: per_page",
        ],
      size !== undefined &&
        most === undefined && [
          "has a size and no max_size, the number to ask for",
          "write max_size: with the most objects that a page of the API holds, such as max_size: 100",
        ],
    ],
  );
}

function gapsOfJob(job: JobRules | undefined, below: readonly string[]): Gap[] {
  if (!job) return [];
  const { statuses, location, id, ids, path, status, done, done_statuses: doneStatuses, failed } = job;
  const isNumbered = id !== undefined || ids !== undefined;
  return gapsAt(
    [...below, "answer", "job"],
    [
      statuses === undefined &&
        !isNumbered && [
          "has neither statuses nor an id, so no answer names a job",
          "write statuses: [202] beside location: Location, or id: with the pointer to the id of a job in an answer",
        ],
      isNumbered &&
        path?.includes("{job}") !== true && [
          "has an id and no path with {job} in it",
          'write path: with the path of a job, such as path: "/jobs/{job}"',
        ],
      path !== undefined &&
        !isNumbered && [
          "has a path and neither id nor ids",
          "write id: with the pointer to the id of a job in an answer, such as id: /job/id, or take path out",
        ],
      (isNumbered || location !== undefined) &&
        done === undefined &&
        doneStatuses === undefined && [
          "has neither done nor done_statuses, so it never ends",
          "write done: with the words for a job that has ended well, such as done: [finished], or done_statuses: [200]",
        ],
      (done ?? failed) !== undefined &&
        status === undefined && [
          "has words for a status and no status, where the job holds it",
          "write status: with the pointer to it, such as status: /job/status",
        ],
    ],
  );
}

function gapsOfList({ id, operations }: KindContract, below: readonly string[]): Gap[] {
  const { detail, single, keyed_by: keyedBy } = operations.list;
  return gapsAt(
    [...below, "operations", "list"],
    [
      detail !== undefined &&
        operations.read === undefined && [
          "has detail: read, and there is no operation read",
          "write operations.read, such as read: { method: GET, path: … }, or take detail out",
        ],
      detail !== undefined &&
        (id ?? "") === "" && [
          "has detail: read, and the kind has no id",
          "write id: with the pointer to the id of an object, such as id: /id",
        ],
      single === true &&
        (detail ?? keyedBy) !== undefined && [
          "is single, so it has neither detail nor keyed_by",
          "take detail and keyed_by out, or take single out if the answer holds several objects",
        ],
      keyedBy === "" && [
        "has an empty keyed_by, where no key can be put",
        "write the pointer of the field that the key holds, such as keyed_by: /name",
      ],
    ],
  );
}
