import { expect, test } from "vitest";
import { noAccount, runInProcess } from "../support/in-process.ts";

test.each([
  ["fmt", "hostform validate"],
  ["lint", "hostform validate -f FILE"],
  ["preview", "hostform plan -f FILE"],
  ["diff", "hostform plan -f FILE"],
  ["refresh", "hostform plan -f FILE"],
  ["push", "hostform apply -f FILE"],
  ["up", "hostform apply -f FILE"],
  ["deploy", "hostform apply -f FILE"],
  ["destroy", "removed:"],
  ["state list", "hostform inventory -f FILE"],
  ["output", "hostform status"],
  ["get-zones", "hostform import"],
  ["plan -f m.yaml -target=dns_zone/a.example", "write --only ADDRESS"],
  ["plan -f m.yaml -target dns_zone/a.example", "write --only ADDRESS"],
  ["plan -f m.yaml -out=plan.json", "write --out FILE, with two dashes"],
  ["plan -f m.yaml -var a=b", "write --var NAME=VALUE"],
  ["apply -auto-approve -f m.yaml", "write --auto-approve, with two dashes"],
  ["plan -f a.yaml b.yaml c.yml", "give the folder (-f hosting/)"],
  ["apply -f a.yaml b.yaml", "give the folder (-f hosting/)"],
  ["state show mailbox/info@a.example", "hostform why ADDRESS -f FILE"],
  ["state rm mailbox/info@a.example", "hostform inventory --forget ADDRESS"],
  ["force-unlock 1234", "hostform inventory --unlock"],
  ["down", "removed:"],
  ["plan -f m.yaml --target dns_zone/a.example", "write --only ADDRESS"],
  ["plan -f m.yaml --target=dns_zone/a.example", "write --only ADDRESS"],
  ["plan -f m.yaml --destroy", "removed:"],
  ["plan -f m.yaml -destroy", "removed:"],
  ["plan -f m.yaml --refresh-only", "every plan reads the live state"],
  ["plan -f m.yaml -refresh=false", "every plan reads the live state"],
  ["plan -f m.yaml -input=false", "leave it out"],
  ["plan -f m.yaml -no-color", "write --no-color, with two dashes"],
  ["plan -f m.yaml -json", "write --json, with two dashes"],
  ["plan -f m.yaml -detailed-exitcode", "write --detailed-exitcode, with two dashes"],
  ["apply -f m.yaml -parallelism=3", "write --parallelism NUMBER, with two dashes"],
  ["apply -f m.yaml -y", "write --auto-approve"],
  ["apply -f m.yaml --yes", "write --auto-approve"],
  ["-chdir=hosting plan", "name the manifest with -f"],
  ["apply src/", "write hostform apply -f src/"],
  ["apply nosuch/", "write hostform apply -f nosuch/"],
  ["show src", "hostform plan -f src"],
  ["apply hosting.yaml", "write hostform apply -f hosting.yaml"],
  ["plan hosting/", "write -f hosting/"],
  ["apply .", "a manifest is given as -f ."],
])("hostform %s is answered with the words to type here: %s", async (line, advice) => {
  const { status, stdout, stderr } = await runInProcess(noAccount, line.split(" "));
  expect(stderr).toContain(advice);
  expect(stdout).toBe("");
  expect(status).toBe(3);
});
