import { describe, expect, it } from 'vitest';
import { toolNames } from '#contracts/mcp';
import { recordsOf as printedRecords } from '#flows/run/json-api-records';
import type { Agent } from '#runtime/index';
import { recordsOf as clientRecords } from '#testing/records/record-document';
import { createMemoryPlatform } from '../../helpers/activity-outbox.ts';
import { errorOf, mcpCall } from '../../helpers/mcp-call.ts';
import { call, type ShopAgent, startShopAgent } from '../../helpers/shop-agent.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const tables = `
  CREATE TABLE marks (code TEXT PRIMARY KEY, place TEXT, label TEXT UNIQUE);
  INSERT INTO marks VALUES (NULL, 'a', 'without'), ('null', 'b', 'named null'), (NULL, 'a', 'without, too'), ('x', 'c', 'named x');
  CREATE TABLE pins (a TEXT, b TEXT, mark TEXT, note TEXT, PRIMARY KEY (a, b));
  INSERT INTO pins VALUES ('a', NULL, 'without', 'half'), ('a', 'null', 'without, too', 'whole'), ('a', '', 'named x', 'of an empty text');
  CREATE TABLE spots (place TEXT PRIMARY KEY, floor INT);
  INSERT INTO spots VALUES ('a', 1);
  CREATE VIEW seen AS SELECT code, place FROM marks;
  CREATE VIEW sorted AS SELECT place, label FROM marks;`;

interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, { readonly data?: unknown; readonly links?: unknown }>>;
  readonly meta?: unknown;
}

const serve = (customize?: (agent: Agent) => void) => startShopAgent(customize, {}, tables);

async function listed(agent: ShopAgent, target: string): Promise<readonly Resource[]> {
  const { status, json, text } = await call(agent, target);
  expect([status, text]).toEqual([200, text]);
  return (json as { data: Resource[] }).data;
}

const selection = (ids: readonly string[]) => ({ data: { attributes: { ids, collection_name: 'marks' } } });

describe('a record whose key is not complete', () => {
  it.each(['marks', 'seen'])('has an empty id in the list of %s, which says so', async (collection) => {
    const records = await listed(await serve(), `/${collection}?sort=place`);
    expect(records.map(({ id, meta }) => [id, meta])).toEqual([
      ['', { hasKey: false }],
      ['', { hasKey: false }],
      ['null', undefined],
      ['x', undefined],
    ]);
  });

  it('has an empty id where one part of its key is missing, and no links', async () => {
    const agent = await serve((on) =>
      on.customizeCollection('pins', (pins) =>
        pins.addOneToManyRelation('same', 'pins', { originKey: 'note', originKeyTarget: 'note' }),
      ),
    );
    const records = await listed(agent, '/pins?sort=-note');
    expect(
      records.map(({ id, attributes: { note }, relationships }) => [note, id, 'same' in (relationships ?? {})]),
    ).toEqual([
      ['whole', 'a|null', true],
      ['of an empty text', 'a|', true],
      ['half', '', false],
    ]);
  });

  it('is not taken for another one where relations lead to it', async () => {
    const agent = await serve((on) =>
      on.customizeCollection('pins', (pins) =>
        pins.addManyToOneRelation('named', 'marks', { foreignKey: 'mark', foreignKeyTarget: 'label' }),
      ),
    );
    const { json } = await call(agent, '/pins?sort=-note&fields[pins]=note,named&fields[named]=label');
    const { data, included } = json as { data: Resource[]; included: Resource[] };
    const linked = data.map(({ attributes: { note }, relationships }) => [note, relationships?.['named']?.data]);
    const nameless = (label: string) => ({
      ...{ type: 'marks', id: '' },
      meta: { hasKey: false, attributes: { code: null, label } },
    });
    expect(linked).toEqual([
      ['whole', nameless('without, too')],
      ['of an empty text', { type: 'marks', id: 'x' }],
      ['half', nameless('without')],
    ]);
    expect(clientRecords(json).map(({ named }) => named)).toMatchObject([
      { label: 'without, too' },
      { label: 'named x' },
      { label: 'without' },
    ]);
    expect(printedRecords(json).map(({ named }) => named)).toMatchObject([
      { label: 'without, too' },
      { label: 'named x' },
      { label: 'without' },
    ]);
    expect(included.map(({ id, attributes }) => [id, attributes['label']])).toEqual([['x', 'named x']]);
  });

  it('shows what it leads to itself where relations lead to it', async () => {
    const agent = await serve((on) =>
      on
        .customizeCollection('pins', (pins) =>
          pins.addManyToOneRelation('named', 'marks', { foreignKey: 'mark', foreignKeyTarget: 'label' }),
        )
        .customizeCollection('marks', (marks) => marks.addManyToOneRelation('spot', 'spots', { foreignKey: 'place' })),
    );
    const { json } = await call(agent, '/pins?sort=note&fields[pins]=note,named&fields[named]=label,spot:floor');
    const { data, included } = json as { data: Resource[]; included: Resource[] };
    expect(data[0]?.relationships?.['named']?.data).toEqual({
      ...{ type: 'marks', id: '' },
      meta: {
        hasKey: false,
        attributes: { code: null, label: 'without' },
        relationships: { spot: { data: { type: 'spots', id: 'a' } } },
      },
    });
    expect(included.map(({ id, attributes }) => [id, attributes['floor']])).toContainEqual(['a', 1]);
    for (const recordsOf of [clientRecords, printedRecords])
      expect(recordsOf(json)[0]).toMatchObject({ named: { label: 'without', spot: { place: 'a', floor: 1 } } });
  });

  it('is not found by the texts of other keys, and its empty id is refused with what to do', async () => {
    const agent = await serve((on) =>
      on.customizeCollection('pins', (pins) =>
        pins.addManyToOneRelation('named', 'marks', { foreignKey: 'mark', foreignKeyTarget: 'label' }),
      ),
    );
    const { json } = await call(agent, '/marks/null');
    expect((json as { data: Resource }).data.attributes).toMatchObject({ label: 'named null' });
    const refusal = {
      name: 'ValidationError',
      detail: expect.stringMatching(/^The id is empty/),
      nextSteps: [expect.stringContaining('by a filter on code')],
    };
    const asked = [
      call(agent, '/marks', { method: 'DELETE', body: selection(['']) }),
      call(agent, '/marks', { method: 'POST', body: { data: { id: '', attributes: {} } } }),
      call(agent, '/pins/a%7Cnull/relationships/named', { method: 'PUT', body: { data: { type: 'marks', id: '' } } }),
    ];
    for (const { status, json: refused } of await Promise.all(asked)) {
      expect([status, refused]).toEqual([400, { errors: [expect.objectContaining(refusal)] }]);
    }
  });

  it('is in exports, and in the answers of emulated filters', async () => {
    const agent = await serve((on) =>
      on.customizeCollection('marks', (marks) =>
        marks
          .addField('loud', {
            columnType: 'String',
            dependencies: ['label'],
            getValues: (records) => records.map(({ label }) => String(label).toUpperCase()),
          })
          .emulateFieldFiltering('loud'),
      ),
    );
    const { text } = await call(agent, '/marks.csv?header=["code","label"]&fields[marks]=code,label');
    expect(text.split('\n').toSorted()).toContain(',without');
    const filters = encodeURIComponent(JSON.stringify({ field: 'loud', operator: 'starts_with', value: 'WITHOUT' }));
    const records = await listed(agent, `/marks?filters=${filters}&fields[marks]=label`);
    expect(records.map(({ id, attributes }) => [id, attributes['label']])).toEqual([
      ['', 'without'],
      ['', 'without, too'],
    ]);
  });

  it('is among what a write of all that match deletes, and is not reported as another one', async () => {
    const platform = createMemoryPlatform();
    const activity = { platform, serverUrl: 'https://platform.test', folder: await temporaryFolder() };
    const keep = (on: Agent) => on.customizeCollection('marks', (marks) => marks.keepHistory());
    const agent = await startShopAgent(keep, { activity }, tables);
    const body = {
      data: { attributes: { all_records: true, all_records_ids_excluded: [], all_records_subset_query: {} } },
    };
    const { status, text } = await call(agent, '/marks', { method: 'DELETE', body });
    expect([status, text]).toEqual([204, '']);
    await agent.runtime.stop(10_000);
    const acts = platform.stored.filter(({ type }) => type === 'write');
    expect(acts.map((act) => 'recordIds' in act && act.recordIds)).toEqual([['null', 'x']]);
    const kept = acts.map((act) => platform.valuesOf(act));
    const named = kept.flatMap((values) => (values && 'records' in values ? values.records : []));
    expect(named.map(({ recordId, before }) => [recordId, before?.['label']])).toEqual([
      ['null', 'named null'],
      ['x', 'named x'],
    ]);
  });

  it('is not reported where its key is an empty text', async () => {
    const platform = createMemoryPlatform();
    const activity = { platform, serverUrl: 'https://platform.test', folder: await temporaryFolder() };
    const keep = (on: Agent) => on.customizeCollection('marks', (marks) => marks.keepHistory());
    const agent = await startShopAgent(keep, { activity }, tables);
    const attributes = { code: '', place: 'a', label: 'of an empty text' };
    const created = await call(agent, '/marks', { method: 'POST', body: { data: { type: 'marks', attributes } } });
    expect([created.status, created.json]).toMatchObject([200, { data: { id: '', meta: { hasKey: false } } }]);
    const body = {
      data: { attributes: { all_records: true, all_records_ids_excluded: ['x'], all_records_subset_query: {} } },
    };
    expect((await call(agent, '/marks', { method: 'DELETE', body })).status).toBe(204);
    await agent.runtime.stop(10_000);
    const acts = platform.stored.filter(({ type }) => type === 'write');
    expect(acts.map((act) => 'recordIds' in act && act.recordIds)).toEqual([[], ['null']]);
    const kept = acts.map((act) => platform.valuesOf(act));
    const named = kept.flatMap((values) => (values && 'records' in values ? values.records : []));
    expect(named.map(({ recordId }) => recordId)).toEqual(['null']);
  });

  it('is not linked by its title, and an import that makes one reports no id', async () => {
    const platform = createMemoryPlatform();
    const activity = { platform, serverUrl: 'https://platform.test', folder: await temporaryFolder() };
    const nameless = `
      CREATE TABLE names (code TEXT PRIMARY KEY, name TEXT);
      INSERT INTO names VALUES (NULL, 'Nemo');
      CREATE TABLE uses (id INTEGER PRIMARY KEY, code TEXT REFERENCES names (code));`;
    const agent = await startShopAgent(undefined, { activity }, nameless);
    const importInto = (collection: string, records: readonly object[]) =>
      call(agent, `/_internal/import/${collection}`, { method: 'POST', body: { mode: 'parts', records } });
    const linked = await importInto('uses', [{ line: 2, values: {}, titles: { name: 'Nemo' } }]);
    expect(linked.json).toMatchObject({
      errors: [{ line: 2, detail: 'The field "name" names a record of "names" that has no key by its "name".' }],
    });
    expect((await importInto('names', [{ line: 2, values: { code: '', name: 'Outis' } }])).json).toMatchObject({
      meta: { created: 1, ids: [] },
    });
    await agent.runtime.stop(10_000);
    const acts = platform.stored.filter(({ type }) => type === 'write');
    expect(acts.map((act) => 'recordIds' in act && act.recordIds)).toEqual([[], []]);
  });

  it('cannot be named to the code of an action', async () => {
    const agent = await serve((on) =>
      on.customizeCollection('marks', (marks) =>
        marks.addAction('Name', {
          scope: 'Bulk',
          execute: async (context, result) => result.success((await context.getRecordIds()).join()),
        }),
      ),
    );
    const attributes = {
      all_records: true,
      all_records_ids_excluded: [],
      all_records_subset_query: {},
      collection_name: 'marks',
    };
    const { status, json } = await call(agent, '/_actions/marks/0/name', {
      method: 'POST',
      body: { data: { attributes } },
    });
    expect([status, json]).toEqual([
      422,
      { errors: [expect.objectContaining({ detail: expect.stringMatching(/^A record of "marks" has no key: code/) })] },
    ]);
  });

  it('has no id in the answers of MCP tools, and an empty one is refused', async () => {
    const agent = await startShopAgent(undefined, { mcpTools: toolNames }, tables);
    const { result } = await mcpCall(agent, 'list', { collectionName: 'marks', fields: ['code', 'label'] });
    expect(result.structuredContent).toMatchObject({
      records: [
        { code: null, label: 'without' },
        { code: null, label: 'without, too' },
        { code: 'null', label: 'named null' },
        { code: 'x', label: 'named x' },
      ],
    });
    const refused = await mcpCall(agent, 'getRecord', { collectionName: 'marks', recordId: '' });
    expect(errorOf(refused)).toMatchObject({ message: expect.stringMatching(/^The id is empty/) });
  });

  it.each(['', 'code', '-code', 'place', '-place,-code'])('is on one page of a list: sort=%s', async (sort) => {
    const more = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 450)
      INSERT INTO marks SELECT NULL, 'm', 'more ' || i FROM n;
      CREATE TABLE halves (a INTEGER, b INTEGER, note TEXT, PRIMARY KEY (a, b));
      INSERT INTO halves SELECT 1, NULL, label FROM marks; INSERT INTO halves VALUES (1, 1, 'one'), (2, NULL, 'two');`;
    const agent = await startShopAgent(undefined, {}, `${tables} ${more}`);
    const labels: unknown[] = [];
    // Pages that begin at a key of none would never end.
    for (let cursor: string | null = ''; cursor !== null && labels.length <= 454; ) {
      const { json, text } = await call(agent, `/marks?page[size]=100&page[after]=${cursor}&sort=${sort}`);
      const page = json as { data: Resource[]; meta: { page: { next: string | null } } } | undefined;
      if (!page) throw new Error(text);
      labels.push(...page.data.map(({ attributes }) => attributes['label']));
      cursor = page.meta.page.next;
    }
    expect([labels.length, new Set(labels).size]).toEqual([454, 454]);
    const { text } = await call(agent, '/halves.csv?header=["note"]&fields[halves]=note');
    expect(text.trim().split('\n')).toHaveLength(457);
  });
});

