import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { DataSource, TransactionalStore } from '#runtime/data-sources/interface/data-source';
import type { Authoriser } from '#runtime/permissions/authoriser';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { createRecordService } from '#runtime/records/create-record-service';
import { readListQuestion } from '#runtime/surfaces/rest/parse/list-parameters';
import { callIn, everythingAllowed } from '../../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../../helpers/temporary-database.ts';

const script = `
  create table orders (id integer primary key, ref text, status text, total integer);
  insert into orders values (1, 'A', 'paid', 10), (2, 'B', 'draft', 20), (3, 'C', 'paid', 30), (4, null, 'paid', 40);
`;
const context = callIn('Europe/Paris');

/** What reaches the data source. */
interface Traffic {
  prepared: number;
  /** Lists that were asked for without being prepared. */
  listed: number;
}

/** A data source that counts what it is asked; `canPrepare: false` for one that knows no prepared lists. */
function counted(source: DataSource, traffic: Traffic, canPrepare: boolean): DataSource {
  const watched = <Store extends TransactionalStore>(store: Store): Store => ({
    ...store,
    list: (query, call) => {
      traffic.listed += 1;
      return store.list(query, call);
    },
    prepareList: canPrepare
      ? (template) => {
          traffic.prepared += 1;
          return store.prepareList?.(template) ?? expect.unreachable();
        }
      : undefined,
  });
  return {
    ...watched(source),
    extendedBy: (collections) => watched(source.extendedBy?.(collections) ?? expect.unreachable()),
  };
}

async function serve(
  customize: (agent: Agent) => void = () => undefined,
  { scope, canPrepare = true }: { scope?: () => ConditionTree | undefined; canPrepare?: boolean } = {},
) {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  const traffic: Traffic = { prepared: 0, listed: 0 };
  const source = counted(await temporaryDataSource(script), traffic, canPrepare);
  const model = compileModel([source], await collector.finish());
  const authoriser: Authoriser = { ...everythingAllowed, scopeOf: () => scope?.() };
  const recordService = createRecordService(model, authoriser);
  const collection = model.collections.get('orders') ?? expect.unreachable();
  /** The ids that a list request answers with. */
  const ids = async (filters: unknown, more: Record<string, string> = {}) => {
    const query = { 'fields[orders]': 'id', sort: 'id', filters: JSON.stringify(filters), ...more };
    const sent = { collection, query, header: undefined, relatedTo: undefined };
    const read = () => readListQuestion({ model, recordService }, sent);
    const records = await recordService.list({ collection: 'orders', read }, context);
    return records.map(({ id }) => id);
  };
  return { ids, traffic };
}

const statusIs = (value: unknown) => ({ field: 'status', operator: 'equal', value });

describe('list requests that differ in their values', () => {
  it('share one plan, whatever the values and the page', async () => {
    const { ids, traffic } = await serve();
    expect(await ids(statusIs('paid'))).toEqual([1, 3, 4]);
    expect(await ids(statusIs('draft'))).toEqual([2]);
    expect(await ids(statusIs('paid'), { 'page[size]': '1', 'page[number]': '2' })).toEqual([3]);
    expect(traffic).toEqual({ prepared: 1, listed: 0 });
  });

  it('find what is absent when the value is null', async () => {
    const { ids } = await serve();
    const refIs = (value: unknown) => ({ field: 'ref', operator: 'equal', value });
    expect(await ids(refIs('A'))).toEqual([1]);
    expect(await ids(refIs(null))).toEqual([4]);
    expect(await ids(refIs('B'))).toEqual([2]);
  });

  it('have their values checked each time', async () => {
    const { ids } = await serve();
    const above = (value: unknown) => ({ field: 'total', operator: 'greater_than', value });
    expect(await ids(above(15))).toEqual([2, 3, 4]);
    expect(await ids(above('25'))).toEqual([3, 4]);
    await expect(ids(above('much'))).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    expect(await ids({ field: 'id', operator: 'in', value: [] })).toEqual([]);
    expect(await ids({ field: 'id', operator: 'in', value: [4, 2] })).toEqual([2, 4]);
  });

  it('stay within the scope of each caller', async () => {
    const scopes: (ConditionTree | undefined)[] = [
      { field: 'total', operator: 'LessThan', value: 25 },
      { field: 'total', operator: 'LessThan', value: 35 },
      undefined,
      { field: 'ref', operator: 'Missing' },
    ];
    const { ids, traffic } = await serve(undefined, { scope: () => scopes.shift() });
    expect(await ids(statusIs('paid'))).toEqual([1]);
    expect(await ids(statusIs('paid'))).toEqual([1, 3]);
    expect(await ids(statusIs('paid'))).toEqual([1, 3, 4]);
    expect(await ids(statusIs('paid'))).toEqual([4]);
    // One for each form of scope.
    expect(traffic).toEqual({ prepared: 3, listed: 0 });
  });

  it('are answered by a data source that prepares nothing', async () => {
    const { ids, traffic } = await serve(undefined, { canPrepare: false });
    expect(await ids(statusIs('paid'))).toEqual([1, 3, 4]);
    expect(await ids(statusIs('draft'))).toEqual([2]);
    expect(traffic).toEqual({ prepared: 0, listed: 2 });
  });

  it('reach the handlers of replaced operators with their values', async () => {
    const seen: unknown[] = [];
    const { ids } = await serve((agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders.replaceFieldOperator('status', 'Equal', (value) => {
          seen.push(value);
          return { field: 'status', operator: 'NotEqual', value };
        }),
      );
    });
    expect(await ids(statusIs('paid'))).toEqual([2]);
    expect(await ids(statusIs('draft'))).toEqual([1, 3, 4]);
    expect(seen).toEqual(['paid', 'draft']);
  });

  it('run the hooks of lists with their own filters', async () => {
    const seen: unknown[] = [];
    const { ids } = await serve((agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'List', ({ filter }) => {
          seen.push(filter.conditionTree);
        }),
      );
    });
    await ids(statusIs('paid'));
    await ids(statusIs('draft'));
    expect(seen).toEqual([
      { field: 'status', operator: 'Equal', value: 'paid' },
      { field: 'status', operator: 'Equal', value: 'draft' },
    ]);
  });
});
