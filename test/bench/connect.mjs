import { readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";

const parallelism = 10;

/** Runs `use` with a function that sends by ten connections. Only the files of undici that it needs are loaded. */
export async function connected(use) {
  const { default: Pool } = await import("undici/lib/dispatcher/pool.js");
  const { default: request } = await import("undici/lib/api/api-request.js");
  const { BASE_URL, CA_FILE, API_KEY } = process.env;
  const pool = new Pool(BASE_URL, { connections: parallelism, connect: { ca: readFileSync(CA_FILE, "utf8") } });
  const authorization = `Bearer ${API_KEY}`;
  const send = async (method, path, { body, etag } = {}) => {
    const answer = await request.call(pool, {
      method,
      path,
      headers: {
        authorization,
        ...(body && { "content-type": "application/json" }),
        ...(method === "POST" && { "idempotency-key": randomUUID() }),
        ...(etag && { "if-match": etag }),
      },
      body: body && JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  await use(send);
  await pool.close();
}
