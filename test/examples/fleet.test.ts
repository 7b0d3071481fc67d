import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv, type Schema } from "ajv";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { chosenCommand } from "../../src/cli/parse-arguments.ts";
import { readFleet } from "../../src/fleet/file/read-fleet.ts";
import { noAccount, runInProcess } from "../support/run-hostform.ts";

const folder = fileURLToPath(new URL("../../examples/fleet/", import.meta.url));
const units = readdirSync(join(folder, "systemd"));
const unitText = (name: string) => readFileSync(join(folder, "systemd", name), "utf8");

const strict = (properties: Record<string, Schema>, required = Object.keys(properties)): Schema => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const text = { type: "string", minLength: 1 };
const has = (schema: Schema) => new Ajv({ allErrors: true }).compile(schema);

describe("the fleet of the examples", () => {
  test("has 50 accounts of three owners, and all shops need the mail host", async () => {
    const { accounts } = await readFleet(folder, "-f");
    expect(accounts).toHaveLength(50);
    expect(new Set(accounts.map(({ owner }) => owner))).toEqual(new Set(["platform", "north", "south"]));
    expect(accounts.filter(({ group }) => group === "shops").every(({ needs }) => needs[0] === "mail-host")).toBe(true);
  });

  test("has manifests without a mistake", async () => {
    const { accounts } = await readFleet(folder, "-f");
    const differing = ["mail-host", "north/shop-01", "north/shop-07", "south/shop-31", "south/shop-42"];
    for (const { name, manifests } of accounts.filter((account) => differing.includes(account.name))) {
      const files = manifests.flatMap((path) => ["-f", path]);
      const { status, stderr } = await runInProcess(noAccount, ["validate", ...files]);
      expect([name, status]).toEqual([name, 0]);
      expect(stderr).not.toContain("error");
    }
  });
});

/** Whether Hostform takes a command line: it is only read. */
const takes = async (line: readonly string[]) => typeof (await chosenCommand(line, 80)) === "function";

describe("the units of systemd", () => {
  const yes = { const: "yes" };
  const service = {
    Type: { const: "oneshot" },
    User: text,
    WorkingDirectory: { type: "string", pattern: "^/" },
    EnvironmentFile: { type: "string", pattern: "^/" },
    ExecStart: { type: "string", pattern: "^/usr/bin/env hostform fleet " },
    Restart: { enum: ["always", "on-failure"] },
    RestartSec: { type: "string", pattern: "^\\d+$" },
    KillSignal: { const: "SIGTERM" },
    TimeoutStopSec: { type: "string", pattern: "^\\d+$" },
    NoNewPrivileges: yes,
    PrivateTmp: yes,
    ProtectSystem: { const: "strict" },
    ReadWritePaths: { type: "string", pattern: "^/" },
  };
  const unit = strict({ Description: text, Wants: text, After: text }, ["Description"]);
  const install = strict({ WantedBy: { enum: ["multi-user.target", "timers.target"] } });
  const schemas: Record<string, Schema> = {
    service: strict(
      { Unit: unit, Service: strict(service, ["User", "EnvironmentFile", "ExecStart"]), Install: install },
      ["Unit", "Service"],
    ),
    timer: strict({
      Unit: unit,
      Timer: strict({ OnCalendar: { const: "*:0/10" }, Persistent: yes }),
      Install: install,
    }),
  };

  test.each(units)("%s has the sections and settings that systemd knows, and a command of Hostform", async (name) => {
    const check = has(schemas[name.split(".")[1] ?? ""] ?? false);
    check(sectionsOf(unitText(name)));
    expect(check.errors).toBeNull();
    const [, command] = /^ExecStart=\/usr\/bin\/env hostform (.+)$/mu.exec(unitText(name)) ?? [];
    if (command !== undefined) expect(await takes(command.split(" "))).toBe(true);
  });

  test.skipIf(!existsSync("/usr/bin/systemd-analyze"))("are right for the systemd of this machine", () => {
    const verify = () =>
      execFileSync("systemd-analyze", ["verify", ...units.map((name) => join(folder, "systemd", name))]);
    expect(verify).not.toThrow();
  });
});

