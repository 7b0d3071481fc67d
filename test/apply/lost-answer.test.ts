import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";
import { openFront, type Front } from "../support/front.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { size } from "../proofs/size.ts";

/**
 * Creations whose answers are lost, while lists lag behind writes, on a service that makes a second object of one name: each is made
 * once, by whichever apply. The service and Hostform share one clock, and nobody waits.
 */
const secret = '"${env:PW}"';
const head = "version: 1\nname: lost\n";
const before = `${head}services: { a.example: { plan: WEB-M, datacenter: MAD1 } }
domains: { a.example: {} }
dns: { a.example: {} }
databases: { a.example: { databases: { shop: { engine: mariadb } } } }
`;
const declared = `${head}services: { a.example: { plan: WEB-M, datacenter: MAD1 }, b.example: { plan: WEB-M, datacenter: MAD1 } }
domains: { a.example: {}, b.example: {} }
dns: { a.example: { records: { www: { A: 192.0.2.1 } } }, b.example: {} }
mail:
  a.example:
    mailboxes: { info: { quota: 1 GiB, password: ${secret} } }
    aliases: { x: { destinations: [y@b.example] } }
ftp: { a.example: { accounts: { deploy: { home: /www, password: ${secret} } } } }
databases:
  a.example:
    databases: { shop: { engine: mariadb }, blog: { engine: mariadb } }
    users: { shop: { grants: { shop: all }, password: ${secret} } }
crons: { a.example: { jobs: { nightly: { schedule: "0 3 * * *", command: run } } } }
`;

/** A zone is signed once, and no certificate is requested twice. */
const apart = new Set(["dnssec", "certificate"]);

/** The paths of the creations, by kind: one of each kind is left to do. */
const paths = Object.fromEntries(
  Object.entries(builtIn.kinds).flatMap(([name, entry]) => {
    const create = entry?.operations.create;
    const isApart = create === undefined || create === "implicit" || apart.has(name);
    return isApart ? [] : [[name, `${builtIn.base_path}${create.path}`]];
  }),
);
const names = Object.keys(paths);
const isOf = (name: string, path = "") => new RegExp(`^${paths[name]?.replace("{zone_id}", "[^/]+")}$`, "u").test(path);

interface World {
  readonly account: Account;
  readonly front: Front;
  readonly apply: (manifest: string, flags?: readonly string[]) => ReturnType<typeof runInProcess>;
  /** What the service has made since the world was opened. */
  readonly made: () => Promise<readonly string[]>;
}

async function openWorld(isKeyed: boolean): Promise<World> {
  const clock = virtualClock();
  const account = await openAccount({ lax: true }, clock.now);
  const front = await openFront(account);
  const plain = account.write(
    "plain.yaml",
    "contract: 1\nname: plain\nextends: v2026\nrequest: { idempotency: null }\n",
  );
  const fixed = [
    "--auto-approve",
    "--journal",
    join(account.folder, "j"),
    "--inventory",
    join(account.folder, "ours.json"),
    ...(isKeyed ? [] : ["--contract", plain]),
  ];
  const apply: World["apply"] = (manifest, flags = []) =>
    runInProcess(
      front,
      ["apply", "-f", account.write("m.yaml", manifest), ...fixed, ...flags],
      { PW: "correct horse battery" },
      clock,
    );
  exits(0, await apply(before));
  const earlier = (await account.operations()).length;
  const made = async () => {
    const posts = (await account.operations())
      .slice(earlier)
      .filter(({ committed, method }) => committed && method === "POST");
    return posts.flatMap(({ path }) => names.filter((name) => isOf(name, path)));
  };
  return { account, front, apply, made };
}

/** Lets lists lag behind creations by so many milliseconds from now on. */
async function lag({ account }: World, milliseconds: number): Promise<void> {
  if (milliseconds === 0) return;
  const faults = [{ match: { method: "POST" }, fault: { stale_reads_ms: milliseconds } }];
  expect((await account.byHand("POST", "/_emulator/faults", { faults })).status).toBe(201);
}

/** Loses the answers to the first creations of some kinds, which are carried out or not. */
function lose({ front }: World, lost: Readonly<Record<string, boolean>>): void {
  const left = new Set(Object.keys(lost));
  front.interfere(async (request, response, pass) => {
    const name = request.method === "POST" ? [...left].find((each) => isOf(each, request.url)) : undefined;
    if (name === undefined) return false;
    left.delete(name);
    if (lost[name] === true) await pass();
    response.socket?.destroy();
    return true;
  });
}

const close = async ({ front, account }: World) => {
  await front.close();
  await account.close();
};

const trial = fc.record({
  /** Whether each was carried out whose answer is lost. */
  lost: fc.dictionary(fc.constantFrom(...names), fc.boolean()),
  isKeyed: fc.constantFrom(false, false, true),
  seconds: fc.integer({ min: 0, max: 29 }),
  settle: fc.constantFrom(0, 10, 30),
});

/** The answers to all creations are lost. */
const all = (isDone: boolean) => Object.fromEntries(names.map((name) => [name, isDone]));

test("a lost answer leads to no second object, and what was not done is made up for", () =>
  forDraws(
    {
      numRuns: size.draws(12),
      examples: [
        [{ lost: all(true), isKeyed: false, seconds: 25, settle: 10 }],
        [{ lost: all(false), isKeyed: false, seconds: 25, settle: 30 }],
      ],
    },
    trial,
    async ({ lost, isKeyed, seconds, settle }) => {
      const world = await openWorld(isKeyed);
      try {
        await lag(world, seconds * 1000);
        lose(world, lost);
        const first = await world.apply(declared, ["--settle", String(settle)]);
        expect([0, 5, 7], first.stdout + first.stderr).toContain(first.status);
        // An answer can be lost only once what its object needs is there.
        let last = first;
        for (let nth = 2; last.status !== 0 && nth <= 5; nth += 1) last = await world.apply(declared);
        expect(last.status, last.stdout + last.stderr).toBe(0);
        expect(
          (await world.made()).toSorted(),
          "`declared` of this test has one of each kind more than `before`",
        ).toEqual(names.toSorted());
      } finally {
        await close(world);
      }
    },
  ));
