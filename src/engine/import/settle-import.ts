import { isDeepStrictEqual } from "node:util";
import type { Block, Declared } from "../../import/block.ts";
import { withhold, type BlockFault } from "../../import/withhold.ts";
import { fileNameOf } from "../../import/file-names.ts";
import { forbiddenKey, isForbiddenKey } from "../../manifest/yaml/build-tree.ts";
import { parseManifest } from "../../manifest/load.ts";
import { parseSource } from "../../manifest/yaml/parse.ts";
import { pathAt, type SourceText, type WrittenMap } from "../../manifest/yaml/written.ts";
import type { Address } from "../../model/address.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Step } from "../../model/plan.ts";
import { everything, nothingAllowed, nothingOwned, type PlanInput } from "../../model/plan-input.ts";
import type { Desired, Live, Resource } from "../../model/resource.ts";
import { plan } from "../../plan/plan.ts";
import { readOffered } from "../session/load-manifest.ts";
import type { UsableManifest } from "../session/open-manifest.ts";

export interface SettleInput extends Pick<PlanInput, "contract" | "target" | "now"> {
  /** Undefined if the draft comes from files: then it is only read. */
  readonly live: Live | undefined;
  /** Writes the manifest as texts. */
  readonly write: (declared: Declared) => readonly SourceText[];
  /** Returns the live values of a resource, for a comment. */
  readonly valuesOf: (address: Address) => readonly string[];
  /** The manifest to which the draft is added. */
  readonly existing?: Pick<UsableManifest, "desired" | "readSecret" | "outside">;
}

/**
 * Takes out of a drafted manifest what it cannot say: the draft is read and planned as any other manifest, until it has no mistake and
 * changes nothing. Each round takes something out, so there is an end.
 */
export function settleImport(draft: Declared, input: SettleInput): Declared {
  const own = input.existing ? mistakesWithout(draft, input) : new Set();
  for (let declared = withhold(draft, forbiddenKeys(draft), input.valuesOf); ;) {
    const faults = faultsOf(declared, input).filter(({ address, reason }) => address !== undefined || !own.has(reason));
    const [first] = faults;
    if (!first) return declared;
    const { blocks } = declared;
    const next = withhold(declared, faults, input.valuesOf);
    const isLess = next.blocks.length < blocks.length || next.blocks.some((block, at) => block !== blocks[at]);
    declared = isLess ? next : withoutAll(declared, first, input);
  }
}

/** Returns the mistakes that a manifest has without its imported resources: only the live state shows them, and a plan names them. */
const mistakesWithout = (draft: Declared, input: SettleInput): ReadonlySet<unknown> =>
  new Set(faultsOf({ ...draft, blocks: [], ignores: [] }, input).map(({ reason }) => reason));

/** Finds the resources whose names cannot be keys, before the map is read without them. */
const forbiddenKeys = ({ blocks }: Declared): BlockFault[] =>
  blocks
    .filter(({ path }) => path.some(isForbiddenKey))
    .map(({ address }) => ({ address, reason: forbiddenKey.summary }));

/** A mistake, and the file that cannot be read because of it. */
interface DraftMistake extends BlockFault {
  readonly broken?: string;
}

/**
 * Takes out all that is in the file of a mistake, and everything for one that is in none of the blocks: together with them the rest of
 * the manifest has it.
 */
function withoutAll(declared: Declared, { reason, broken }: DraftMistake, { valuesOf }: SettleInput): Declared {
  const { blocks } = declared;
  if (blocks.length === 0) throw new Error(`The manifest has a mistake without its imported resources: ${reason}`);
  const inFile = broken === undefined ? [] : blocks.filter((block) => fileOf(block) === broken);
  const faulty = inFile.length > 0 ? inFile : blocks;
  return withhold(
    declared,
    faulty.map(({ address }) => ({ address, reason })),
    valuesOf,
  );
}

/** Returns the file of a block: of an existing manifest, or of a new folder. */
const fileOf = ({ file, domain }: Block): string => file ?? fileNameOf(domain);

/** Finds the mistakes of a draft; if there are none, what a plan of it would change. */
function faultsOf(declared: Declared, input: SettleInput): DraftMistake[] {
  const sources = input.write(declared);
  const { tree, diagnostics } = parseManifest(sources, [], input.existing?.outside);
  const { readSecret = () => ({ missing: "an import reads no secrets" }), desired: before } = input.existing ?? {};
  const read = tree && readOffered(tree, readSecret, input.contract);
  const mistakes = locate([...diagnostics, ...(read?.diagnostics ?? [])], sources);
  if (!read || mistakes.length > 0) return mistakes;
  const lost = declared.blocks.filter(({ address }) => !read.desired.resources.has(address));
  if (lost.length > 0) return lost.map(({ address }) => ({ address, reason: "a manifest cannot name it" }));
  const changed = before && changedResource(before, read.desired);
  if (changed !== undefined) return [{ reason: `the manifest would say something else of ${changed}` }];
  const added = new Set(declared.blocks.map(({ address }) => address));
  return planFaults(read.desired, sources, input).filter(({ address }) => address === undefined || added.has(address));
}

/** Returns a resource of which a manifest says something else than before. */
function changedResource(before: Desired, after: Desired): Address | undefined {
  const isSame = ({ at: _before, ...resource }: Resource) => {
    const { at: _after, ...now } = after.resources.get(resource.address) ?? { at: undefined };
    return isDeepStrictEqual(resource, now);
  };
  return [...before.resources.values()].find((resource) => !isSame(resource))?.address;
}

/** Finds the place in the manifest of each diagnostic that is an error. A file that cannot be read comes alone: others need what is in it. */
function locate(diagnostics: readonly Diagnostic[], sources: readonly SourceText[]): DraftMistake[] {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const roots = new Map<string, WrittenMap | undefined>();
  const rootOf = (file: string) => {
    if (!roots.has(file)) {
      const source = sources.find((each) => each.file === file);
      roots.set(file, source && parseSource(source).root);
    }
    return roots.get(file);
  };
  const ofSources = errors.filter(({ at }) => at && sources.some(({ file }) => file === at.file));
  const broken = ofSources.find(({ at }) => at && !rootOf(at.file));
  if (broken?.at) return [{ reason: broken.summary, broken: broken.at.file }];
  return errors.map(({ at, related = [], summary, detail }) => ({
    reason: detail === undefined ? summary : `${summary} (expected ${detail})`,
    paths: [...(at ? [at] : []), ...related.map((each) => each.at)].map((place) => {
      const root = rootOf(place.file);
      return root ? pathAt(root, place) : [];
    }),
  }));
}

function planFaults(
  desired: Desired,
  sources: readonly SourceText[],
  { live, contract, target, now }: SettleInput,
): BlockFault[] {
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

const faultOf = ({ address, action, changes }: Step): BlockFault => ({
  address,
  reason: `a plan of it would ${action} ${changes.length === 0 ? "it" : changes.map(({ path }) => path).join(", ")}`,
  ...(action === "update" && { fields: changes.map(({ path }) => path) }),
});
