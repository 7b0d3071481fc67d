import { notConnected } from "../lib/system-words.ts";
import type { Failure } from "../model/failure.ts";

/** A request; with a status, if its answer had begun. */
interface FailedAttempt extends Pick<Failure, "method" | "path" | "attempts" | "status"> {
  /** Whether it began to be written to a connection: then nothing that breaks later proves that it did not arrive. Default: false. */
  readonly isSent?: boolean;
}

/** The request was surely not sent. */
const neverSent: Readonly<Record<string, string>> = {
  ...notConnected,
  UND_ERR_CONNECT_TIMEOUT: "no connection was established in time",
};

const certificates: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "it has expired",
  CERT_NOT_YET_VALID: "it is not valid yet; is this machine's clock right?",
  ERR_TLS_CERT_ALTNAME_INVALID: "it is for another host",
  SELF_SIGNED_CERT_IN_CHAIN: "it is not signed by a trusted certificate authority",
  DEPTH_ZERO_SELF_SIGNED_CERT: "it is signed by itself",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "it is not signed by a trusted certificate authority",
  UNABLE_TO_GET_ISSUER_CERT: "it is not signed by a trusted certificate authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "it is not signed by a trusted certificate authority",
  CERT_SIGNATURE_FAILURE: "its signature is not that of the trusted authority",
};
const otherCertificate = /CERT|SELF_SIGNED|UNABLE_TO/u;
const notTls = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/u;
const handshake = /ERR_TLS|ERR_SSL|EPROTO/u;

/**
 * Returns the failure of an attempt: its sort tells whether the request can have arrived, its message has our words or the error's.
 * @param host host and port of the base URL.
 */
export function networkFailure(
  error: unknown,
  { isSent = false, ...asked }: FailedAttempt,
  host: string,
  timeout: number,
): Failure {
  const { code: given, message = "", name } = (error ?? {}) as { code?: unknown; message?: string; name?: string };
  // A DOMException has a number for a code, which tells nobody anything.
  const code = typeof given === "string" ? given : "";
  const words = message || code;
  const isLate = name === "TimeoutError" || tooLate.has(code);
  const whatCame = asked.status === undefined ? "no answer came back" : "the answer broke off";
  const described = isLate ? `no whole answer within ${timeout / 1000} s` : `${whatCame}: ${words}`;
  const known = { ...asked, cause: error, ...(code !== "" && { code }) };
  const fail = (sort: Failure["sort"], text: string): Failure => ({ ...known, sort, message: text });
  if (isSent && asked.method !== "GET") return fail("unknown_outcome", described);
  // Such as an ETag with a line break: what the server gave cannot be given back.
  if (code === "UND_ERR_INVALID_ARG") return fail("malformed", `it cannot be sent: ${words}`);
  if (notTls.test(code) || (code === "EPROTO" && notTls.test(words.toUpperCase().replaceAll(" ", "_"))))
    return { ...fail("unreachable", `${host} does not speak TLS: is plain HTTP behind it?`), lasting: true };
  if (otherCertificate.test(code)) {
    const why = certificates[code] ?? "it cannot be verified";
    return fail("untrusted", `the certificate of ${host} is not accepted: ${why} (${words})`);
  }
  if (handshake.test(code)) return fail("untrusted", `the TLS handshake with ${host} failed: ${words}`);
  const reason = neverSent[code] ?? (isBeforeTls(words) ? "it closed the connection before TLS was set up" : undefined);
  if (reason !== undefined) {
    const failure = fail("unreachable", `${host} cannot be reached: ${reason}${tellRest(words, code, host)}`);
    return code === "ENOTFOUND" ? { ...failure, lasting: true } : failure;
  }
  if (asked.method !== "GET") return fail("unknown_outcome", described);
  // A server that begins to answer is there: what is wrong is this one answer.
  return fail(asked.status === undefined ? "unreachable" : "server_error", described);
}

/** Returns, in brackets, what the words of the system tell besides their code and the host, such as the address of a name. */
function tellRest(words: string, code: string, host: string): string {
  const rest = code === "" ? words : (words.split(`${code} `).at(-1) ?? "");
  return rest === code || host.startsWith(rest) || rest.startsWith(host) ? "" : ` (${rest})`;
}

/** The codes of undici for the same limit, where its own timer is first. */
const tooLate: ReadonlySet<string> = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

const isBeforeTls = (message: string) => message.includes("before secure TLS connection");

/** A failure in one line: what was asked, what came back, and in brackets what tells it from others. Not escaped. */
export function describeFailure(failure: Failure): string {
  const trace = traceOf(failure);
  return `${failure.method} ${failure.path}: ${causeOf(failure)}${trace === "" ? "" : ` (${trace})`}`;
}

/** Returns the outcome in the API's own words: status, code, message. */
export function causeOf({ status, sort, code, message }: Failure): string {
  const outcome = status === undefined ? sort.replaceAll("_", " ") : String(status);
  return `${outcome}${code === undefined ? "" : ` ${code}`}: ${message.replace(/\.$/u, "")}`;
}

/** Returns the number of attempts, and the id by which the vendor finds the request; empty for one attempt without an id. */
export function traceOf({ attempts, requestId }: Failure): string {
  return [
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
  ].join(", ");
}
