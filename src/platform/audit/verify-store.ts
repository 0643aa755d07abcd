import { readCheckpoint, verifierOf } from '#contracts/audit/checkpoint';
import type { TombstoneEntry } from '#contracts/audit/rows';
import type { Verdict } from '#contracts/audit/verdict';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { StoreAddress } from '../store/open-store.ts';
import { readStore, type StoreSnapshot } from '../transfer/read-store.ts';
import { deriveCheckpointKey } from './checkpoints.ts';
import { StoredChainCheck, type StoredRow } from './stored-chain-check.ts';

export interface VerifyStoreInput {
  readonly platformKey: string;
  /** Checkpoints that are kept elsewhere. */
  readonly anchors: readonly string[];
}

/**
 * Verify every chain of a store as it is on the disk, while a platform may use it: what an export shows, and the columns by which
 * rows are found, which an export does not show.
 */
export function verifyStore(address: StoreAddress, input: VerifyStoreInput): Promise<readonly Verdict[]> {
  return readStore(address, { isAlone: false }, async (store) => {
    const checks = await beginChecks(store, input);
    for await (const row of rowsOf(store, 'audit_rows')) checks.get(row['chain_id'] ?? null)?.take(row);
    const records = new Map<SqlValue, number>();
    for await (const { chain_id: id = null } of rowsOf(store, 'audit_records')) {
      records.set(id, (records.get(id) ?? 0) + 1);
    }
    return [...checks].map(([id, check]) => check.finish(records.get(id) ?? 0));
  });
}

async function beginChecks(
  store: StoreSnapshot,
  { platformKey, anchors }: VerifyStoreInput,
): Promise<ReadonlyMap<SqlValue, StoredChainCheck>> {
  const keys = [verifierOf(deriveCheckpointKey(platformKey))];
  const chains = await allRows(store, 'audit_chains');
  const notes = await allRows(store, 'audit_checkpoints');
  const before = await hashesOfRemoved(store, chains);
  const checks = chains.map((chain) => {
    const own = notes.filter((note) => note['chain_id'] === chain['id']).map((note) => String(note['note']));
    const kept = anchors.filter((note) => readCheckpoint(note)?.chain === chain['chain']);
    const hashBefore = before.get(chain['id'] ?? null);
    return [
      chain['id'] ?? null,
      new StoredChainCheck({ chain, keys, anchors: [...own, ...kept], hashBefore }),
    ] as const;
  });
  return new Map(checks);
}

/** What the tombstones of the chains say of the row before the first one that is left. */
async function hashesOfRemoved(
  store: StoreSnapshot,
  chains: readonly StoredRow[],
): Promise<ReadonlyMap<SqlValue, string>> {
  const hashes = new Map<SqlValue, string>();
  const cut = new Map(
    chains.flatMap((chain) => {
      const first = Number(chain['first_sequence']);
      return first > 1 ? [[chain['id'] ?? null, first - 1] as const] : [];
    }),
  );
  if (cut.size === 0) return hashes;
  for await (const row of rowsOf(store, 'audit_rows')) {
    const id = row['chain_id'] ?? null;
    if (row['kind'] !== 'tombstone') continue;
    const found = readCheckpoint((JSON.parse(String(row['body'])) as TombstoneEntry).checkpoint);
    if (found && found.size === cut.get(id)) hashes.set(id, found.hash);
  }
  return hashes;
}

async function* rowsOf(store: StoreSnapshot, name: string): AsyncGenerator<StoredRow> {
  const table = store.tables.find((each) => each.name === name);
  if (!table) return;
  for await (const rows of store.rows(table)) {
    for (const row of rows) yield Object.fromEntries(table.columns.map((column, at) => [column, row[at] ?? null]));
  }
}

async function allRows(store: StoreSnapshot, name: string): Promise<readonly StoredRow[]> {
  const all: StoredRow[] = [];
  for await (const row of rowsOf(store, name)) all.push(row);
  return all;
}
