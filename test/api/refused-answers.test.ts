import { describe, expect, test } from "vitest";
import { answeringService, json, post } from "./answering-service.ts";

const { service, seen, open } = answeringService();

/** Opens a connection that has had an answer, so that no handshake counts as time of the next request. */
async function openWarm(more: Parameters<typeof open>[0]): Promise<ReturnType<typeof open>> {
  service.answer = (_request, response) => json(response, 200, { data: {} });
  const connection = open(more);
  // Reads are sent again where a handshake took too long.
  expect(await connection.get({ path: "/x" })).toMatchObject({ ok: true });
  return connection;
}

describe("an answer is refused", () => {
  test.each(["https://elsewhere.test/", "http://127.0.0.1/"])(
    "that redirects to %s: the key goes nowhere else",
    async (location) => {
      service.answer = (_request, response) => response.writeHead(302, { location }).end();
      const result = await open().get({ path: "/x" });
      expect(result).toMatchObject({ ok: false, error: { status: 302, message: expect.stringContaining(location) } });
      expect(seen).toHaveLength(1);
    },
  );

  test("that is a page instead of JSON, whatever its status", async () => {
    const page = "<!DOCTYPE html><html><head><title>Please log in</title></head></html>";
    for (const status of [200, 403, 502]) {
      service.answer = (_request, response) =>
        response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(page);
      expect(await open().send(post)).toMatchObject({
        ok: false,
        error: {
          status,
          message: expect.stringMatching(/an HTML page titled "Please log in" instead of JSON/u),
        },
      });
    }
  });

  test("not for the mark that it begins with", async () => {
    service.answer = (_request, response) => response.end('\ufeff{"data":{"name":"\ufeffx"}}');
    expect(await open().get({ path: "/x" })).toMatchObject({ value: { body: { data: { name: "\ufeffx" } } } });
  });

  test("that is neither", async () => {
    service.answer = (_request, response) => response.end("upstream said no\n");
    expect(await open().get({ path: "/x" })).toMatchObject({
      ok: false,
      error: { sort: "malformed", message: expect.stringMatching(/is not JSON, and begins: upstream said no/u) },
    });
  });

  test("that drips without end, when its time is over", async () => {
    const connection = await openWarm({ attemptTimeout: 400 });
    service.answer = (_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(drip));
    };
    expect(await connection.send(post)).toMatchObject({ ok: false, error: { sort: "unknown_outcome" } });
  });

  test("that never ends", async () => {
    service.answer = (_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024, " ");
      const more = (error?: Error | null) => !error && response.write(chunk, more);
      more();
    };
    // Beside ten busy processes, 16 MiB took longer than five seconds.
    expect(await open({ attemptTimeout: 60_000 }).send({ ...post, method: "POST" })).toMatchObject({
      ok: false,
      error: { sort: "malformed", message: expect.stringContaining("larger than") },
    });
  });

  test("that says to be larger than is read, without reading it", async () => {
    service.answer = (_request, response) => response.writeHead(200, { "content-length": String(2 ** 30) }).write("{");
    expect(await open().send(post)).toMatchObject({
      ok: false,
      error: { sort: "malformed", message: "the answer is larger than 16 MiB" },
    });
  });

  test.each([
    ["objects", "{},"],
    ["lists", "[],"],
  ])("that would take far more memory than it has characters: %s", async (_name, item) => {
    service.answer = (_request, response) => response.end(`{"data":[${item.repeat(1_000_000)}1]}`);
    expect(await open().send({ ...post, method: "POST" })).toMatchObject({
      ok: false,
      error: { sort: "malformed", message: "the answer holds more than 100000 objects and lists" },
    });
  });

  test("that does not come in time", async () => {
    const connection = await openWarm({ attemptTimeout: 300 });
    service.answer = () => undefined;
    const result = await connection.send(post);
    expect(result).toMatchObject({ ok: false, error: { sort: "unknown_outcome" } });
  });
});
