import { describe, expect, test } from "vitest";
import { lists } from "../plan/spelling-account.ts";
import { spelt, spellingSets } from "../plan/spell-lists.ts";
import { type Draft, draftOf, nothingToDo, planOf } from "./draft.ts";
import { forDraws } from "../support/for-draws.ts";

/** The texts of a draft, without their longest lines. */
const shownText = ({ sources }: Draft) =>
  sources
    .map(({ file, text }) => `${file}:\n${text}`)
    .join("")
    .replaceAll(/.{300,}/gu, "…");

describe("an imported account", () => {
  test("of every kind and type of record is declared whole", async () => {
    const draft = await draftOf(lists);
    expect(planOf(draft)).toMatchObject({ ...nothingToDo, unmanaged: [] });
    expect(draft.declared.omissions).toEqual([]);
    expect(shownText(draft)).toMatchInlineSnapshot(`
      "hostform.yaml:
      # yaml-language-server: $schema=./manifest.schema.json

      version: 1
      name: test
      example.com.yaml:
      # yaml-language-server: $schema=./manifest.schema.json

      services:
        example.com: { plan: WEB-M, datacenter: MAD1, settings: { backups: false } }
      domains:
        example.com: { service: example.com, contacts: { owner: c1 } }
      dns:
        example.com:
          ttl: 7200
          dnssec: { enabled: true }
          records:
            "@":
              A: 192.0.2.10
              AAAA: 2001:db8::10
              CAA: { tag: issue, value: letsencrypt.org }
              HTTPS: 1 . alpn=h2,h3 ipv6hint=2001:db8::1 port=443
              MX:
                - { priority: 10, value: mx1.host.test. }
                - { priority: 20, value: mx2.xn--bcher-kva.example. }
              TXT: v=spf1 mx include:_spf.example.net -all
            "10":
              PTR: host.example.com.
            _443._tcp:
              TLSA: 3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
            _sip._tcp:
              SRV: { priority: 0, weight: 5, port: 5060, target: sip.example.com. }
            _web._tcp:
              URI: 10 1 "https://example.com/"
            apex:
              ALIAS: www.example.com.
            host:
              SSHFP: 4 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
            long:
      …
            sel._domainkey:
      …
            sub:
              DS: 12345 13 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
              NS: ns1.example.net.
            svc:
              SVCB: 1 svc.example.com. alpn=h2 port=8443
            text:
              TXT: plain words; größer and "quoted"
            voice:
              NAPTR: 100 10 "u" "e2u+sip" "!^.*$!sip:info@example.com!" .
            www:
              CNAME: example.com.
            xn--bcher-kva:
              A: 192.0.2.11
      mail:
        example.com:
          mailboxes:
            info: { quota: 2 GiB }
          aliases:
            sales: { destinations: [ a@example.net, info@example.com ] }
          settings:
            catch_all: info@example.com
            autoresponder:
              enabled: true
              subject: Away
              message: x
              starts_at: 2026-01-01T00:00:00Z
            dkim: { enabled: true }
      ftp:
        example.com:
          accounts:
            deploy: { home: /www, quota: 500 MB }
      databases:
        example.com:
          databases:
            shop: { engine: mariadb }
          users:
            none: {}
            shop: { grants: { shop: [ INSERT, SELECT ] } }
      crons:
        example.com:
          jobs:
            nightly:
              schedule: 30 8 * 1-3 1,5
              command: run --host db.host.test
              timezone: Europe/Madrid
              email: ops@example.com
              timeout_s: 60
      certificates:
        example.com: [ { domains: [ "*.example.com", example.com ] } ]
      "
    `);
  });

  test.each(["folder", "single"] as const)("plans to no change in every spelling of the service (%s)", (layout) =>
    forDraws(40, spellingSets, async (spelling) => {
      const draft = await draftOf(spelt(lists, spelling), layout);
      expect(planOf(draft)).toMatchObject({ ...nothingToDo, unmanaged: [] });
      expect(draft.declared.omissions).toEqual([]);
    }),
  );
});
