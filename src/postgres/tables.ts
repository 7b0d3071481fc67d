/** The schema of the tables of a fleet, and that of pg-boss. Both names stand in statements as they are. */
export const queueSchema = "hostform_queue";

/**
 * The statements by which each version of the tables follows from the one before. A version that was released is never changed: the next one is added.
 * Times are of the database's clock.
 */
export const versions: readonly string[] = [
  `
  CREATE SCHEMA IF NOT EXISTS hostform;
  CREATE TABLE hostform.meta (version int NOT NULL);
  INSERT INTO hostform.meta VALUES (0);
  -- The addresses that each manifest owns; the highest version of a target counts.
  CREATE TABLE hostform.inventory (
    target text NOT NULL,
    version bigint NOT NULL,
    value text NOT NULL,
    subject text NOT NULL,
    by text NOT NULL,
    plan_hash text,
    manifest_version text,
    dirty boolean NOT NULL DEFAULT false,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (target, version)
  );
  -- Who may write to a target, until when. job and token: the job of a worker that holds it; only a swap with that token is taken.
  CREATE TABLE hostform.lease (
    target text PRIMARY KEY,
    version text NOT NULL DEFAULT '',
    content text,
    until timestamptz NOT NULL,
    job uuid,
    token uuid,
    worker text
  );
  CREATE INDEX lease_until ON hostform.lease (until);
  -- The account, as FLEET/NAME, that a target belongs to: two would delete what is the other's.
  CREATE TABLE hostform.target (target text PRIMARY KEY, account text NOT NULL);
  CREATE TABLE hostform.journal (
    target text NOT NULL,
    line int NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (target, line)
  );
  -- The requests that may be sent to an API now.
  CREATE TABLE hostform.pace (
    host text PRIMARY KEY,
    bucket jsonb
  );
  CREATE TABLE hostform.run (
    id text PRIMARY KEY,
    kind text NOT NULL,
    state text NOT NULL,
    fleet text NOT NULL,
    created timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by text NOT NULL,
    options jsonb NOT NULL,
    hash text,
    approved_hash text,
    approved_by text,
    wave int NOT NULL DEFAULT 0,
    stopped jsonb,
    continued jsonb,
    -- The accounts and the options: who asks for the same again goes on with it.
    selection text NOT NULL DEFAULT '',
    -- Whether something happened in it from which something else may follow.
    dirty boolean NOT NULL DEFAULT false
  );
  CREATE INDEX run_fleet ON hostform.run (fleet, created DESC);
  CREATE TABLE hostform.run_account (
    run text NOT NULL REFERENCES hostform.run ON DELETE CASCADE,
    account text NOT NULL,
    owner text NOT NULL,
    grp text,
    needs jsonb NOT NULL DEFAULT '[]',
    state text NOT NULL,
    wave int,
    digest text,
    plan_hash text,
    counts jsonb,
    plan text,
    shown text,
    ending text,
    why text,
    ended timestamptz,
    -- How often a worker took the last job of it.
    attempts int NOT NULL DEFAULT 0,
    PRIMARY KEY (run, account)
  );
  CREATE INDEX run_account_account ON hostform.run_account (account, run);
  CREATE TABLE hostform.account (
    fleet text NOT NULL,
    name text NOT NULL,
    owner text NOT NULL,
    grp text,
    state text NOT NULL,
    ending text,
    why text,
    planned timestamptz,
    applied timestamptz,
    checked timestamptz,
    drift_since timestamptz,
    -- The runs of its last plan or apply, and of its last check for drift.
    plan text,
    drift text,
    -- Of what differs now, and of what was posted.
    drift_hash text,
    drift_posted text,
    -- The API of its last job that reached one, and where the key for that came from.
    api jsonb,
    key_source text,
    PRIMARY KEY (fleet, name)
  );
  CREATE INDEX account_key_source ON hostform.account (key_source);
  `,
];

/** Returns the statements that let a role do all that workers do, and nothing else: it neither makes, alters nor drops a table. */
export function grantsFor(role: string): string {
  const name = `"${role.replaceAll('"', '""')}"`;
  return [
    `GRANT USAGE ON SCHEMA hostform, ${queueSchema} TO ${name};`,
    `GRANT SELECT ON hostform.meta, ${queueSchema}.queue TO ${name};`,
    "GRANT SELECT, INSERT, UPDATE, DELETE ON hostform.inventory, hostform.target, hostform.lease, hostform.journal, hostform.pace, hostform.run,",
    `  hostform.run_account, hostform.account, ${queueSchema}.job TO ${name};`,
    "",
  ].join("\n");
}
