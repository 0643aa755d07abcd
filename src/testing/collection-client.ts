import { CloudError } from '#kernel/errors/cloud-error';
import { type FilterOptions, type ListOptions, listQuery } from './list-query.ts';
import { recordsOf, type TestRecord } from './record-document.ts';

/** One value, or one for each part of a composite key. */
export type RecordId = string | number | readonly (string | number)[];

/** The records of one collection, asked for over the agent's REST API. Errors are `TEST_AGENT_REFUSED` and `TEST_AGENT_UNREACHABLE`. */
export interface CollectionClient {
  list(options?: ListOptions): Promise<TestRecord[]>;
  count(options?: FilterOptions): Promise<number>;
  getOne(id: RecordId): Promise<TestRecord>;
  create(attributes: Readonly<Record<string, unknown>>): Promise<TestRecord>;
  /** The record afterwards; `null` when there is none of that id. */
  update(id: RecordId, attributes: Readonly<Record<string, unknown>>): Promise<TestRecord | null>;
  delete(ids: readonly RecordId[]): Promise<void>;
}

/** Sends a request to the agent; `path` begins after its prefix. */
export type AskAgent = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: unknown) => Promise<unknown>;

export function createCollectionClient(name: string, ask: AskAgent, timezone: string): CollectionClient {
  const root = `/${encodeURIComponent(name)}`;
  const zone = new URLSearchParams({ timezone });
  const onRecord = (id: RecordId) => `${root}/${encodeURIComponent(packId(id))}?${zone}`;
  const bodyOf = (attributes: Readonly<Record<string, unknown>>) => ({ data: { type: name, attributes } });

  return {
    list: async (options = {}) => recordsOf(await ask('GET', `${root}?${listQuery(name, options, timezone)}`)),
    count: async (options = {}) =>
      countOf(name, await ask('GET', `${root}/count?${listQuery(name, options, timezone)}`)),
    getOne: async (id) => single(name, recordsOf(await ask('GET', onRecord(id)))),
    create: async (attributes) => single(name, recordsOf(await ask('POST', `${root}?${zone}`, bodyOf(attributes)))),
    update: async (id, attributes) => recordsOf(await ask('PUT', onRecord(id), bodyOf(attributes)))[0] ?? null,
    delete: async (ids) => {
      const attributes = { collection_name: name, ids: ids.map(packId), all_records: false };
      await ask('DELETE', `${root}?${zone}`, { data: { type: 'action-requests', attributes } });
    },
  };
}

/** The parts of a key joined by `|`, which therefore may be in none of them. */
export function packId(id: RecordId): string {
  const parts = Array.isArray(id) ? id.map(String) : [String(id)];
  if (parts.length > 1 && parts.some((part) => part.includes('|'))) {
    throw new CloudError({
      code: 'REQUEST_INVALID',
      message: 'A part of the composite id holds "|", which separates the parts on the way to the agent.',
      nextSteps: ['Look for the record with a filter instead.'],
    });
  }
  return parts.join('|');
}

function countOf(name: string, body: unknown): number {
  const count = typeof body === 'object' && body !== null && 'count' in body ? body.count : undefined;
  if (typeof count === 'number') return count;
  throw new CloudError({
    code: 'TEST_AGENT_REFUSED',
    message: `The agent does not count "${name}": counting is switched off for the collection.`,
    nextSteps: ['Count the records of a list instead, or allow counting in the customization.'],
    details: { body },
  });
}

function single(name: string, records: readonly TestRecord[]): TestRecord {
  const [record] = records;
  if (record) return record;
  throw new CloudError({
    code: 'TEST_AGENT_REFUSED',
    message: `The agent answered with no record of "${name}".`,
    nextSteps: ['Check the id, and the scope of the permissions.'],
  });
}
