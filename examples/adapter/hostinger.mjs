// An adapter for Hostinger, whose API makes a database and its user with one request: see README.md.
import { randomBytes } from "node:crypto";
import { serveHalves } from "./halves.mjs";
import { callVendor, startAdapter } from "./server.mjs";
import { asker, fail } from "./vendor.mjs";

const own = { authorization: `Bearer ${process.env.VENDOR_KEY}` };
const ask = asker(own);
const databases = (account) => `/api/hosting/v1/accounts/${account}/databases`;
const pathOf = (account, { record }) => `${databases(account)}/${encodeURIComponent(record.full_name)}`;

/** The vendor puts the account before the names of databases and users. */
const short = (account, name) => (name.startsWith(`${account}_`) ? name.slice(account.length + 1) : name);

const vendor = {
  prefix: "/api",

  async list(account) {
    const all = [];
    for (let [page, total] = [1, 1]; all.length < total; page += 1) {
      const { data, meta } = await ask("GET", `${databases(account)}?page=${page}&per_page=100`);
      if (data.length === 0 && meta.total > all.length) fail(502, "incomplete", "the list of databases ended early");
      all.push(...data);
      total = meta.total;
    }
    return all.map(({ name, user, ...record }) => ({
      name: short(account, name),
      user: short(account, user),
      identity: record.created_at,
      record: { ...record, full_name: name },
    }));
  },

  check({ account, name, username = name }) {
    const prefixed = [name, username].find((each) => each !== short(account, each));
    if (prefixed !== undefined)
      fail(422, "validation_failed", `write ${prefixed} without ${account}_: the vendor adds it`);
  },

  create: (account, { name, record }, { username, password }) =>
    ask("POST", databases(account), { name, user: username, password, website_domain: record.domain }),
  remove: (account, database) => ask("DELETE", pathOf(account, database)),
  update: () => fail(405, "method_not_allowed", "the vendor changes no database"),
  setPassword: (account, database, password) =>
    ask("PATCH", `${pathOf(account, database)}/change-password`, { password }),
  lock: (account, database) => vendor.setPassword(account, database, `Aa1!${randomBytes(24).toString("hex")}`),

  unlock(account, database, { username, password }) {
    if (database.user !== username) fail(422, "validation_failed", `the user of ${database.name} is ${database.user}`);
    return vendor.setPassword(account, database, password);
  },
};

const halves = serveHalves(vendor);
startAdapter(async (request) => halves(request) ?? callVendor(request, own));
