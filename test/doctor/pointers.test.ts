import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpsServer, startHttpsServer } from "../support/https-server.ts";
import { runInProcess } from "../support/in-process.ts";
import { refutedIn } from "./judge-mutations.ts";

/** An API whose ids and errors stand at unusual places: the doctor says what to write instead of a wrong pointer. */
let server: HttpsServer;
let folder: string;
let id = "id";
let refusal: unknown = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hostform-pointers-"));
  server = await startHttpsServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "https://x.invalid");
    const zones = ["a.example", "b.example"].map((name, at) => ({
      name,
      ttl: 300,
      ...(id !== "name" && { [id]: `z-${at}` }),
    }));
    const answers: Readonly<Record<string, unknown>> = {
      "/zones": zones,
      ...Object.fromEntries(zones.map((zone) => [`/zones/${(zone as Record<string, unknown>)[id] as string}`, zone])),
      "/dns/a.example": [{ id: 1, name: "@", type: "A", value: "192.0.2.1", ttl: 300 }],
    };
    const body = answers[pathname];
    response.writeHead(body ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(body ?? refusal));
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function doctor(wrong: { readonly id?: string; readonly message?: string; readonly code?: string }) {
  const file = join(folder, "contract.yaml");
  writeFileSync(
    file,
    `contract: 1
name: pointers
request: { auth: { header: Authorization, scheme: Bearer } }
answer: { record: "", list: "", error: { message: ${wrong.message ?? "/message"}, code: ${wrong.code ?? "/code"} } }
paging: { style: none }
kinds:
  dns_zone:
    id: ${wrong.id ?? `/${id}`}
    fields: { name: { at: /name }, ttl: { at: /ttl } }
    operations: { list: { method: GET, path: /zones }, read: { method: GET, path: "/zones/{id}" } }
  dns_record:
    id: /id
    params: { zone: { key: zone } }
    fields: { name: { at: /name }, type: { at: /type, values: [A] }, content: { at: /value }, ttl: { at: /ttl } }
    operations: { list: { method: GET, path: "/dns/{zone}" } }
`,
  );
  const flags = ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem"), "--contract", file];
  return runInProcess({ flags, env: { HOSTFORM_API_KEY: "a-key-of-pointers" } }, ["doctor", "--json"]);
}

const ids = ["id", "uuid", "zone_id", "zoneRef", "reference", "handle", "number", "slug", "name"];
test.each(ids)("a wrong id is refuted with the place to write, and kinds below are read: %s", async (name) => {
  [id, refusal] = [name, { message: "no such zone", code: "missing" }];
  const ran = await doctor({ id: "/wrong" });
  const refuted = refutedIn(ran);
  expect(refuted, ran.stdout).toMatchObject([
    { entry: ["kinds", "dns_zone", "id"], write: { kinds: { dns_zone: { id: `/${name}` } } } },
  ]);
  expect(ran.stdout).toMatch(/"kinds","dns_record","fields","content"\],"outcome":"confirmed"/u);
});

const refusals: readonly (readonly [message: string, code: string, body: unknown])[] = [
  ["/error/message", "/error/code", { error: { message: "no such zone", code: "missing" } }],
  ["/reason", "/slug", { reason: "there is no such zone", slug: "no_zone" }],
  ["/detail", "/type", { detail: "there is no such zone", type: "missing", at: "2026-01-01" }],
  ["/why", "/errno", { ok: false, errno: 1001, why: "there is no such zone" }],
  ["/errors/0/text", "/errors/0/kind", { errors: [{ text: "there is no such zone", kind: "missing" }] }],
  ["/0/message", "/0/code", [{ message: "no such zone", code: "missing" }]],
];
test.each(refusals)("a wrong place of errors is refuted with the place to write: %s", async (message, code, body) => {
  [id, refusal] = ["id", body];
  expect(refutedIn(await doctor({ message, code }))).toEqual([]);
  const ran = await doctor({ message: "/nothing/there", code: "/nor/there" });
  expect(refutedIn(ran), ran.stdout).toMatchObject([
    { entry: ["answer", "error", "message"], write: { answer: { error: { message } } } },
    { entry: ["answer", "error", "code"], write: { answer: { error: { code } } } },
  ]);
});
