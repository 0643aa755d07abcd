import { describe, expect, it } from 'vitest';
import { isCloudError } from '#kernel/errors/cloud-error';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { flattenColumn, flattenJsonColumn, flattenRelation } from '#runtime/plugins/flattener/flatten-fields';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { createRecordService } from '#runtime/records/create-record-service';
import type { RecordService } from '#runtime/records/request/record-service';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';
import { type OpenTables, withTables } from '../data-source/opened.ts';
import type { NeutralTable } from '../data-source/tables.ts';

const tables: readonly NeutralTable[] = [
  {
    name: 'owners',
    columns: [
      { name: 'id', type: 'integer', isAuto: true },
      { name: 'name', type: 'text' },
      { name: 'email', type: 'text' },
    ],
    primaryKey: ['id'],
    rows: [{ id: 1, name: 'Ada', email: 'ada@x.test' }],
  },
  {
    name: 'shops',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'label', type: 'text' },
      { name: 'info', type: 'json' },
      { name: 'owner_id', type: 'integer' },
    ],
    primaryKey: ['id'],
    foreignKeys: [{ columns: ['owner_id'], table: 'owners', foreignColumns: ['id'] }],
    rows: [
      {
        id: 1,
        label: 'a',
        owner_id: 1,
        info: {
          city: 'Zürich',
          open: true,
          since: '2020-02-29',
          geo: { lat: 47.5, zone: { name: 'CET' } },
          tags: ['x', 'y'],
          kept: 12345678901234567890n.toString(),
        },
      },
      { id: 2, label: 'b', owner_id: null, info: { city: 'Ulm', geo: null } },
      { id: 3, label: 'c', owner_id: null, info: null },
    ],
  },
];

export const context = callIn('UTC');

const columnType = {
  city: 'String',
  open: 'Boolean',
  since: 'Dateonly',
  geo: { lat: 'Number', zone: { name: 'String' } },
  tags: ['String'],
} as const;

export async function modelOn(source: DataSource, customize: (agent: Agent) => void) {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  return compileModel([source], await collector.finish());
}

function flattened(options: object = {}) {
  return (agent: Agent) => {
    agent.customizeCollection('shops', (shops) =>
      shops.use(flattenJsonColumn, { columnName: 'info', columnType, keepOriginalColumn: true, ...options }),
    );
  };
}

