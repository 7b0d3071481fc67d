import { describe, expect, test } from "vitest";
import { exits, runHostform, runInProcess } from "../support/run-hostform.ts";
import { accountWithManifests } from "./account-with-manifests.ts";

/** Exit status 3 of DESIGN.md section 4: once from the built binary, and its other causes in this process. */
const { zone } = accountWithManifests();
const yes = "--auto-approve";

describe.concurrent("3: wrong input, said without a stack trace and before anything is sent", () => {
  const cases: [string, (file: string) => string[], Record<string, string>, RegExp][] = [
    ["no command", () => [], {}, /command is missing/u],
    ["a command without its argument", () => ["why"], { LC_ALL: "de_DE.UTF-8" }, /hostform why needs an argument/u],
    ["no target", (file) => ["plan", "-f", file], {}, /--base-url https:.*--emulator/su],
    [
      "two targets, one in the environment",
      (file) => ["plan", "-f", file, "--emulator"],
      { HOSTFORM_BASE_URL: "https://api.test" },
      /Both the embedded service and/u,
    ],
    [
      "a base URL that is not https",
      (file) => ["plan", "-f", file, "--base-url", "http://api.test"],
      { HOSTFORM_API_KEY: "k" },
      /not https/u,
    ],
    ["no key", (file) => ["plan", "-f", file, "--base-url", "https://api.test"], {}, /HOSTFORM_API_KEY/u],
    ["no terminal to ask on", (file) => ["apply", "-f", file, "--emulator"], {}, /--auto-approve/u],
    ...["--settle", "--wait-timeout", "--lock-timeout", "--command-timeout"].map((flag): (typeof cases)[number] => [
      `a time that no timer counts: ${flag}`,
      (file) => ["apply", "-f", file, "--emulator", yes, flag, "1e9"],
      {},
      /expected a number of seconds, 0 to 2,000,000, found 1000000000/u,
    ]),
    ...["--settle=", "--settle"].map((flag): (typeof cases)[number] => [
      `an empty number: ${flag}`,
      (file) => ["apply", "-f", file, "--emulator", yes, ...(flag.endsWith("=") ? [flag] : [flag, ""])],
      {},
      /--settle needs a value/u,
    ]),
    ...[
      ["emulator", "--host"],
      ["status", "--emulator", "--fail-on"],
      ["apply", "--emulator", yes, "--inventory"],
      ["apply", "--emulator", yes, "--journal"],
      ["import", "--emulator-data"],
    ].map((args): (typeof cases)[number] => [
      `an empty text: ${args.join(" ")}`,
      () => [...args, ""],
      {},
      new RegExp(`${args.at(-1)} needs a value`, "u"),
    ]),
    ...["apply", "show", "why", "import", "init", "export", "contract check", "mcp"].flatMap((command): typeof cases =>
      ["", "-"].map((word) => [
        `the ${word === "" ? "empty text" : "dash"} for the argument of ${command}`,
        (file) => [...command.split(" "), word, ...(command === "why" || command === "export" ? ["-f", file] : [])],
        {},
        word === "" ? /^error\[bad_arguments\]: \w+ needs a value$/mu : /needs a value: a dash is taken by -f alone$/mu,
      ]),
    ),
    ...["-f", "--only", "--var-file"].map((flag): (typeof cases)[number] => [
      `an empty text in a list: ${flag}`,
      () => ["plan", "--emulator", flag, ""],
      {},
      /: --[\w-]+ needs a value$/mu,
    ]),
    [
      "a flag twice",
      (file) => ["plan", "-f", file, "--base-url", "https://a.test", "--base-url", "https://b.test"],
      {},
      /base-url is given twice/u,
    ],
  ];
  test("an unknown flag, by the built binary", async () => {
    const { stderr } = exits(3, await runHostform(["plan", "-f", zone("three.example"), "--emulater"]));
    expect(stderr).toMatch(/emulater/u);
    expect(stderr).not.toMatch(/^\s+at /mu);
  });

  test.each(cases)("%s", async (_name, args, env, expected) => {
    const { stderr } = exits(3, await runInProcess({ flags: [], env }, args(zone("three.example"))));
    expect(stderr).toMatch(expected);
    expect(stderr).not.toMatch(/^\s+at /mu);
  });
});
