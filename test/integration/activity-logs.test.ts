import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyExport } from '#contracts/audit/verify-export';
import { integritySchema } from '#contracts/public-api/integrity';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import type { createManualTime } from '../helpers/manual-time.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const logs = '/environment/development/activity-logs';

async function start(options: { readonly clock?: ReturnType<typeof createManualTime>['clock'] } = {}) {
  const store = `sqlite:${path.join(await temporaryFolder(), 'store.sqlite')}`;
  return startAuditApi({ store, ...options });
}

describe('activity logs of the public API', () => {
  it('are exactly what every client knows, newest first, and more where it asks', async () => {
    const { report, list, json } = await start();
    const [first, second] = [activity(), activity({ action: 'index', type: 'read', recordIds: [], recordCount: null })];
    await report([first, second]);
    const page = await list(logs);
    expect(page).toMatchObject({ hasMore: false, parameters: { limit: 10 } });
    expect(page.data.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(page.data[1]).toEqual({
      object: 'activityLog',
      id: first.id,
      type: 'write',
      action: 'update',
      createdAt: page.data[1]?.createdAt,
      recordIds: ['7'],
      collection: { object: 'collection', name: 'orders' },
      user: { object: 'user', id: 7, email: 'ada@example.test', username: 'Ada Lovelace' },
      environment: { object: 'environment', name: 'development' },
      team: { object: 'team', name: 'Operations' },
    });
    const one = await json(`${logs}/${first.id}?expand=status,source,changes,integrity`);
    expect(one.body).toMatchObject({
      status: 'completed',
      fields: ['status'],
      correlationId: 'c1',
      role: 'Operator',
      sequence: 1,
    });
    expect(one.headers.get('etag')).toBe(`"${String(one.body['hash'])}"`);
    expect((await json(`${logs}/${crypto.randomUUID()}`)).status).toBe(404);
  });

  it('refuse to be verified by version 0.1.0, which would call them broken, and nothing else', async () => {
    const { report, get } = await start();
    await report([activity()]);
    const asked = async (query: string, accept: string) => get(`${logs}/export${query}`, { accept });
    const refused = await asked('?max=20000', 'application/json');
    expect(refused.status).toBe(406);
    expect(await refused.json()).toMatchObject({
      code: 'audit_export_newer',
      message: expect.stringContaining('vendor-cloud 0.1.0 verifies format 1 only'),
    });
    for (const [query, accept] of [
      ['', '*/*'],
      ['', 'application/x-ndjson'],
      ['', 'application/json, text/plain, */*'],
      ['?follow=0', 'application/json'],
      ['?format=ocsf', 'application/json'],
      ['?type=read', 'application/json'],
    ] as const) {
      const answer = await asked(query, accept);
      // An export that nobody reads to its end still counts as one of the two that may run.
      await answer.text();
      expect(answer.status, `${query} ${accept}`).toBe(200);
    }
  });

  it('come in pages without loss, by cursors in both directions and by times', async () => {
    const { report, list, json } = await start();
    const all = Array.from({ length: 57 }, () => activity());
    await report(all);
    const newestFirst = all.map(({ id }) => id).toReversed();
    const ids = async (address: string) => {
      const read: string[] = [];
      const pages = [await list(address)];
      for (;;) {
        const page = pages.at(-1);
        read.push(...(page?.data ?? []).map(({ id }) => id));
        if (!page?.hasMore) return { read, pages };
        pages.push(await list(`${address}&cursor=${page.nextCursor}`));
      }
    };
    expect((await ids(`${logs}?limit=10`)).read).toEqual(newestFirst);
    const ascending = await ids(`${logs}?limit=10&order=asc`);
    expect(ascending.read).toEqual(newestFirst.toReversed());
    const third = ascending.pages[2];
    const before = await list(`${logs}?limit=10&order=asc&cursor=${third?.prevCursor}`);
    expect(before.data).toEqual(ascending.pages[1]?.data);
    const oldest = await json(`${logs}?limit=10&order=asc&cursor=${before.prevCursor}`);
    expect(oldest.body['data']).toEqual(ascending.pages[0]?.data);
    expect(oldest.headers.get('link')).toMatch(/^<[^>]+>; rel="next"$/);

    const legacy: string[] = [];
    let next = `${logs}?limit=9`;
    for (;;) {
      const { data, hasMore } = await list(next);
      legacy.push(...data.map(({ id }) => id));
      if (!hasMore) break;
      next = `${logs}?limit=9&createdAt.lt=${data.at(-1)?.createdAt}`;
    }
    expect(legacy).toEqual(newestFirst);

    const [edge] = (await list(`${logs}?limit=57`)).data.slice(-10);
    expect((await list(`${logs}?limit=10&createdAt.lte=${edge?.createdAt}`)).hasMore).toBe(false);
    await report([activity()]);
    const end = ascending.pages.at(-1);
    expect((await list(`${logs}?limit=10&order=asc&cursor=${end?.nextCursor}`)).data).toHaveLength(1);
  });

  it('are found by the program, by its id or its name, and by the tool, in pages and exports', async () => {
    const { report, list, text } = await start();
    const client = { id: 'https://assistant.test/client.json', name: 'Assistant' };
    const [own, listed, updated] = [
      activity(),
      activity({ client, tool: 'list', source: 'mcp' }),
      activity({ client, tool: 'update', source: 'mcp' }),
    ];
    const nightly = activity({ client: { id: 'nightly-sync', name: 'nightly-sync' } });
    await report([own, listed, updated, nightly]);
    const found = async (query: string) => (await list(`${logs}?${query}`)).data.map(({ id }) => id);
    expect(await found('client=Assistant')).toEqual([updated.id, listed.id]);
    expect(await found(`client=${encodeURIComponent(client.id)}`)).toEqual([updated.id, listed.id]);
    expect(await found('client=Assistant&tool=list&userId=7')).toEqual([listed.id]);
    expect(await found('client=nightly-sync')).toEqual([nightly.id]);
    expect(await found('client=nightly')).toEqual([]);
    expect(await found('tool=update')).toEqual([updated.id]);
    const [first] = (await list(`${logs}?client=Assistant&limit=1`)).data;
    expect(first?.id).toBe(updated.id);
    const lines = (await text(`${logs}/export?client=Assistant`)).trimEnd().split('\n').slice(1, -2);
    expect(lines.map((line) => (JSON.parse(line) as { readonly id: string }).id)).toEqual([listed.id, updated.id]);
  });

  it('are unmoved by rows that come between two pages', async () => {
    const { report, list } = await start();
    await report(Array.from({ length: 6 }, () => activity()));
    const first = await list(`${logs}?limit=3`);
    await report([activity()]);
    const second = await list(`${logs}?limit=3&cursor=${first.nextCursor}`);
    expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(6);
  });

  it.each([
    ['limit=0'],
    ['limit=101'],
    ['limit=10.0'],
    ['limit=1e1'],
    ['limit=%2B5'],
    ['limit=%205'],
    ['limit=%D9%A1%D9%A0'],
    ['limit=5&limit=5'],
    ['limit='],
    ['page=2'],
    ['createdAt[lt]=2026-01-01'],
    ['createdAt.lt=2026-02-30T00:00Z'],
    ['createdAt.lt=10000-01-01T00:00Z'],
    ['createdAt.lt=2026-01-01T00:00:00+05:30'],
    ['createdAt.gt=2026-01-01T00:00Z&createdAt.gte=2026-01-01T00:00Z'],
    ['userEmail=a+b@example.test'],
    ['userId=-0'],
    ['userId=99999999999999999999'],
    ['type=add'],
    ['action=updateNotes'],
    ['order=up'],
    ['expand=everything'],
    ['cursor=AAAA'],
    [`cursor=${'A'.repeat(10_240)}`],
    ['collectionName='],
    ['recordId=%00'],
  ])('are refused with ?%s', async (search) => {
    const { get } = await start();
    const answer = await get(`${logs}?${search}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'Bad Request', status: 400 });
  });

  it('take times of every form, and say how they were understood', async () => {
    const { report, list } = await start();
    await report([activity()]);
    const [row] = (await list(logs)).data;
    const exact = row?.createdAt ?? '';
    for (const [sent, count] of [
      [exact, 1],
      [exact.replace('Z', '999Z'), 1],
      [exact.replace('Z', ''), 1],
    ] as const) {
      expect((await list(`${logs}?createdAt.eq=${sent}`)).data, sent).toHaveLength(count);
    }
    const { parameters } = await list(`${logs}?createdAt.gte=2026-01-01T05:30%2B05:30&createdAt.lt=2027-01-01T00:00`);
    expect(parameters).toEqual({
      projectName: 'shop',
      environmentName: 'development',
      limit: 10,
      'createdAt.gte': '2026-01-01T00:00:00.000Z',
      'createdAt.lt': '2027-01-01T00:00:00.000Z',
    });
    expect(await list(`${logs}?createdAt.gte=2030-01-01T00:00Z&createdAt.lt=2029-01-01T00:00Z`)).toMatchObject({
      data: [],
      hasMore: false,
    });
  });

  it('are found by strange names and ids, kept apart by case and by environment', async () => {
    const { report, list } = await start();
    const id = 'a|b%/🚀 +=&?#';
    await report([
      activity({ collection: 'Foo', recordIds: [id] }),
      activity({ collection: 'foo', recordIds: ['7'], user: { ...activity().user, email: 'a+b@Example.TEST' } }),
    ]);
    expect((await list(`${logs}?collectionName=Foo`)).data).toHaveLength(1);
    expect((await list(`${logs}?recordId=${encodeURIComponent(id)}`)).data).toHaveLength(1);
    expect((await list(`${logs}?userEmail=a%2Bb@example.test`)).data).toHaveLength(1);
    expect((await list(`${logs}?recordId=07`)).data).toHaveLength(0);
    expect((await list(`${logs}?userId=7&userEmail=nobody@example.test`)).data).toHaveLength(0);
  });

  it('keep the cursor of their filters, their log and this platform', async () => {
    const { report, list, json } = await start();
    await report(Array.from({ length: 3 }, () => activity()));
    const { nextCursor } = await list(`${logs}?limit=1&type=write`);
    expect((await json(`${logs}?limit=1&type=read&cursor=${nextCursor}`)).body).toMatchObject({
      code: 'invalid_parameter',
    });
    const admin = await json(`/admin-logs?cursor=${nextCursor}`);
    expect(admin.status).toBe(400);
    const bytes = Buffer.from(nextCursor ?? '', 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      const { status } = await json(`${logs}?limit=1&type=write&cursor=${flipped.toString('base64url')}`);
      expect(status, `byte ${at}`).toBe(400);
    }
  });

  it('show all records of a long act by its id', async () => {
    const { report, list, json } = await start();
    const ids = Array.from({ length: 2_500 }, (_, index) => String(index));
    const act = activity({ action: 'delete', recordIds: ids.slice(0, 1_000), recordCount: ids.length });
    await report([
      act,
      { id: act.id, part: 1, recordIds: ids.slice(1_000, 2_000) },
      { id: act.id, part: 2, recordIds: ids.slice(2_000) },
    ]);
    expect((await list(`${logs}?recordId=2499`)).data).toHaveLength(1);
    expect((await list(logs)).data).toHaveLength(1);
    expect((await json(`${logs}/${act.id}`)).body['recordIds']).toEqual(ids);
  });
});

describe('exports of activity logs', () => {
  async function filled(count: number) {
    const api = await start();
    const all = Array.from({ length: count }, (_, index) => activity({ label: `row ${index}` }));
    for (let from = 0; from < count; from += 500) await api.report(all.slice(from, from + 500));
    return { ...api, all };
  }

  it('hold every row once, in order, and verify with the key of the platform', async () => {
    const { text, json, all, get } = await filled(2_300);
    const lines = (await text(`${logs}/export`)).trimEnd().split('\n');
    const rows = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ object }) => object === 'activityLog');
    expect(rows.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    const { keys } = integritySchema.parse((await json('/integrity')).body);
    const trusted = keys.map((verifier) => ({ verifier }));
    expect(await verifyExport(lines, { keys: trusted })).toMatchObject({ outcome: 'holds', rows: 2_300 });
    const zipped = await get(`${logs}/export`, { 'accept-encoding': 'gzip' });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect((await zipped.text()).split('\n').length).toBe(lines.length + 1);
  });

  it('go on after a cut at any byte, with every row and at most a thousand twice', async () => {
    const { text, all } = await filled(2_300);
    const whole = await text(`${logs}/export`);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), async (cut) => {
        const complete = whole.slice(0, cut).split('\n').slice(0, -1);
        const places = complete.filter((line) => line.startsWith('{"object":"checkpoint"'));
        const { cursor } = JSON.parse(places.at(-1) ?? '{}') as { readonly cursor?: string };
        const rest = await text(`${logs}/export${cursor === undefined ? '' : `?after=${cursor}`}`);
        const read = [...complete, ...rest.trimEnd().split('\n')].flatMap((line) => {
          const { object, id } = JSON.parse(line) as { readonly object: string; readonly id: string };
          return object === 'activityLog' ? [id] : [];
        });
        expect([...new Set(read)]).toEqual(all.map(({ id }) => id));
        expect(read.length - all.length).toBeLessThanOrEqual(1_000);
      }),
      { numRuns: 15 },
    );
  });

  it('have a beginning and an end for a log without rows', async () => {
    const { text, json } = await start();
    const lines = (await text(`${logs}/export`)).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Record<string, unknown>)['object'])).toEqual(['start', 'end']);
    const { keys } = integritySchema.parse((await json('/integrity')).body);
    const trusted = keys.map((verifier) => ({ verifier }));
    expect(await verifyExport(lines, { keys: trusted })).toMatchObject({ outcome: 'holds', rows: 0 });
  });

  it('end with the same cursor where nothing is new, and wait for what comes', async () => {
    const { text, report } = await filled(3);
    const end = JSON.parse((await text(`${logs}/export`)).trimEnd().split('\n').at(-1) ?? '') as {
      readonly cursor: string;
    };
    const again = (await text(`${logs}/export?after=${end.cursor}`))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(again.map(({ object }) => object)).toEqual(['start', 'end']);
    expect(again[1]?.['cursor']).toBe(end.cursor);
    const waiting = text(`${logs}/export?after=${end.cursor}&follow=20`);
    await report([activity({ label: 'new' })]);
    expect(await waiting).toContain('"label":"new"');
  });

  it.each([
    ['csv', /^sequence,id,createdAt/, /\r\n1,/],
    ['ocsf', /"class_uid":6005,/, /"type_uid":600502/],
    ['cef', /^CEF:0\|Vendor\|AuditLog\|1\|update\|row 0\|3\|/, /\n# end /],
    ['hec', /"sourcetype":"service:activity"/, /"source":"service:shop\/development"/],
  ])('are written as %s, with filters too', async (format, first, second) => {
    const { text } = await filled(3);
    const whole = await text(`${logs}/export?format=${format}`);
    expect(whole).toMatch(first);
    expect(whole).toMatch(second);
    expect(await text(`${logs}/export?format=${format}&collectionName=nothing`)).not.toContain('row 0');
  });

  it('name the version of the code in a column of CSV, which is empty where the host told none', async () => {
    const { report, text } = await start();
    await report([activity({ codeVersion: 12, tool: 'update' }), activity({ tool: 'update' })]);
    const lines = (await text(`${logs}/export?format=csv`)).trimEnd().split('\r\n');
    const [names, ...rows] = lines.map((line) => line.split(',').slice(-3));
    expect(names).toEqual(['tool', 'codeVersion', 'cursor']);
    expect(rows.map(([tool, version]) => [tool, version])).toEqual([
      ['update', '12'],
      ['update', ''],
    ]);
    const filtered = (await text(`${logs}/export?format=csv&codeVersion=12`)).trimEnd().split('\r\n');
    expect(filtered).toHaveLength(2);
  });

  it('let no name become a formula, a line or a field of its own', async () => {
    const { report, text } = await start();
    await report([
      activity({ label: '=cmd()|x', collection: 'a\nb=c\\d|e', user: { ...activity().user, name: '+1\u2028' } }),
    ]);
    const csv = await text(`${logs}/export?format=csv`);
    expect(csv).toContain("'=cmd()|x");
    expect(csv).toContain("'+1");
    const cef = (await text(`${logs}/export?format=cef`)).split('\n');
    expect(cef[0]).toContain('|=cmd()\\|x|');
    expect(cef[0]).toContain('cs1=a\\nb\\=c\\\\d|e ');
    expect((await text(`${logs}/export`)).trimEnd().split('\n')).toHaveLength(4);
  });

  it('are two at once for one caller', { tags: 'long' }, async () => {
    const { get } = await filled(1);
    const { cursor } = JSON.parse((await (await get(`${logs}/export`)).text()).trimEnd().split('\n').at(-1) ?? '') as {
      readonly cursor: string;
    };
    const open = [1, 2].map(() => get(`${logs}/export?after=${cursor}&follow=5`));
    const refused = await get(`${logs}/export?after=${cursor}&follow=5`);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    for (const answer of await Promise.all(open)) expect(answer.status).toBe(200);
  });
});
