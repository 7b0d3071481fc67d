import type { IncomingMessage, ServerResponse } from "node:http";
import { rulesOf } from "../../src/contract/rules-of.ts";
import { operationsIn } from "../../src/contract/operations-in.ts";
import { spellBody } from "../../src/contract/spelling/spell-body.ts";
import { fieldNames, fieldOf } from "../../src/contract/spelling/read-field.ts";
import { normalValue } from "../../src/kinds/derived/normal-value.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import type { Contract, KindContract } from "../../src/model/contract.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { getPointer, isObject, setPointer } from "../../src/model/json-pointer.ts";
import type { Key } from "../../src/model/resource.ts";
import { samples } from "../kinds/samples.ts";

/** The name that stands for `NAME` in the samples. */
export const sampleName = "n1.example";

/** The keys of the objects that the samples declare. */
export const sampleKeys: Readonly<Record<string, Key>> = {
  service: { domain: sampleName },
  domain: { name: sampleName },
  dns_zone: { name: sampleName },
  dns_record: { zone: sampleName, name: "www", type: "TXT" },
  dnssec: { zone: sampleName },
  mailbox: { domain: sampleName, local: "info" },
  mail_alias: { domain: sampleName, local: "sales" },
  mail_settings: { domain: sampleName },
  ftp_account: { service: sampleName, username: "deploy_1" },
  database: { service: sampleName, name: "shop" },
  database_user: { service: sampleName, username: "shop", host: "10.0.0.1" },
  cron: { service: sampleName, name: "nightly" },
  certificate: { domains: sampleName, type: "managed", service: sampleName },
};

/** Returns the record of the sample of a kind as a contract has it, with the first or the second value of each field. */
export function sampleRecord({ kinds }: Contract, name: string, which: 0 | 1): JsonObject {
  const kind = kindNamed(name);
  const entry = kinds[name] as KindContract;
  const isSrv = name === "dns_record" && which === 1;
  const key = isSrv ? { zone: sampleName, name: "_sip._tcp", type: "SRV" } : (sampleKeys[name] ?? {});
  const given = Object.entries(samples[name]?.fields ?? {}).map(
    ([field, { values }]) => [field, values[which]] as const,
  );
  const all: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(given),
    ...(isSrv && { content: "5 5060 sip.host.test.", priority: 0 }),
    ...kind.naming.toFields(key),
  };
  const values = fieldNames(entry).flatMap((field) => {
    const at = fieldOf(entry, field)?.at;
    const value = all[field] as Json | undefined;
    if (at === undefined || value === undefined) return [];
    const isId = entry.fields[field]?.id_of !== undefined;
    return [{ pointer: at, field, value: isId ? "7" : normalValue(kind, field, value, key) }];
  });
  const plain = values.filter(({ pointer }) => pointer !== "");
  const record = spellBody({ kind: { ...kind, entry }, key }, {}, plain);
  const withId = entry.id === undefined || entry.id === "" ? record : setPointer(record, entry.id, "7");
  const { explode } = entry.operations.list;
  const member = explode === undefined ? undefined : getPointer(withId, explode);
  return explode === undefined || member === undefined ? withId : setPointer(withId, explode, [member]);
}

/** Draws a whole number below `most` for the nth request of a sort. */
type Draw = (request: string, most: number) => number;

const wildBodies = [
  "",
  "null",
  "[]",
  "{}",
  "7",
  '"x"',
  "[[]]",
  "[null]",
  '[{"id":null}]',
  '{"data":[{}]}',
  "<html>",
  '{"id":{}}',
];
const wildStatuses = [200, 201, 202, 204, 206, 301, 400, 401, 403, 404, 409, 412, 418, 422, 429, 500, 503];

/**
 * Answers in the terms of a contract, or else with anything at all.
 * @param honesty of 100 answers, how many are in the contract's terms.
 */
export function genericVendor(contract: Contract, draw: Draw, honesty: number) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { method = "GET", url = "/" } = request;
    const { pathname, searchParams } = new URL(url, "https://x.example");
    const name = `${method} ${pathname}`;
    request.resume();
    const send = (status: number, body: string, headers: Record<string, string> = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(status === 204 ? "" : body);
    if (draw(`${name} honest`, 100) >= honesty) {
      const status = wildStatuses[draw(`${name} status`, wildStatuses.length)] ?? 200;
      return void send(status, wildBodies[draw(`${name} body`, wildBodies.length)] ?? "");
    }
    const matching = operationsAt(contract, method, pathname);
    const found = matching[draw(`${name} operation`, Math.max(1, matching.length))];
    if (!found) return void send(200, JSON.stringify(jobAnswer(contract)));
    const { kind, operation } = found;
    const { answer, paging } = rulesOf(contract, kind, operation);
    const record = sampleRecord(contract, kind, draw(`${name} values`, 2) as 0 | 1);
    const isLater = paging.page !== undefined && !["0", "1", null].includes(searchParams.get(paging.page));
    const items = isLater || draw(`${name} none`, 4) === 0 ? [] : [record];
    const isList = operation === "list" && contract.kinds[kind]?.operations.list.single !== true;
    const place = isList ? answer.list : answer.record;
    const held: Json = isList ? items : record;
    const body: Json = place === "" ? held : setPointer({}, place, held);
    const counted = isList && isObject(body) && paging.total ? setPointer(body, paging.total, items.length) : body;
    const headers = paging.total_header === undefined ? {} : { [paging.total_header]: String(items.length) };
    const empty = method !== "GET" && draw(`${name} empty`, 3) === 0;
    send(empty ? 204 : 200, JSON.stringify(counted), headers);
  };
}

function jobAnswer({ answer: { job } }: Contract): JsonObject {
  const { record = "", status, done = [] } = job ?? {};
  return status === undefined || status === "" ? {} : setPointer({}, record + status, done[0] ?? "done");
}

function operationsAt(contract: Contract, method: string, pathname: string) {
  return Object.entries(contract.kinds).flatMap(([kind, entry]) => {
    if (!entry) return [];
    return operationsIn(entry).flatMap(([below, operation]) => {
      const form = (contract.base_path + operation.path)
        .replaceAll(/[$()*+.?[\\\]^|]/gu, "\\$&")
        .replaceAll(/\{\w+\}/gu, "[^/]*");
      return operation.method === method && new RegExp(`^${form}$`, "u").test(pathname)
        ? [{ kind, operation: below.at(-1) as keyof KindContract["operations"] }]
        : [];
    });
  });
}
