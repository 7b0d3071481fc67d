// A loopback HTTPS service that signs requests and passes them on to a vendor whose API wants signed requests: see README.md.
import { createHmac, randomUUID } from "node:crypto";
import { callVendor, startAdapter } from "./server.mjs";

const { VENDOR_KEY, VENDOR_SECRET } = process.env;

/** Returns the headers that sign a request. `path` includes the query. Another vendor's scheme goes here. */
function signRequest({ method, path, body }) {
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const nonce = randomUUID();
  const hmac = createHmac("sha256", VENDOR_SECRET).update(`${timestamp}\n${nonce}\n${method}\n${path}\n`).update(body);
  return { "x-key": VENDOR_KEY, "x-timestamp": timestamp, "x-nonce": nonce, "x-signature": hmac.digest("hex") };
}

startAdapter((request) => callVendor(request, signRequest(request)), ["VENDOR_KEY", "VENDOR_SECRET"]);
