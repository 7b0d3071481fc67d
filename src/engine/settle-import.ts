import type { Declared } from "../import/block.ts";
import { withhold, type Fault } from "../import/withhold.ts";
import { parseManifest } from "../manifest/load.ts";
import { parseSource } from "../manifest/parse.ts";
import { pathAt } from "../manifest/path-at.ts";
import type { SourceText } from "../manifest/written.ts";
import type { Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Step, Target } from "../model/plan.ts";
import { everything, nothingAllowed, nothingOwned } from "../model/plan-input.ts";
import type { Desired, Live } from "../model/resource.ts";
import { plan } from "../plan/plan.ts";
import { readOffered } from "./load-manifest.ts";

export interface SettleInput {
  /** Undefined if the draft comes from files: then it is only read. */
  readonly live: Live | undefined;
  readonly contract: Contract;
  readonly target: Target;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Writes the manifest as texts. */
  readonly write: (declared: Declared) => readonly SourceText[];
  /** Returns the live values of a resource, for a comment. */
  readonly valuesOf: (address: Address) => readonly string[];
}

/**
 * Takes out of a drafted manifest what it cannot say: the draft is read and planned as any other manifest, until it has no mistake and
 * changes nothing. Each round takes something out, so there is an end.
 */
export function settleImport(draft: Declared, input: SettleInput): Declared {
  for (let declared = draft; ;) {
    const faults = faultsOf(declared, input);
    if (faults.length === 0) return declared;
    const next = withhold(declared, faults, input.valuesOf);
    if (next.omissions.length === declared.omissions.length)
      throw new Error(`The imported manifest has a mistake that is in none of its resources: ${faults[0]?.reason}`);
    declared = next;
  }
}

/** Finds the mistakes of a draft; if there are none, what a plan of it would change. */
function faultsOf(declared: Declared, input: SettleInput): Fault[] {
  const sources = input.write(declared);
  const { tree, diagnostics } = parseManifest(sources);
  const read = tree && readOffered(tree, () => ({ missing: "an import reads no secrets" }), input.contract);
  const mistakes = locate([...diagnostics, ...(read?.diagnostics ?? [])], sources);
  if (!read || mistakes.length > 0) return mistakes;
  const lost = declared.blocks.filter(({ address }) => !read.desired.resources.has(address));
  if (lost.length > 0) return lost.map(({ address }) => ({ address, reason: "a manifest cannot name it" }));
  return planFaults(read.desired, sources, input);
}

/** Finds the place in the manifest of each diagnostic that is an error. */
function locate(diagnostics: readonly Diagnostic[], sources: readonly SourceText[]): Fault[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const files = new Set(errors.map(({ at }) => at?.file));
  const roots = new Map(
    sources.filter(({ file }) => files.has(file)).map((source) => [source.file, parseSource(source).root]),
  );
  return errors.map(({ at, summary }) => {
    const root = roots.get(at?.file ?? "");
    return { reason: summary, path: at && root ? pathAt(root, at) : [] };
  });
}

function planFaults(
  desired: Desired,
  sources: readonly SourceText[],
  { live, contract, target, now }: SettleInput,
): Fault[] {
  if (!live) return [];
  const { steps, refusals, diagnostics } = plan({
    desired,
    live,
    contract,
    target,
    now,
    consent: nothingAllowed,
    ownership: nothingOwned,
    selection: everything,
  });
  const refused = refusals.flatMap(({ address, summary }) =>
    address === undefined ? [] : [{ address, reason: summary }],
  );
  return [...locate(diagnostics, sources), ...refused, ...steps.map(faultOf)];
}

const faultOf = ({ address, action, changes }: Step): Fault => ({
  address,
  reason: `a plan of it would ${action} ${changes.length === 0 ? "it" : changes.map(({ path }) => path).join(", ")}`,
  ...(action === "update" && { fields: changes.map(({ path }) => path) }),
});
