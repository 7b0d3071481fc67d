import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readBaseUrl } from "../../engine/session/choose-target.ts";
import { isTimeZone } from "../../kinds/cron.ts";
import { mayBringIn, realPath } from "../../lib/inside.ts";
import { diagnosticAt, type Mistake } from "../../manifest/yaml/diagnostic-at.ts";
import type { WrittenMap, WrittenNode, WrittenScalar } from "../../manifest/yaml/written.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { nearest } from "../../model/nearest.ts";
import type { Account, Window } from "../model.ts";
import { keySource } from "./account-key.ts";
import { dayNames } from "./window.ts";

/** The means of reading, at each place. */
export interface Reading {
  /** The folder of fleet.yaml. */
  readonly top: string;
  readonly diagnostics: Diagnostic[];
}

/** Notes a mistake at its place. */
export const report = ({ diagnostics }: Reading, node: WrittenNode, mistake: Mistake): void =>
  void diagnostics.push(diagnosticAt(node, mistake));

type Given = "baseUrl" | "contract" | "caFile" | "group" | "owner" | "window";

/** The settings that an account or the defaults have of their own. */
type Settings = Partial<Pick<Account, Given>> & { readonly key?: WrittenScalar };

export const mapAt = (map: WrittenMap, key: string): WrittenMap | undefined => {
  const node = map.entries.get(key)?.value;
  return node?.type === "map" ? node : undefined;
};

/** Returns the items of a list, or a single value as one item; the source of a text is the text. */
export function listAt(map: WrittenMap, key: string): readonly WrittenScalar[] {
  const node = map.entries.get(key)?.value;
  const nodes = node?.type === "list" ? node.items : node ? [node] : [];
  return nodes.flatMap((each) =>
    each.type === "scalar" ? { ...each, text: typeof each.value === "string" ? each.value : each.text } : [],
  );
}

export const textAt = (map: WrittenMap, key: string): string | undefined => listAt(map, key)[0]?.text;

/** Reads the settings of an account, or the defaults. */
export function readSettings(map: WrittenMap | undefined, reading: Reading): Settings {
  if (!map) return {};
  const at = (name: string) => listAt(map, name)[0];
  const [key, window] = [at("key"), mapAt(map, "window")];
  if (key && !keySource(key.text, { name: "a", owner: "a" })) report(reading, key, badKey);
  const found = {
    baseUrl: checkedUrl(at("base_url"), reading),
    contract: contractOf(at("contract"), reading),
    caFile: pathOf(at("ca_file"), reading),
    key,
    group: textAt(map, "group"),
    owner: textAt(map, "owner"),
    window: window && readWindow(window, reading),
  };
  // An absent setting must not hide a default.
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

const valueOf = ({ value, text }: WrittenScalar) => (String(value) === text ? (value ?? text) : text);

/** Reads values of variables. A number that is written in another way than JSON writes it stays as it is written. */
export function readVariables(map: WrittenMap | undefined): Account["variables"] {
  return Object.fromEntries(
    [...(map?.entries.values() ?? [])].map(({ key, value }) => {
      const items = map ? listAt(map, key).map(valueOf) : [];
      return [key, value.type === "list" ? items : (items[0] ?? "")];
    }),
  );
}

/** Returns the absolute path of a file that fleet.yaml names; undefined, with a diagnostic, for one that is not below its folder. */
export function pathOf(node: WrittenScalar | undefined, reading: Reading): string | undefined {
  if (!node) return undefined;
  const { top } = reading;
  const path = resolve(top, node.text);
  const isOwn = mayBringIn(realPath(top), realPath(path));
  if (isOwn && existsSync(path)) return path;
  report(reading, node, {
    code: isOwn ? "not_found" : "leads_out",
    summary: isOwn
      ? `The file ${node.text} does not exist`
      : `${node.text} is not below the folder of the fleet's file, or hidden, with all symbolic links followed`,
    hint: isOwn ? "check the path: it is relative to the folder of this file" : "put the file itself there",
  });
  return undefined;
}

/** A contract without a folder or an ending is the name of one that is built in, as in a manifest. */
const contractOf = (node: WrittenScalar | undefined, reading: Reading) =>
  node && /[/.]/u.test(node.text) ? pathOf(node, reading) : node?.text;

function checkedUrl(node: WrittenScalar | undefined, reading: Reading): string | undefined {
  if (!node) return undefined;
  const setting = { value: node.text, from: "manifest", place: "the fleet" } as const;
  const read = readBaseUrl(setting, { name: "", base_path: "" });
  if (!("code" in read)) return node.text;
  report(reading, node, read);
  return undefined;
}

const badKey: Mistake = {
  code: "bad_key",
  summary: "The key is not ${env:NAME}, ${file:PATH} or ${exec:NAME}; only ${account} and ${owner} may stand in it",
  hint: 'write key: "${env:KEY_${account}}"; the key itself never stands in a file of the repository',
};

function readWindow(map: WrittenMap, reading: Reading): Window | undefined {
  const [hours, zone] = [listAt(map, "hours")[0], listAt(map, "time_zone")[0]];
  const [from = 0, to = 0] = (hours?.text ?? "00:00-24:00").split("-").map(minutes);
  if (hours && from === to)
    report(reading, hours, {
      code: "empty_window",
      summary: `The window ${hours.text} is empty`,
      hint: "for the whole day, leave hours out",
    });
  if (!zone) return undefined;
  if (!isTimeZone(zone.text)) {
    const near = nearest(zone.text, Intl.supportedValuesOf("timeZone"));
    report(reading, zone, {
      code: "unknown_time_zone",
      summary: `${zone.text} is not a time zone`,
      detail: "a name of the IANA database, such as Europe/Berlin or UTC",
      hint: near === undefined ? "look the name up in that database" : `did you mean ${near}?`,
    });
  }
  const days = listAt(map, "days").map(({ text }) => dayNames.indexOf(text));
  return { days, from, to, timeZone: zone.text };
}

function minutes(time: string): number {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  return hour * 60 + minute;
}
