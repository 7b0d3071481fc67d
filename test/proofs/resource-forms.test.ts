import fc from "fast-check";
import { expect, test } from "vitest";
import { readDesired } from "../../src/manifest/read/desired.ts";
import { parseManifest } from "../../src/manifest/load.ts";
import { accountForFile } from "../support/account.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, runInProcess } from "../support/run-hostform.ts";
import { size } from "./size.ts";
import { forms, type Body, type Form } from "./forms-of-kinds.ts";
import type { Json } from "./odd-values.ts";

/**
 * The form of every field and key of every kind but records, whose contents have forms of their own: a resource that the service refuses
 * with 400 or 422 is refused by `validate` before it, with a place. All resources that `validate` takes are applied at once to an empty
 * account.
 */
const account = accountForFile();

interface Drawn {
  readonly key: string;
  readonly body: Body;
}

const isDomainName = (key: string) => /^r\d+x\d+\.test$/u.test(key);

let last = 0;
const perRun = size.formsPerManifest;

/** Draws a resource with its key or up to two fields of any form. */
function drawn(form: Form): fc.Arbitrary<(id: string) => fc.Arbitrary<Drawn>> {
  return fc.constant((id: string) => {
    const right = { key: fc.constant(form.isDomain === true ? `${id}.test` : `k${id}`), body: fc.constant(form.body) };
    const withKey = form.key ? [fc.record({ ...right, key: form.key(id) })] : [];
    const withFields = Object.entries(form.fields).map(([path, values]) =>
      fc.record({ ...right, body: values.map((value) => setField(form.body, path, value)) }),
    );
    return fc.oneof(...withKey, ...withFields);
  });
}

function setField(body: Body, path: string, value: Json): Body {
  if (path === "") return typeof value === "object" ? { ...body, ...value } : { ...body, engine: value };
  const [first = "", second] = path.split(".");
  return { ...body, [first]: second === undefined ? value : { [second]: value } };
}

/** Returns the mistakes that `validate` finds, each with a place. */
function mistakes(manifest: Body) {
  const text = JSON.stringify({ version: 1, name: "forms", ...manifest });
  const { tree, diagnostics } = parseManifest([{ file: "forms.yaml", text }]);
  const read = tree ? readDesired(tree, () => ({ missing: "unset" }), builtIn).diagnostics : [];
  return [...diagnostics, ...read].filter(({ severity }) => severity === "error");
}

test.each(Object.entries(forms))(
  "%s: a form that the service refuses is refused by validate, with a place",
  (_, form) =>
    forDraws(
      { numRuns: size.resourceForms, endOnFailure: true },
      drawn(form).chain((draw) => {
        last += 1;
        return fc.tuple(...Array.from({ length: perRun }, (_unused, index) => draw(`r${last}x${index}`)));
      }),
      async (all) => {
        const owner = `o${(last += 1)}.test`;
        const taken = all.filter(({ key, body }) => {
          const found = mistakes(form.place(key, body, owner));
          for (const { at, summary } of found) expect(at, summary).toBeDefined();
          return found.length === 0;
        });
        for (const group of form.key ? [taken] : size.every(12, taken).map((each) => [each]))
          await holds(form, group, owner);
      },
    ),
);

async function holds(form: Form, group: readonly Drawn[], owner: string): Promise<void> {
  const manifest = group.reduce<Body>((merged, { key, body }) => merge(merged, form.place(key, body, owner)), {});
  const name = `forms-${(last += 1)}`;
  const file = account.write(`${name}.yaml`, JSON.stringify({ version: 1, name, ...manifest }));
  const bought = group.flatMap(({ key }) => (isDomainName(key) ? [`domain/${key}`, `service/${key}`] : []));
  const consents = bought.flatMap((address) => ["--allow-purchase", address]);
  const before = (await account.operations()).length;
  const ran = await runInProcess(account, [
    "apply",
    "-f",
    file,
    "--auto-approve",
    "--settle",
    "0",
    "--json",
    ...consents,
  ]);
  const refused = (await account.operations()).slice(before).filter(({ status }) => status === 400 || status === 422);
  const told = eventsOf(ran).filter((event) => "failure" in event || event["severity"] === "error");
  expect([0, 5, 7, 8], JSON.stringify(told).slice(0, 3000)).toContain(ran.status);
  expect(refused, JSON.stringify(told).slice(0, 3000)).toEqual([]);
}

function merge(left: Body, right: Body): Body {
  const both = { ...left };
  for (const [name, value] of Object.entries(right)) {
    const there = both[name];
    const isMap = (each: unknown): each is Body => typeof each === "object" && each !== null && !Array.isArray(each);
    both[name] = isMap(there) && isMap(value) ? merge(there, value) : value;
  }
  return both;
}
