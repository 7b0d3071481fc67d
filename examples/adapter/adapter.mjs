// A loopback HTTPS service that signs requests and passes them on to a vendor whose API wants signed requests: see README.md.
import { execFileSync } from "node:child_process";
import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { Pool } from "undici";

const { HOSTFORM_API_KEY, VENDOR_URL, VENDOR_KEY, VENDOR_SECRET } = process.env;
const { ADAPTER_PORT = "8444", ADAPTER_FOLDER = ".adapter", PATH } = process.env;
const needed = Object.entries({ HOSTFORM_API_KEY, VENDOR_URL, VENDOR_KEY, VENDOR_SECRET });
const missing = needed.flatMap(([name, value]) => (value ? [] : [name]));
if (missing.length > 0) stop(`these environment variables are not set: ${missing.join(", ")}`);
if (HOSTFORM_API_KEY.length < 20) stop("HOSTFORM_API_KEY is too short: make one with `openssl rand -hex 24`");
const vendor = URL.canParse(VENDOR_URL) ? new URL(VENDOR_URL) : undefined;
if (vendor?.protocol !== "https:" || vendor.href !== `${vendor.origin}/`) {
  stop("VENDOR_URL must be https://HOST or https://HOST:PORT (paths stand in the contract file)");
}

const MIB = 2 ** 20;
const methods = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const toVendor = ["accept", "content-type", "idempotency-key", "if-match", "if-none-match"];
const toHostform = /^(allow|content-type|etag|link|location|retry-after|x-request-id|x-total-count|x-ratelimit-.+)$/u;
// The pool speaks to the vendor's host only, follows no redirect, and gives up before Hostform does (after 30 s).
const pool = new Pool(vendor.origin, { headersTimeout: 25_000, bodyTimeout: 25_000, maxResponseSize: 16 * MIB });

/** Returns the headers that sign a request. `path` includes the query. Another vendor's scheme goes here. */
function signRequest(method, path, body) {
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const nonce = randomUUID();
  const hmac = createHmac("sha256", VENDOR_SECRET).update(`${timestamp}\n${nonce}\n${method}\n${path}\n`).update(body);
  return { "x-key": VENDOR_KEY, "x-timestamp": timestamp, "x-nonce": nonce, "x-signature": hmac.digest("hex") };
}

/** Passes a request on, and returns the vendor's answer. */
async function callVendor({ method, url: path, headers }, body) {
  const kept = toVendor.flatMap((name) => (headers[name] ? [[name, headers[name]]] : []));
  const signed = { ...Object.fromEntries(kept), ...signRequest(method, path, body) };
  const answer = await pool.request({ method, path, headers: signed, body: body.length > 0 ? body : null });
  const rest = Object.entries(answer.headers).filter(([name]) => toHostform.test(name));
  // Links to pages and jobs on the vendor's host become paths, which Hostform follows through the adapter.
  const relative = rest.map(([name, value]) => [name, String(value).replaceAll(vendor.origin, "")]);
  const text = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: Object.fromEntries(relative), body: text };
}

/** Returns an answer of the adapter itself. */
function refuse(status, code, message) {
  const headers = { "content-type": "application/json", connection: "close" };
  return { status, headers, body: JSON.stringify({ code, message: `adapter: ${message}` }) };
}

const digest = (text) => createHash("sha256").update(text).digest();
const isOwnKey = (given = "") => timingSafeEqual(digest(given), digest(`Bearer ${HOSTFORM_API_KEY}`));

async function answerRequest(request) {
  if (!isOwnKey(request.headers.authorization)) return refuse(401, "invalid_key", "the key is not the adapter's own");
  if (!methods.has(request.method)) return refuse(405, "method_not_allowed", `${request.method} is not passed on`);
  if (!request.url.startsWith("/")) return refuse(400, "malformed", "the request target is not a path");
  const chunks = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MIB) return refuse(413, "too_large", "the body is larger than 1 MiB");
    chunks.push(chunk);
  }
  // Only the code of an error is passed on: its text could quote a header.
  return callVendor(request, Buffer.concat(chunks)).catch(({ code = "unknown error" }) =>
    refuse(502, "vendor_unreachable", `no whole answer came from the vendor (${code})`),
  );
}

/** Makes a certificate for 127.0.0.1 and its key, readable by their owner only, in a folder that git ignores. */
function makeCertificate(key, cert) {
  process.umask(0o077);
  if (mkdirSync(ADAPTER_FOLDER, { recursive: true })) writeFileSync(join(ADAPTER_FOLDER, ".gitignore"), "*\n");
  const subject = ["-subj", "/CN=Hostform adapter", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "3650"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const args = ["req", "-x509", ...subject, ...curve, "-keyout", key, "-out", cert];
  execFileSync("openssl", args, { env: { PATH }, stdio: "pipe" });
}

function stop(message) {
  process.stderr.write(`adapter: ${message}\n`);
  process.exit(1);
}

process.once("uncaughtException", ({ message }) => stop(message)); // openssl, the folder, or the port
const [key, cert] = [join(ADAPTER_FOLDER, "key.pem"), join(ADAPTER_FOLDER, "cert.pem")];
if (!existsSync(cert)) makeCertificate(key, cert);
const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
  const send = ({ status, headers, body }) => response.writeHead(status, headers).end(body);
  answerRequest(request)
    .then(send)
    .catch(() => response.destroy());
});
server.listen(Number(ADAPTER_PORT), "127.0.0.1", () => {
  process.stdout.write(`adapter: --base-url https://127.0.0.1:${server.address().port} --ca-file ${cert}\n`);
});
