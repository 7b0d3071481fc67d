import { normalValue } from "../kinds/derived/normal-value.ts";
import { kindNamed } from "../kinds/index.ts";
import { jsonText } from "../model/json.ts";
import type { Body, Desired, Fields, InterpolatedValue, Live, TemplatePart, Resource } from "../model/resource.ts";

/** Puts the live value in the place of each `${ref:…}` that has one, so that it is compared like any other; the rest stays unknown until apply. */
export function resolveReferences(desired: Desired, live: Live): Desired {
  const resources = [...desired.resources].map(
    ([address, resource]) => [address, resolveResource(resource, live)] as const,
  );
  return { ...desired, resources: new Map(resources) };
}

function resolveResource(resource: Resource, live: Live): Resource {
  if (!hasReferences(resource) && !resource.members?.some(hasReferences)) return resource;
  const resolve = (body: Body): Body => resolveBody(resource, body, live);
  return { ...resource, ...resolve(resource), ...(resource.members && { members: resource.members.map(resolve) }) };
}

const isReference = (part: TemplatePart) => typeof part === "object" && "ref" in part;
const hasReferences = ({ late }: Body) => Object.values(late).some(({ parts }) => parts.some(isReference));

function resolveBody({ kind: name, key }: Resource, body: Body, live: Live): Body {
  const kind = kindNamed(name);
  const fields: Record<string, Fields[string]> = { ...body.fields };
  const late: Record<string, InterpolatedValue> = { ...body.late };
  for (const [field, value] of Object.entries(body.late)) {
    const text = liveText(value.parts, live);
    if (text === undefined) continue;
    fields[field] = normalValue(kind, field, text, key);
    late[field] = { ...value, known: true };
  }
  return { ...body, fields, late };
}

function liveText(parts: readonly TemplatePart[], live: Live): string | undefined {
  let text = "";
  for (const part of parts) {
    const value =
      typeof part === "string"
        ? part
        : "ref" in part
          ? live.resources.get(part.ref)?.remotes[0]?.fields[part.field]
          : undefined;
    if (value === undefined || value === null) return undefined;
    text += jsonText(value);
  }
  return text;
}
