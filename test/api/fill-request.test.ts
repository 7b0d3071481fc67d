import { describe, expect, test } from "vitest";
import { fillRequest } from "../../src/api/fill-request.ts";

const fill = (id: string) =>
  fillRequest({ method: "DELETE", path: "/v2026/crons/{id}", params: { id }, query: {} }, () => "").path;

describe("an id in a path stays one segment", () => {
  test.each(["a/../b", "...", "a?b=c", "a#b", "a\r\nb", "a%2Fb", "ü"])("%j", (id) => {
    const path = fill(id);
    expect(path).toMatch(/^\/v2026\/crons\/[^/?#\s]+$/u);
    expect(new URL(path, "https://api.test").pathname.split("/")).toHaveLength(4);
  });

  test.each(["..", ".", ""])("or is refused: %j", (id) => {
    expect(() => fill(id)).toThrow("cannot stand in a path");
  });
});
