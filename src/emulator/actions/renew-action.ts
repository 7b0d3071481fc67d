import { envelope } from "../http/answer.ts";
import { expiry, type DomainRecord } from "../kinds/domain.ts";
import { isoTime } from "../kinds/kind.ts";
import { conflict, invalid } from "../refusal.ts";
import type { Action } from "./call.ts";
import { globalTarget } from "./target.ts";

const { find } = globalTarget("domain");

/** Extends a registration by whole years from its end. */
export const renewAction: Action = (call) => {
  const { context, body, validators } = call;
  const domain = find(call);
  const errors = validators.body("RenewalCreate", body);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const { name, expires_at: end } = domain.record as DomainRecord;
  if (end === null) throw conflict(`The domain ${name} is registered elsewhere and must be renewed there.`);
  const years = Number(body["period_years"]);
  const expires_at = expiry(Date.parse(end), years);
  context.save({ ...domain, record: { ...domain.record, expires_at } });
  const renewal = { domain_id: domain.id, period_years: years, expires_at, created_at: isoTime(context.now) };
  return {
    status: 201,
    headers: {},
    body: envelope(JSON.stringify(renewal), `The domain was renewed until ${expires_at}.`),
  };
};
