import { addTo } from "../lib/collect.ts";
import { loadValidator } from "../lib/load-validator.ts";
import type { Contract } from "../model/contract.ts";
import type { JsonObject } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";
import { checkContract, type FoundMistake } from "./check/check-contract.ts";
import { describeError, expectedOf, pathOf, type ContractSchemaError } from "./describe-error.ts";

/** Finds the mistakes of a whole contract: of its form, and of the content of all that has the right form. */
export function findMistakes(contract: JsonObject): FoundMistake[] {
  const validate = loadValidator<unknown, ContractSchemaError>("contract");
  if (validate(contract)) return checkContract(contract as unknown as Contract);
  const errors = validate.errors ?? [];
  const ofForm = withoutEchoes(errors).map((error) => {
    const extra = error.params.additionalProperty ?? error.propertyName;
    const path = pathOf(error.instancePath);
    return {
      ...describeError(contract, error),
      path: extra === undefined ? path : [...path, extra],
      isKey: extra !== undefined,
    };
  });
  return [...ofForm, ...contentMistakes(contract, errors)];
}

/** Finds the mistakes of the content of those kinds that have the right form, and of the rules for all if they have it. */
function contentMistakes(contract: JsonObject, errors: readonly ContractSchemaError[]): FoundMistake[] {
  const { kinds } = contract;
  if (!isObject(kinds)) return [];
  const places = errors.map(({ instancePath }) => pathOf(instancePath));
  const unchecked = new Set(places.flatMap(([word, kind]) => (word === "kinds" && kind !== undefined ? [kind] : [])));
  const right = Object.fromEntries(Object.entries(kinds).filter(([name]) => !unchecked.has(name)));
  const checked = { ...contract, kinds: right } as unknown as Contract;
  const isWhole = places.every(([word, kind]) => word === "kinds" && kind !== undefined);
  return checkContract(checked, unchecked, isWhole);
}

const isEcho = ({ keyword }: ContractSchemaError) => keyword === "anyOf" || keyword === "const";

/** Returns the places of errors that repeat no other, and all places above them. */
function placesAbove(errors: readonly ContractSchemaError[]): ReadonlySet<string> {
  const above = new Set<string>();
  for (const { instancePath } of errors.filter((error) => !isEcho(error)))
    for (let end = instancePath.lastIndexOf("/"); end > 0; end = instancePath.lastIndexOf("/", end - 1))
      above.add(instancePath.slice(0, end));
  return above;
}

/** Leaves out errors that only repeat others: of an alternative that is not meant, and of a key whose name is wrong. */
function withoutEchoes(errors: readonly ContractSchemaError[]): readonly ContractSchemaError[] {
  const above = placesAbove(errors);
  const distinct = errors.filter(
    (error) => error.keyword !== "propertyNames" && !(isEcho(error) && above.has(error.instancePath)),
  );
  const choices = new Set(distinct.flatMap(({ keyword, instancePath }) => (keyword === "anyOf" ? [instancePath] : [])));
  const isPart = ({ instancePath, keyword }: ContractSchemaError) => keyword !== "anyOf" && choices.has(instancePath);
  const parts = new Map<string, ContractSchemaError[]>();
  for (const error of distinct)
    if (isPart(error) && error.params.additionalProperty === undefined) addTo(parts, error.instancePath, error);
  return distinct
    .filter((error) => !isPart(error))
    .map((error) => {
      if (error.keyword !== "anyOf") return error;
      const own = parts.get(error.instancePath) ?? [];
      return { ...error, message: [...new Set(own.map(expectedOf))].join(" or ") };
    });
}
