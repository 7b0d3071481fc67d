import { expect, test } from "vitest";
import { describeRunner } from "../../src/model/runner.ts";
import { targetKey } from "../../src/state/inventory/target-key.ts";
import { alice, target } from "./repositories.ts";

test.each([
  ["a person", {}, "alice@desk"],
  [
    "a GitHub job",
    { GITHUB_RUN_ID: "7", GITHUB_REPOSITORY: "o/r", GITHUB_SERVER_URL: "https://git.test", GITHUB_ACTOR: "carol" },
    "carol, https://git.test/o/r/actions/runs/7",
  ],
  ["a GitLab job", { CI_JOB_URL: "https://gl.test/j/1", GITLAB_USER_LOGIN: "dan" }, "dan, https://gl.test/j/1"],
  ["a Jenkins job", { BUILD_URL: "https://j.test/1" }, "alice, https://j.test/1"],
  ["a job without its password", { BUILD_URL: "https://u:pa@ss@j.test:8443/1/" }, "alice, https://j.test:8443/1/"],
  ["a job without its query", { CI_JOB_URL: "https://gl.test/j/1?token=x#y=z" }, "alice, https://gl.test/j/1"],
  ["a person where the job has no address", { BUILD_URL: "u:pass@j.test 1" }, "alice@desk"],
])("names %s", (_who, env, by) => {
  expect(describeRunner(env, alice)).toBe(by);
});

test("a target's name in git tells targets apart that share theirs", () => {
  expect(targetKey(target)).toMatch(/^agency-[0-9a-f]{12}$/u);
  expect(targetKey({ ...target, name: "../../x\n" })).toMatch(/^______x_-[0-9a-f]{12}$/u);
  const others = [{ ...target, place: "https://other.test/" }, { ...target, contract: "other" }, target];
  expect(new Set(others.map(targetKey)).size).toBe(3);
});