describe('an id that several rows of a view have', () => {
  const ambiguous = {
    code: 'RECORD_AMBIGUOUS',
    detail: expect.stringContaining('Several rows of "sorted" have the same id (place)'),
    nextSteps: expect.arrayContaining([expect.stringContaining('Let the view show a column "id"')]),
  };
  const serveSorted = (written: unknown[]) =>
    serve((on) =>
      on.customizeCollection('sorted', (sorted) =>
        sorted
          .addOneToManyRelation('pins', 'pins', { originKey: 'mark', originKeyTarget: 'label' })
          .addChart('Labels', async (context, result) =>
            result.value(String(await context.getRecord(['label'])).length),
          )
          .overrideUpdate(async ({ filter, patch }) => void written.push([filter.conditionTree, patch]))
          .overrideDelete(async ({ filter }) => void written.push(filter.conditionTree))
          .addAction('Count', {
            scope: 'Bulk',
            execute: async (context, result) => result.success(String((await context.getRecords(['label'])).length)),
          }),
      ),
    );
  const chosen = (ids: readonly string[]) => ({ data: { attributes: { ids, collection_name: 'sorted' } } });

  it('is refused with what to do: nothing is read, linked or run by it, and code that replaces writes does not learn about it', async () => {
    const written: unknown[] = [];
    const agent = await serveSorted(written);
    const attributes = { label: 'new' };
    const asked = [
      call(agent, '/sorted/a'),
      call(agent, '/sorted/a?fields[sorted]=label'),
      call(agent, '/sorted/a/relationships/pins'),
      call(agent, '/_charts/sorted/Labels?record_id=a'),
      call(agent, '/sorted/a', { method: 'PUT', body: { data: { type: 'sorted', id: 'a', attributes } } }),
      call(agent, '/sorted/a', { method: 'DELETE' }),
      call(agent, '/sorted', { method: 'DELETE', body: chosen(['a', 'b']) }),
      call(agent, '/_actions/sorted/0/count', { method: 'POST', body: chosen(['a', 'b']) }),
    ];
    for (const { status, json } of await Promise.all(asked))
      expect([status, json]).toEqual([409, { errors: [expect.objectContaining(ambiguous)] }]);
    expect(written).toEqual([]);
  });

  it('is in lists, and the ids of one row are served', async () => {
    const written: unknown[] = [];
    const agent = await serveSorted(written);
    expect((await listed(agent, '/sorted?sort=place')).map(({ id }) => id)).toEqual(['a', 'a', 'b', 'c']);
    expect((await call(agent, '/sorted/b')).json).toMatchObject({ data: { attributes: { label: 'named null' } } });
    expect((await call(agent, '/sorted', { method: 'DELETE', body: chosen(['b', 'c']) })).status).toBe(204);
    expect(written).toEqual([{ field: 'place', operator: 'In', value: ['b', 'c'] }]);
    const run = await call(agent, '/_actions/sorted/0/count', { method: 'POST', body: chosen(['b', 'c']) });
    expect(run.json).toMatchObject({ success: '2' });
  });
});
