import { expect, test } from "vitest";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";

test.each([
  ["preview", "hostform plan -f FILE"],
  ["diff", "hostform plan -f FILE"],
  ["refresh", "hostform plan -f FILE"],
  ["push", "hostform apply -f FILE"],
  ["up", "hostform apply -f FILE"],
  ["destroy", "take it out of the manifest: hostform plan -f FILE"],
  ["apply -destroy -f m.yaml", "take it out of the manifest: hostform plan -f FILE"],
  ["state list", "hostform inventory -f FILE"],
  ["plan -f m.yaml -target=dns_zone/a.example", "write --only ADDRESS"],
  ["plan -f m.yaml -target dns_zone/a.example", "write --only ADDRESS"],
  ["plan -f m.yaml -out=plan.json", "write --out, with two dashes"],
  ["plan -f m.yaml -var a=b", "write --var, with two dashes"],
  ["apply -auto-approve -f m.yaml", "write --auto-approve, with two dashes"],
  ["plan -f a.yaml b.yaml c.yml", "give the folder (-f hosting/)"],
  ["apply -f a.yaml b.yaml", "give the folder (-f hosting/)"],
  ["plan -f m.yaml --target dns_zone/a.example", "write --only ADDRESS"],
  ["plan -f m.yaml --target=dns_zone/a.example", "write --only ADDRESS"],
  ["plan -f m.yaml --destroy", "take it out of the manifest"],
  ["plan -f m.yaml -destroy", "take it out of the manifest"],
  ["plan -f m.yaml -refresh=false", "every plan reads the live state"],
  ["plan -f m.yaml -no-color", "write --no-color, with two dashes"],
  ["plan -f m.yaml -json", "write --json, with two dashes"],
  ["plan -f m.yaml -detailed-exitcode", "write --detailed-exitcode, with two dashes"],
  ["apply -f m.yaml -parallelism=3", "write --parallelism, with two dashes"],
  ["apply -f m.yaml --yes", "write --auto-approve"],
  ["-chdir=hosting plan", "see hostform plan --help"],
  ["plan -f m.yaml -y", "Unknown flag: -y"],
  ["apply src/", "write hostform apply -f src/"],
  ["apply nosuch/", "write hostform apply -f nosuch/"],
  ["show src", "hostform plan -f src"],
  ["apply hosting.yaml", "write hostform apply -f hosting.yaml"],
  ["plan hosting/", "write -f hosting/"],
  ["apply sha256:9f8fefe3a255cebb68c00d171ae2e3a9", "hostform apply --approve sha256:9f8fefe3a255cebb68c00d171ae2e3a9"],
  ["apply .", "a manifest is given as -f ."],
])("hostform %s is answered with the words to type here: %s", async (line, advice) => {
  const { stdout, stderr } = exits(3, await runInProcess(noAccount, line.split(" ")));
  expect(stderr).toContain(advice);
  expect(stdout).toBe("");
});
