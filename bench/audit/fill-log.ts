import { type Genesis, genesisHash, rowHashOf } from '#contracts/audit/chain';
import type { RowParts } from '#contracts/audit/disclosures';
import { columnsOf, partsOf } from '#platform/audit/chain-row';
import { entryNumber } from './entries.ts';

export interface FilledRow {
  readonly sequence: number;
  readonly month: number;
  readonly createdAt: number;
  readonly hash: string;
  readonly columns: ReturnType<typeof columnsOf>;
  readonly parts: RowParts;
  readonly recordIds: readonly string[];
  readonly collection: string;
}

export const genesis: Genesis = {
  object: 'genesis',
  chain: '6f1d2c3b-0000-4000-8000-000000000001',
  kind: 'activity',
  project: 'shop',
  environment: 'development',
  createdAt: '2025-01-01T00:00:00.000Z',
};

/** The rows of a chain as the platform would have written them over a year. */
export function* rowsOfChain(count: number): Generator<FilledRow> {
  const start = Date.parse('2025-12-01T00:00:00.000Z');
  const stepMs = Math.floor((330 * 24 * 60 * 60_000) / count);
  const rowHash = rowHashOf(genesis.chain, 2);
  let hash = genesisHash(genesis);
  for (let sequence = 1; sequence <= count; sequence++) {
    const createdAt = start + sequence * stepMs;
    const date = new Date(createdAt);
    const at = date.toISOString();
    const entry = entryNumber(sequence);
    const parts = partsOf(entry, { chain: genesis.chain, sequence, createdAt: at, recordedAt: at, version: 2 });
    hash = rowHash(sequence, hash, parts.body);
    const columns = columnsOf(entry);
    const month = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
    const { recordIds, collection } = entry;
    yield { sequence, month, createdAt, hash, columns, parts, recordIds, collection: collection?.name ?? '' };
  }
}

export const rowColumns = [
  ...['chain_id', 'sequence', 'month', 'kind', 'id', 'part', 'created_at', 'type', 'action', 'initiator', 'user_id'],
  ...['user_email', 'team', 'collection', 'status', 'correlation_id', 'body', 'disclosed', 'version', 'hash'],
];

export function valuesOf(chainId: number, { sequence, month, createdAt, hash, columns, parts }: FilledRow) {
  const { kind, id, part, type, action, initiator, userId, userEmail, team, collection, status, correlationId } =
    columns;
  return [
    ...[chainId, sequence, month, kind, id, part, createdAt, type, action, initiator, userId, userEmail, team],
    ...[collection, status, correlationId, parts.body, parts.disclosed, 2, hash],
  ];
}
