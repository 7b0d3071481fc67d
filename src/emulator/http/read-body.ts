import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { isDeeper } from "../../lib/parse-json.ts";
import { isFields, type Fields } from "../fields.ts";
import { invalid, malformed, HttpError } from "../refusal.ts";

/**
 * The bytes of a body. Throws 413 as soon as it is known to be over the limit (bytes), without reading the rest; the
 * promise never settles when the client goes away meanwhile, as there is no one left to answer.
 */
export function readRequestBody(request: IncomingMessage, limit = 1024 * 1024): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = (): void => {
      request.removeAllListeners("data").removeAllListeners("end");
      reject(
        new HttpError(413, "body_too_large", `The body is over ${limit} bytes.`, { headers: { Connection: "close" } }),
      );
    };
    if (Number(request.headers["content-length"] ?? 0) > limit) return tooLarge();
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > limit) tooLarge();
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
  });
}

/** The JSON object of a body. Throws 415 for another media type, 400 for a body that is not JSON, 422 for JSON that is not an object. */
export function parseBody(bytes: Buffer, contentType: string | undefined, required: boolean): Fields {
  if (bytes.length === 0) {
    if (!required) return {};
    throw malformed("The body is empty; a JSON object was expected.");
  }
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType ?? "")) {
    const sent = contentType === undefined ? "there was no Content-Type" : `the Content-Type was ${contentType}`;
    throw new HttpError(415, "unsupported_media_type", `The body must be application/json in UTF-8; ${sent}.`);
  }
  const value = parseJson(bytes);
  if (!isFields(value)) throw invalid({ body: ["must be a JSON object"] });
  return value;
}

/** Far more levels than any body of the API has. */
const deepest = 64;

/** Any JSON of a body, whatever its media type. Throws 400 for a body that is not JSON. */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw malformed("The body is not valid UTF-8.");
  const text = bytes.toString();
  if (isDeeper(text, deepest)) throw malformed(`The body is nested more than ${deepest} levels deep.`);
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own text may quote the body, which can hold a password.
    throw malformed(`The body is not valid JSON (${bytes.length} bytes).`);
  }
}
