import type { AuthRules, Contract } from "../model/contract.ts";
import { type Json, jsonText } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import { askPage, fillList, type ListRef } from "./ask-list.ts";
import { confirm, type Examination, leaveUntested, overlaid, refute } from "./examination.ts";
import { headersOf } from "./judge/guess-total.ts";
import type { ProbeAnswer } from "./probe.ts";

const auths: readonly { readonly header: string; readonly scheme: string }[] = [
  { header: "Authorization", scheme: "Bearer" },
  { header: "X-API-Key", scheme: "" },
  { header: "X-Auth-Token", scheme: "" },
  { header: "Auth-API-Token", scheme: "" },
  { header: "X-Access-Token", scheme: "" },
  { header: "Authorization", scheme: "Token" },
  { header: "Authorization", scheme: "" },
];

/** Compares the way in which the key is sent with the answers. Returns the refusal if no way is accepted. */
export async function examineAuth(exam: Examination, ref: ListRef): Promise<ProbeAnswer | undefined> {
  const path = ["request", "auth"];
  const asked = fillList(exam, exam.contract, ref);
  if (!asked) return undefined;
  const answer = await askPage(exam, asked);
  if (answer.failure?.sort === "unreachable" || answer.failure?.sort === "untrusted") return answer;
  if (!mayBeKey(answer)) {
    const isSure = answer.failure === undefined;
    if (isSure) for (const each of [path, ["key"]]) confirm(exam, each);
    else leaveUntested(exam, path, `the first answer had the status ${answer.status ?? "none"}`);
    return undefined;
  }
  const { auth } = exam.contract.request;
  const named = headersOf(answer.head).get("www-authenticate");
  for (const other of othersThan(auth, named)) {
    const write = { request: { auth: { ...(auth.headers ? { headers: null } : {}), ...other } as Json } };
    const retry = fillList(exam, overlaid(exam.contract, write), ref);
    const next = retry && (await askPage(exam, retry));
    if (!next || next.status === undefined || mayBeKey(next)) continue;
    const words = named === undefined ? "" : `, and the answer asks for ${scheme(named)}`;
    refute(exam, {
      path,
      expected: `a key in ${inWords(auth)}`,
      found: `status ${answer.status ?? "none"}${words}; the key is accepted in ${inWords(other)}`,
      write,
    });
    confirm(exam, ["key"]);
    return undefined;
  }
  if (isRefusedKey(exam.contract, answer)) return answer;
  const reason = `the first answer had the status ${answer.status ?? "none"}: the API may not know the key, or not as it was sent, in ${inWords(auth)}; no other way was accepted. Check HOSTFORM_API_KEY or --key-file, and the rights of the key`;
  for (const each of [path, ["key"]]) leaveUntested(exam, each, reason);
  return undefined;
}

/** Whether a refusal may be one of the key: not every API answers 401. */
const mayBeKey = ({ failure }: ProbeAnswer) => ["unauthorized", "forbidden", "invalid"].includes(failure?.sort ?? "");

/** Whether a refusal is one of the key, by its status, or by the code in its body. */
function isRefusedKey({ answer: { error } }: Contract, { failure, body }: ProbeAnswer): boolean {
  const { code: at, codes = {} } = error;
  const code = at === undefined ? "" : jsonText(getPointer(body, at));
  return failure?.sort === "unauthorized" || (Object.hasOwn(codes, code) && codes[code] === "unauthorized");
}

/** Ways that are tried at most: some servers lock a client out after several wrong keys. */
const mostWays = 5;

/** Returns other ways to send the key, first the way that the server asks for. */
function othersThan(auth: AuthRules, named: string | undefined) {
  const isOwn = ({ header, scheme: word }: (typeof auths)[number]) =>
    auth.headers === undefined && header.toLowerCase() === auth.header.toLowerCase() && word === auth.scheme;
  const word = named === undefined ? "" : scheme(named);
  const first = word === "" || word.toLowerCase() === "basic" ? [] : [{ header: "Authorization", scheme: word }];
  const rest = auths.filter((each) => !first.some((other) => JSON.stringify(other) === JSON.stringify(each)));
  return [...first, ...rest].filter((each) => !isOwn(each)).slice(0, mostWays);
}

/** The scheme that a header `WWW-Authenticate` names. */
const scheme = (header: string): string => /^\s*([A-Za-z][\w-]{0,30})/u.exec(header)?.[1] ?? "";

const inWords = (auth: AuthRules): string =>
  auth.headers === undefined
    ? `the header ${auth.header}${auth.scheme === "" ? "" : ` after ${auth.scheme}`}`
    : `the headers ${auth.headers.join(" and ")}`;