export function describeFlattener(name: string, open: OpenTables): void {
  const serving = (
    customize: (agent: Agent) => void,
    work: (service: RecordService, source: DataSource) => Promise<void>,
  ) =>
    withTables(open, tables, async (source) => {
      await work(createRecordService(await modelOn(source, customize), everythingAllowed), source);
    });
  const recordAt = async (service: RecordService, id: number, ...fields: string[]) => {
    const found = await service.get('shops', [id], fields.length > 0 ? fields : undefined, context);
    return found;
  };
  const problemOf = async (customize: (agent: Agent) => void) => {
    let message = 'It compiled.';
    await withTables(open, tables, async (source) => {
      try {
        await modelOn(source, customize);
      } catch (error) {
        if (!isCloudError(error) || error.code !== 'CUSTOMIZATION_INVALID') throw error;
        message = error.message;
      }
    });
    return message;
  };

  describe(`flattening on ${name}`, () => {
    it('shows the values inside a document, and leaves the document out unless it is kept', async () => {
      await serving(flattened({ keepOriginalColumn: false }), async (service) => {
        expect(await recordAt(service, 1)).toEqual({
          id: 1,
          label: 'a',
          owner_id: 1,
          'info@@@city': 'Zürich',
          'info@@@open': true,
          'info@@@since': '2020-02-29',
          'info@@@geo@@@lat': 47.5,
          'info@@@geo@@@zone@@@name': 'CET',
          'info@@@tags': ['x', 'y'],
          owner: { id: 1, name: 'Ada', email: 'ada@x.test' },
        });
        expect(await recordAt(service, 3, 'info@@@city', 'info@@@tags')).toEqual({
          id: 3,
          'info@@@city': null,
          'info@@@tags': null,
        });
        await expect(recordAt(service, 1, 'info')).rejects.toMatchObject({ code: 'REQUEST_FIELD_UNKNOWN' });
      });
    });

    it('filters, sorts and counts by them in the database', async () => {
      await serving(flattened(), async (service) => {
        const ids = async (where: ConditionTree | undefined, sort = 'id') => {
          const list = { collection: 'shops', projection: ['id'], where, sort: [{ field: sort, ascending: false }] };
          return (await service.list(list, context)).map(({ id }) => id);
        };
        expect(await ids({ field: 'info@@@city', operator: 'IContains', value: 'zÜ' })).toEqual([1]);
        expect(await ids({ field: 'info@@@geo@@@lat', operator: 'GreaterThan', value: 47 })).toEqual([1]);
        expect(await ids({ field: 'info@@@since', operator: 'Before', value: '2020-03-01' })).toEqual([1]);
        expect(await ids({ field: 'info@@@open', operator: 'NotEqual', value: true })).toEqual([3, 2]);
        expect(await ids(undefined, 'info@@@city')).toEqual([1, 2, 3]);
        const where = { field: 'info@@@tags', operator: 'Present' } as const;
        expect(await service.count({ collection: 'shops', where }, context)).toBe(1);
      });
    });

    it('takes for a text what is one in the document, and nothing that reads like it', async () => {
      await serving(flattened(), async (service) => {
        await service.update('shops', [2], { info: { city: 5, geo: { zone: { name: { deep: 'CET' } } } } }, context);
        await service.update('shops', [3], { info: { city: '5' } }, context);
        const ids = async (field: string, value: string) => {
          const where = { field, operator: 'Equal', value } as const;
          return (await service.list({ collection: 'shops', projection: ['id'], where }, context)).map(({ id }) => id);
        };
        expect(await ids('info@@@city', '5')).toEqual([3]);
        expect(await ids('info@@@geo@@@zone@@@name', 'CET')).toEqual([1]);
        for (const text of ['{"deep":"CET"}', '{"deep": "CET"}']) {
          expect(await ids('info@@@geo@@@zone@@@name', text)).toEqual([]);
        }
      });
    });

    it('filters lists by what they hold', async () => {
      await serving(flattened(), async (service) => {
        await service.update('shops', [2], { 'info@@@tags': ['y', 'z'] }, context);
        const ids = async (operator: string, value: unknown) => {
          const where = { field: 'info@@@tags', operator, value } as ConditionTree;
          const byId = [{ field: 'id', ascending: true }];
          const records = await service.list({ collection: 'shops', projection: ['id'], where, sort: byId }, context);
          return records.map(({ id }) => id);
        };
        expect(await ids('IncludesAll', ['y'])).toEqual([1, 2]);
        expect(await ids('IncludesAll', ['x', 'y'])).toEqual([1]);
        expect(await ids('IncludesAll', ['x', 'z'])).toEqual([]);
        expect(await ids('IncludesNone', ['x'])).toEqual([2, 3]);
        expect(await ids('IncludesNone', ['x', 'z'])).toEqual([3]);
        expect(await ids('Equal', ['y', 'z'])).toEqual([2]);
        expect(await ids('NotEqual', ['y', 'z'])).toEqual([1, 3]);
        expect(await ids('Missing', null)).toEqual([3]);
      });
      await withTables(open, tables, async (source) => {
        const tags = (await modelOn(source, flattened())).collections.get('shops')?.fields.get('info@@@tags');
        const operators = tags?.kind === 'column' ? [...tags.operators].sort() : [];
        expect(operators).toEqual(['Blank', 'Equal', 'IncludesAll', 'IncludesNone', 'Missing', 'NotEqual', 'Present']);
      });
    });

    it('writes some values in one statement, and changes nothing else in the document', async () => {
      await serving(flattened(), async (service, source) => {
        const patch = {
          'info@@@city': 'Genève "1"',
          'info@@@geo@@@zone@@@name': null,
          'info@@@tags': ['z'],
          label: 'A',
        };
        expect(await service.update('shops', [1], patch, context)).toMatchObject(patch);
        const [row] = await source.list({ collection: 'shops', projection: ['info', 'label'], where: idIs(1) }, utc);
        expect(row).toEqual({
          label: 'A',
          info: {
            city: 'Genève "1"',
            open: true,
            since: '2020-02-29',
            geo: { lat: 47.5, zone: { name: null } },
            tags: ['z'],
            kept: '12345678901234567890',
          },
        });
      });
    });

    it('makes the objects on the way if there are none', async () => {
      await serving(flattened(), async (service) => {
        const patch = { 'info@@@geo@@@zone@@@name': 'UTC', 'info@@@open': false };
        const updated = [
          await service.update('shops', [2], patch, context),
          await service.update('shops', [3], patch, context),
        ];
        expect(updated.map((record) => record?.['info'])).toEqual([
          { city: 'Ulm', geo: { zone: { name: 'UTC' } }, open: false },
          { geo: { zone: { name: 'UTC' } }, open: false },
        ]);
      });
    });

    it('folds the values of a new record into its document', async () => {
      await serving(flattened(), async (service) => {
        const created = await service.create(
          'shops',
          { id: 9, 'info@@@city': 'Bern', 'info@@@geo@@@lat': 46.5, info: { kept: 1, city: 'old' } },
          context,
        );
        expect(created).toMatchObject({ 'info@@@city': 'Bern', 'info@@@geo@@@lat': 46.5, 'info@@@open': null });
        expect(created['info']).toEqual({ kept: 1, city: 'Bern', geo: { lat: 46.5 } });
      });
    });

    it('replaces a document that is written as a whole', async () => {
      await serving(flattened(), async (service) => {
        const whole = await service.update('shops', [1], { info: { open: false } }, context);
        expect(whole).toMatchObject({ info: { open: false }, 'info@@@city': null, 'info@@@open': false });
        const both = await service.update('shops', [1], { info: { tags: [] }, 'info@@@city': 'Rom' }, context);
        expect(both?.['info']).toEqual({ tags: [], city: 'Rom' });
      });
    });

    it('refuses values of another type, and every value when it is read-only', async () => {
      await serving(flattened(), async (service) => {
        const wrong = service.update('shops', [1], { 'info@@@geo@@@lat': 'north' }, context);
        await expect(wrong).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
      });
      await serving(flattened({ readonly: true }), async (service) => {
        const refused = service.update('shops', [1], { 'info@@@city': 'Rom' }, context);
        await expect(refused).rejects.toMatchObject({ message: 'The field "info@@@city" is read-only.' });
      });
    });

    it('holds new values to validations, and lets hooks see them by their names', async () => {
      const seen: unknown[] = [];
      const customize = (agent: Agent) => {
        flattened()(agent);
        agent.customizeCollection('shops', (shops) =>
          shops
            .addFieldValidation('info@@@city', 'Present')
            .addHook('Before', 'Update', (hook) => void seen.push({ ...hook.patch })),
        );
      };
      await serving(customize, async (service) => {
        const empty = service.update('shops', [1], { 'info@@@city': '' }, context);
        await expect(empty).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
        await service.update('shops', [1], { 'info@@@city': 'Rom' }, context);
        expect(await service.create('shops', { id: 9, 'info@@@city': 'Bern' }, context)).toMatchObject({ id: 9 });
        expect(seen).toEqual([{ 'info@@@city': 'Rom' }]);
      });
    });

    it('writes whole documents where an override writes, or a data source that knows no parts of them', async () => {
      const patches: unknown[] = [];
      const overridden = (agent: Agent) => {
        flattened()(agent);
        agent.customizeCollection('shops', (shops) => shops.overrideUpdate(({ patch }) => void patches.push(patch)));
      };
      await serving(overridden, async (service) => {
        await service.update('shops', [2], { 'info@@@city': 'Rom' }, context);
        expect(patches).toEqual([{ info: { city: 'Rom', geo: null } }]);
      });
      await withTables(open, tables, async ({ extendedBy: _extendedBy, operatorsOf: _operatorsOf, ...closed }) => {
        const service = createRecordService(await modelOn(closed, flattened()), everythingAllowed);
        const updated = await service.update('shops', [2], { 'info@@@geo@@@lat': 1.5 }, context);
        expect(updated).toMatchObject({ info: { city: 'Ulm', geo: { lat: 1.5 } }, 'info@@@geo@@@lat': 1.5 });
      });
    });

    it('goes down to a level', async () => {
      await serving(flattened({ level: 1 }), async (service) => {
        const fields = ['info@@@geo', 'info@@@city'];
        expect(await recordAt(service, 1, ...fields)).toMatchObject({
          'info@@@geo': { lat: 47.5, zone: { name: 'CET' } },
        });
        const updated = await service.update('shops', [1], { 'info@@@geo': { lat: 1 } }, context);
        expect(updated).toMatchObject({ 'info@@@geo': { lat: 1 }, 'info@@@city': 'Zürich' });
      });
    });

    it('shows the fields of a related record, those that are wanted', async () => {
      const customize = (agent: Agent) => {
        agent.customizeCollection('shops', (shops) =>
          shops.use(flattenRelation, { relationName: 'owner', exclude: ['id'] }),
        );
      };
      await serving(customize, async (service) => {
        const fields = ['owner@@@name', 'owner@@@email'];
        expect(await recordAt(service, 1, ...fields)).toEqual({
          id: 1,
          'owner@@@name': 'Ada',
          'owner@@@email': 'ada@x.test',
        });
        const where = { field: 'owner@@@name', operator: 'Equal', value: 'Ada' } as const;
        expect(await service.count({ collection: 'shops', where }, context)).toBe(1);
        expect(await service.update('shops', [1], { 'owner@@@name': 'Eve' }, context)).toMatchObject({
          'owner@@@name': 'Eve',
          'owner@@@email': 'ada@x.test',
        });
      });
    });

    it.each<[string, (agent: Agent) => void, string]>([
      ['a column that is not there', on(flattenJsonColumn, { columnName: 'inof', columnType }), 'Did you mean "info"?'],
      ['a column of texts', on(flattenJsonColumn, { columnName: 'label', columnType }), 'it holds no JSON'],
      ['no types', on(flattenJsonColumn, { columnName: 'info', columnType: {} }), 'needs a "columnType"'],
      ['level 0', on(flattenJsonColumn, { columnName: 'info', columnType, level: 0 }), 'a "level" of at least 1'],
      ['a document as a structure', on(flattenColumn, { columnName: 'info' }), 'use flattenJsonColumn'],
      ['a text as a structure', on(flattenColumn, { columnName: 'label' }), 'it is a single value'],
      ['a relation that is not there', on(flattenRelation, { relationName: 'ownr' }), 'Did you mean "owner"?'],
      [
        'a field that is not there',
        on(flattenRelation, { relationName: 'owner', include: ['nme'] }),
        'Did you mean "name"?',
      ],
      [
        'read-only fields to write',
        on(flattenRelation, { relationName: 'owner', readonly: false }),
        'its source is read-only',
      ],
    ])('refuses %s, with the place of the call', async (_what, customize, problem) => {
      const message = await problemOf(customize);
      expect(message).toContain(problem);
      expect(message).toContain('flattener-suite.ts:');
    });
  });
}

const utc = { timezone: 'UTC' };

function idIs(id: number): ConditionTree {
  return { field: 'id', operator: 'Equal', value: id };
}

function on(plugin: unknown, options: unknown) {
  return (agent: Agent) => {
    agent.customizeCollection('shops', (shops) => shops.use(plugin as never, options as never));
  };
}
