import { collectionAt } from "../kinds/derived/collection.ts";
import { lastChange } from "../state/git/last-change.ts";
import { hasErrors } from "../model/diagnostic.ts";
import type { WrittenResource } from "../manifest/read/read-resources.ts";
import type { Declaration } from "../model/explanation.ts";
import { explain, nearAddresses } from "../plan/explain.ts";
import { keepFormerSecrets } from "./run/former-secrets.ts";
import type { Ending, Host, Session } from "./session/host.ts";
import { InputError } from "./session/input-error.ts";
import type { FileOptions } from "./session/load-manifest.ts";
import { planRequest, withOpenManifest, type OpenManifest } from "./session/open-manifest.ts";
import { readAddress } from "./session/read-addresses.ts";
import { refreshAndPlan, unavailable } from "./session/read-and-plan.ts";
import type { OpenTargetOptions } from "./session/open-target.ts";
import type { OwnershipOptions } from "./session/ownership.ts";
import { viewEarlier, type JournalOptions } from "./session/with-journal.ts";
import { frameOf } from "../manifest/yaml/diagnostic-at.ts";
import { endOfLine, lineStarts, positionOf, type SourceText } from "../manifest/yaml/written.ts";

export interface WhyOptions extends OpenTargetOptions, FileOptions, OwnershipOptions, JournalOptions {
  readonly address: string;
}

/** Shows why one resource is planned as it is: where it is declared, how it compares with what is live, and its steps. */
export async function explainResource(options: WhyOptions, io: Session): Promise<Ending> {
  const address = readAddress(undefined, options.address);
  return withOpenManifest({ ...options, showing: address, use: "run" }, io, async (open) => {
    await reportUndecided(open, options, io);
    const asked = { ...planRequest(open), now: io.now() };
    // The list that the address stands in is read even where the manifest does not touch it.
    const made = await refreshAndPlan(open.source, asked, [address]);
    if (!made.ok) return unavailable(made.error, io);
    const { plan, live } = made.value;
    const input = { ...asked, live };
    keepFormerSecrets(input, io);
    const explanation = explain(input, plan, address);
    if (!explanation) {
      const { incomplete } = input.live.collections.get(collectionAt(address)) ?? {};
      const near = nearAddresses(input, address);
      if (incomplete === undefined) throw new InputError({ type: "unknown_address", address, near });
      io.emit({ type: "incomplete_read", what: incomplete, address });
      return "refused";
    }
    // A circle of changes has no place, and leaves a plan without any step.
    const diagnostics = plan.diagnostics.filter(({ at, severity }) =>
      at === undefined ? severity === "error" : at === explanation.at,
    );
    io.emit({ type: "diagnostics", diagnostics });
    const declaration = await findDeclaration(open.block, io);
    const isWrong = hasErrors(diagnostics);
    io.emit({ type: "explanation", explanation, declaration, hasErrors: isWrong });
    if (isWrong) return "wrong_input";
    return explanation.incomplete === undefined ? "done" : "refused";
  });
}

/** Names the requests of an earlier apply whose outcome only a plan looks up: the explanation counts on none of them. */
async function reportUndecided(open: OpenManifest, options: JournalOptions, io: Session): Promise<void> {
  const journal = await viewEarlier(open.inventory, options, io);
  const { inFlight = [] } = journal?.last ?? {};
  const requests = [...inFlight.map(({ intent }) => intent), ...open.owned.unconfirmed];
  const addresses = [...new Set(requests.map(({ address }) => address))];
  if (addresses.length > 0) io.emit({ type: "undecided", addresses });
}

async function findDeclaration(written: WrittenResource | undefined, io: Host): Promise<Declaration | undefined> {
  if (!written) return undefined;
  const { lastLine, ...declaration } = declarationOf(written);
  const { file, line } = declaration.at;
  const change = await lastChange({ file, first: line, last: lastLine }, io);
  return change === undefined ? declaration : { ...declaration, lastChange: change };
}

/** Lines that are shown of one resource. */
const longest = 12;

/** The place of a resource in its manifest with its source lines, secrets masked, and the last line that it takes. */
function declarationOf({ keySpan, body }: WrittenResource): Declaration & { readonly lastLine: number } {
  const { source } = keySpan;
  const at = positionOf(keySpan);
  // A block that is merged from two files has its body elsewhere.
  const end = body.source === source ? Math.max(keySpan.end, body.end) : keySpan.end;
  const lastLine = positionOf({ source, start: lastCharacter(source, keySpan.start, end), end }).line;
  const shown = Math.min(lastLine - at.line + 1, longest);
  const lines = Array.from({ length: shown }, (_, index) => ({
    number: at.line + index,
    text: lineOf(source, at.line + index),
  }));
  return { at, lines, more: lastLine - at.line + 1 - shown, lastLine };
}

const lastCharacter = ({ text }: SourceText, start: number, end: number) =>
  start + Math.max(0, text.slice(start, end).trimEnd().length - 1);

function lineOf(source: SourceText, number: number): string {
  const start = lineStarts(source)[number - 1] ?? 0;
  const line = source.text.slice(start, endOfLine(source, number - 1));
  const indent = line.length - line.trimStart().length;
  return frameOf({ source, start: start + indent, end: start + indent }).split("\n")[0] ?? "";
}
