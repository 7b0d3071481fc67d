// The half that all adapters share: an HTTPS server on 127.0.0.1 with a key of its own, and the connection to the vendor. See README.md.
import { execFileSync } from "node:child_process";
import { createHash, timingSafeEqual } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { Pool } from "undici";

const { ADAPTER_PORT = "8444", ADAPTER_FOLDER = ".adapter", HOSTFORM_API_KEY, VENDOR_URL, PATH } = process.env;
const vendor = URL.canParse(VENDOR_URL ?? "") ? new URL(VENDOR_URL) : undefined;
const MIB = 2 ** 20;
const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const toVendor = ["accept", "content-type", "idempotency-key", "if-match", "if-none-match"];
const toHostform =
  /^(allow|content-type|etag|link|location|retry-after|x-request-id|x-total-count|x-(ratelimit|pagination)-.+)$/u;
// The pool speaks to the vendor's host only, follows no redirect, and gives up before Hostform does (after 30 s).
const limits = { headersTimeout: 25_000, bodyTimeout: 25_000, maxResponseSize: 16 * MIB };
const pool = vendor && new Pool(vendor.origin, limits);

/** The path of a file in the adapter's own folder. */
export const ownFile = (name) => join(ADAPTER_FOLDER, name);

/** Sends a request to the vendor, of whose headers those of a fixed list are passed on, with the adapter's `own`; returns the answer. */
export async function callVendor({ method, path, headers = {}, body = "" }, own) {
  const kept = toVendor.flatMap((name) => (headers[name] ? [[name, headers[name]]] : []));
  const sent = { ...Object.fromEntries(kept), ...own };
  const answer = await pool.request({ method, path, headers: sent, body: body.length > 0 ? body : null });
  const rest = Object.entries(answer.headers).filter(([name]) => toHostform.test(name));
  // Links to pages and jobs on the vendor's host become paths, which Hostform follows through the adapter.
  const relative = rest.map(([name, value]) => [name, String(value).replaceAll(vendor.origin, "")]);
  const text = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: Object.fromEntries(relative), body: text };
}

/** Returns an answer of the adapter itself, with a body of JSON. */
export const answerWith = (status, value) => ({
  status,
  headers: { "content-type": "application/json" },
  body: value === undefined ? "" : JSON.stringify(value),
});

/** Returns a refusal of the adapter itself. */
export function refuse(status, code, message) {
  const answer = answerWith(status, { code, message: `adapter: ${message}` });
  return { ...answer, headers: { ...answer.headers, connection: "close" } };
}

const digest = (text) => createHash("sha256").update(text).digest();
const isOwnKey = (given = "") => timingSafeEqual(digest(given), digest(`Bearer ${HOSTFORM_API_KEY}`));

async function answerRequest({ respond, request }) {
  const { method, url: path, headers } = request;
  if (!isOwnKey(headers.authorization)) return refuse(401, "invalid_key", "the key is not the adapter's own");
  if (!methods.has(method)) return refuse(405, "method_not_allowed", `${method} is not passed on`);
  if (!path.startsWith("/")) return refuse(400, "malformed", "the request target is not a path");
  const chunks = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MIB) return refuse(413, "too_large", "the body is larger than 1 MiB");
    chunks.push(chunk);
  }
  // Only the code of an error is passed on: its text could quote a header.
  return respond({ method, path, headers, body: Buffer.concat(chunks) }).catch(
    ({ answer, code = "unknown error" }) =>
      answer ?? refuse(502, "vendor_unreachable", `no whole answer came from the vendor (${code})`),
  );
}

/** Makes a certificate for 127.0.0.1 and its key, readable by their owner only, in a folder that git ignores. */
function makeCertificate(key, cert) {
  process.umask(0o077);
  if (mkdirSync(ADAPTER_FOLDER, { recursive: true })) writeFileSync(ownFile(".gitignore"), "*\n");
  const subject = ["-subj", "/CN=Hostform adapter", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "3650"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const args = ["req", "-x509", ...subject, ...curve, "-keyout", key, "-out", cert];
  execFileSync("openssl", args, { env: { PATH }, stdio: "pipe" });
}

function stop(message) {
  process.stderr.write(`adapter: ${message}\n`);
  process.exit(1);
}

/** Serves `respond`, which returns the answer to a request. Stops the process if a variable of the environment that it needs is missing. */
export function startAdapter(respond, needs = ["VENDOR_KEY"]) {
  process.once("uncaughtException", ({ message }) => stop(message)); // openssl, the folder, or the port
  const missing = ["HOSTFORM_API_KEY", "VENDOR_URL", ...needs].filter((name) => !process.env[name]);
  if (missing.length > 0) stop(`these environment variables are not set: ${missing.join(", ")}`);
  if (HOSTFORM_API_KEY.length < 20) stop("HOSTFORM_API_KEY is too short: make one with `openssl rand -hex 24`");
  if (vendor?.protocol !== "https:" || vendor.href !== `${vendor.origin}/`) {
    stop("VENDOR_URL must be https://HOST or https://HOST:PORT (paths stand in the contract file)");
  }
  const [key, cert] = [ownFile("key.pem"), ownFile("cert.pem")];
  if (!existsSync(cert)) makeCertificate(key, cert);
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    answerRequest({ respond, request })
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
      .catch(() => response.destroy());
  });
  server.listen(Number(ADAPTER_PORT), "127.0.0.1", () => {
    process.stdout.write(`adapter: --base-url https://127.0.0.1:${server.address().port} --ca-file ${cert}\n`);
  });
}
