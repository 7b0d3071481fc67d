import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../repository/workplace.ts";

const words =
  "apply|completion|contract|doctor|emulator|export|import|init|inventory|plan|rehearse|render|show|snapshot|status|validate|why";
/** Names that stand for commands in templates. */
const variables = String.raw`(?:unlocking|forgetting|clearDeadLock|applyAfter)\((?:[^()]|\([^()]*\))*\)|inventory|start`;

/** Commands in the texts of a source file, each with the character behind it. A word that holds a value is one of the command. */
function commandsIn(source: string): string[] {
  const value = String.raw`\$\{(?:[^{}]|\{[^{}]*\})*\}`;
  const word = String.raw`(?:--?[a-z]|[A-Z_]{3,}|${value}|'[^']*'|<|[\w-]+/)(?:${value}|[^\s"'\x60,;.:)(])*`;
  const command = new RegExp(
    String.raw`(?:hostform (?:${words})\b(?: (?:check|show) )?|\$\{(?:inventoryCommand|${variables})\})(?: ?${word})*([^\s\w]?)`,
    "gu",
  );
  return [...source.matchAll(command)].flatMap(([text, behind = ""]) => (/[,;.:)]/u.test(behind) ? [text] : []));
}

const folders = "cli contract engine import manifest messages plan policy render saved-plans state".split(" ");
const sources = folders.flatMap((folder) =>
  readdirSync(join(root, "src", folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join("src", folder, file)),
);

test.each([
  ["`run: hostform inventory --adopt ${quoted(address)}; otherwise`", 1],
  ["`run: ${inventory} --adopt ${quoted(address)}; otherwise`", 1],
  ["`${unlocking()}, and apply again`", 1],
  ["`carried it out, ${forgetting(quoted(a.b))}, and`", 1],
  ['"(run hostform inventory)"', 1],
  ['"write hostform apply -f FILE, or"', 1],
  ['"write hostform plan -f FILE"', 0],
  ["`hostform why mail_settings/${domain} shows it; or`", 0],
  ["`hostform show ${quoted(a, { b })}`, hint", 0],
])("punctuation behind a command is found in %s: %i", (text, count) => {
  expect(commandsIn(text)).toHaveLength(count);
});

/** A command that changes the inventory without the flags of the run, by which it finds the same one; also one that is only described. */
const withoutFlags = /\b(?:unlocking|clearDeadLock)\(\)|\bforgetting\([^,()]*\)|\bflag --(?:unlock|forget|adopt)\b/gu;

test("each command that changes the inventory is given the flags of the run", () => {
  const found = sources.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(withoutFlags)].map(([text]) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});

test("no printed command has punctuation directly behind it: it would be copied with it", () => {
  const found = sources.flatMap((file) => {
    const code = readFileSync(join(root, file), "utf8").replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gmu, "");
    return commandsIn(code).map((text) => `${file}: ${text}`);
  });
  expect(sources.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
