import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unseen } from "../../src/contract/probe/finding.ts";
import { maskEvent } from "../../src/render/mask-event.ts";
import { positionText } from "../../src/render/shared-cause.ts";
import { renderPutBack, renderStepEnd, renderStepRunning } from "../../src/render/report-text.ts";
import { whatNext } from "../../src/render/what-next.ts";
import { root } from "../repository/workplace.ts";

const huge = `${"x".repeat(250_000)}\u202e${"y".repeat(250_000)}`;
const sheet = { color: false, width: 80, mask: (text: string) => text };
const failure = {
  sort: "invalid",
  method: "POST",
  path: `/${huge}`,
  status: 422,
  message: huge,
  fields: { [huge]: huge },
};
const step = { address: `cron/a.example/${huge}`, action: "create", calls: [], at: { file: huge, line: 1, col: 1 } };
const putBack = { address: `cron/a.example/${huge}`, by: huge, method: "POST", path: `/${huge}` };

const places: Readonly<Record<string, () => string>> = {
  "the advice after an apply": () => whatNext([{ step, outcome: { failure } }] as never),
  "a position": () => positionText({ file: huge, line: 1, col: 1 }),
  "a running step": () => renderStepRunning(step as never, 1),
  "the end of a step": () => renderStepEnd(step as never, { is: "failed", failure } as never, 1, sheet),
  "an object that is back": () => renderPutBack({ ...putBack, outcome: { is: "put_back" } } as never, sheet).join("\n"),
  "an event": () => JSON.stringify(maskEvent({ type: "report", failure, address: huge }, sheet.mask)),
  "the entries of a contract that need one list": () =>
    JSON.stringify(Array.from({ length: 8 }, () => maskEvent({ type: "a", ...unseen(["a"], huge) }, sheet.mask))),
};

test.each(Object.keys(places))("a foreign text of 500 KB has a bound in %s", (place) => {
  const text = places[place]?.() ?? "";
  expect(text.length).toBeGreaterThan(100);
  expect(text.length).toBeLessThan(25_000);
  expect(text).not.toContain("\u202e");
});

test("the request that puts an object back by hand stays whole", () => {
  const lost = { is: "lost", later: false, record: { command: "z".repeat(20_000) }, failure };
  expect(renderPutBack({ ...putBack, path: "/crons", outcome: lost } as never, sheet).join("\n")).toContain(
    `POST /crons {"command":"${"z".repeat(20_000)}"}`,
  );
});

test("only what must be pasted whole is printed without a bound", () => {
  const uses = ["render", "cli"].flatMap((folder) =>
    readdirSync(join(root, "src", folder), { recursive: true, encoding: "utf8" }).flatMap((file) =>
      file.endsWith(".ts")
        ? readFileSync(join(root, "src", folder, file), "utf8")
            .split("\n")
            .filter((line) => line.includes("escapeControls") && !line.startsWith("import"))
        : [],
    ),
  );
  expect(uses.map((line) => line.trim())).toEqual([
    "boundText(mask(escapeControls(text)), limit);",
    "escapeControls(`- { address: ${JSON.stringify(address)}, action: delete }`),",
    "...indented([...renderFailure(outcome.failure, page), escapeControls(next)]),",
  ]);
});