function sectionsOf(unit: string): Record<string, Record<string, string>> {
  const sections: Record<string, Record<string, string>> = {};
  let section = "";
  for (const line of unit.split("\n").filter((each) => each !== "" && !each.startsWith("#"))) {
    const [, head] = /^\[(\w+)\]$/u.exec(line) ?? [];
    section = head ?? section;
    if (head === undefined)
      (sections[section] ??= {})[line.slice(0, line.indexOf("="))] = line.slice(line.indexOf("=") + 1);
  }
  return sections;
}

describe("the manifest of Kubernetes", () => {
  const documents = parseAllDocuments(readFileSync(join(folder, "kubernetes", "worker.yaml"), "utf8")).map(
    (each) => each.toJS() as { readonly kind: string },
  );
  const secret = strict({ name: { const: "hostform-worker" } });
  const container = strict(
    {
      name: text,
      image: { type: "string", pattern: "^[\\w./-]+:\\w+$" },
      workingDir: { const: "/srv/hosting" },
      command: { type: "array", items: text },
      envFrom: { type: "array", items: strict({ secretRef: secret }) },
      env: {
        type: "array",
        items: strict({
          name: { const: "HOSTFORM_DATABASE_URL" },
          valueFrom: strict({ secretKeyRef: strict({ name: text, key: text }) }),
        }),
      },
      resources: strict({ requests: strict({ cpu: text, memory: text }), limits: strict({ memory: text }) }),
      volumeMounts: { type: "array", items: strict({ name: text, mountPath: text }) },
      securityContext: strict({
        runAsNonRoot: { const: true },
        allowPrivilegeEscalation: { const: false },
        capabilities: strict({ drop: { const: ["ALL"] } }),
      }),
    },
    ["name", "image", "command", "securityContext"],
  );
  const pod = strict(
    {
      terminationGracePeriodSeconds: { type: "integer", minimum: 60 },
      automountServiceAccountToken: { const: false },
      restartPolicy: { const: "Never" },
      containers: { type: "array", items: container, minItems: 1 },
      volumes: {
        type: "array",
        items: strict({ name: text, persistentVolumeClaim: strict({ claimName: text }) }),
      },
    },
    ["containers"],
  );
  const head = (apiVersion: string, kind: string, spec: Schema) =>
    strict({ apiVersion: { const: apiVersion }, kind: { const: kind }, metadata: strict({ name: text }), spec });
  const labels = strict({ app: { const: "hostform-worker" } });
  const schemas: Record<string, Schema> = {
    Deployment: head(
      "apps/v1",
      "Deployment",
      strict({
        replicas: { type: "integer", minimum: 1 },
        selector: strict({ matchLabels: labels }),
        template: strict({ metadata: strict({ labels }), spec: pod }),
      }),
    ),
    CronJob: head(
      "batch/v1",
      "CronJob",
      strict({
        schedule: { const: "*/10 * * * *" },
        concurrencyPolicy: { const: "Forbid" },
        jobTemplate: strict({
          spec: strict({ backoffLimit: { type: "integer" }, template: strict({ spec: pod }) }),
        }),
      }),
    ),
  };

  test("has workers, and the pages of the state", () => {
    expect(documents.map(({ kind }) => kind)).toEqual(["Deployment", "CronJob"]);
  });

  test.each(documents.map((document) => [document.kind, document] as const))(
    "has a valid %s",
    async (kind, document) => {
      const check = has(schemas[kind] ?? false);
      check(document);
      expect(check.errors).toBeNull();
      const [, ...command] = (JSON.stringify(document).match(/"command":(\[[^\]]*\])/u)?.[1] ?? "[]")
        .slice(1, -1)
        .split(",")
        .map((word) => JSON.parse(word) as string);
      expect(await takes(command)).toBe(true);
    },
  );
});
