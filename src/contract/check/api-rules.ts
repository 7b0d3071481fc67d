import type { RuleTable } from "./nodes.ts";

/** Headers of the connection and the message (RFC 9110, 9112): with another `Host`, the certificate of another host would be accepted. */
const ownHeaders: ReadonlySet<string> = new Set(
  "connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade".split(" "),
);

/** The gaps that rules for requests and answers must not leave: a key that no header carries, a page that cannot be asked for, a job that cannot be found or never ends. */
export const apiRules: RuleTable = {
  header: ({ name, path, header, other }) => {
    const isOwn = ownHeaders.has(header.toLowerCase());
    const isKey = path[1] === "headers";
    return [
      !isOwn || [`${name} sets the header ${header}, which Hostform sets`, "take it out", { isKey }],
      isOwn ||
        other === undefined || [
          `${name} sets the header ${header}, which ${other.name} sets as well`,
          "take one of the two out",
          { isKey },
        ],
    ];
  },
  auth: ({ name, auth }) => [
    auth.headers !== undefined ||
      (auth.header as string | undefined) !== undefined || [
        `${name} names no header that carries the key`,
        "write auth: { header: Authorization, scheme: Bearer }, or { headers: [A, B] } for a key in two parts",
      ],
  ],
  paging: ({ name, paging: { style = "page", page, size, max_size: most, next } }) => [
    page !== undefined ||
      !["offset", "cursor"].includes(style) || [
        `${name} has the style ${style} and no page, the query parameter`,
        `write page: with the name of the parameter, such as page: ${style}`,
      ],
    style !== "cursor" ||
      next !== undefined || [
        `${name} has the style cursor and no next, where an answer holds the next cursor`,
        "write next: with the pointer to it, such as next: /meta/next_cursor",
      ],
    page === undefined ||
      page !== size || [
        `${name} asks for the page and for its size by one parameter, ${page}`,
        "write the two names, such as page: page and size: per_page",
      ],
    size === undefined ||
      most !== undefined || [
        `${name} has a size and no max_size, the number to ask for`,
        "write max_size: with the most objects that a page of the API holds, such as max_size: 100",
      ],
  ],
  job: ({ name, job: { statuses, location, id, ids, path, status, done, done_statuses: doneStatuses, failed } }) => {
    const isNumbered = id !== undefined || ids !== undefined;
    return [
      statuses !== undefined ||
        isNumbered || [
          `${name} has neither statuses nor an id, so no answer names a job`,
          "write statuses: [202] beside location: Location, or id: with the pointer to the id of a job in an answer",
        ],
      !isNumbered ||
        path?.includes("{job}") === true || [
          `${name} has an id and no path with {job} in it`,
          'write path: with the path of a job, such as path: "/jobs/{job}"',
        ],
      path === undefined ||
        isNumbered || [
          `${name} has a path and neither id nor ids`,
          "write id: with the pointer to the id of a job in an answer, such as id: /job/id, or take path out",
        ],
      (!isNumbered && location === undefined) ||
        (done ?? doneStatuses) !== undefined || [
          `${name} has neither done nor done_statuses, so it never ends`,
          "write done: with the words for a job that has ended well, such as done: [finished], or done_statuses: [200]",
        ],
      (done ?? failed) === undefined ||
        status !== undefined || [
          `${name} has words for a status and no status, where the job holds it`,
          "write status: with the pointer to it, such as status: /job/status",
        ],
    ];
  },
};
