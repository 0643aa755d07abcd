import { type CheckpointKey, isSignedBy, readCheckpoint } from '#contracts/audit/checkpoint';
import { isBehindBackup, isLost, keptOf } from '#contracts/audit/register';
import type { AdminEntry, RecordsEntry, RowPlace, TombstoneEntry } from '#contracts/audit/rows';
import { readAnchor, readSegment } from '#contracts/audit/segment';
import { verifierOf } from '#contracts/audit/signing';
import type { Verdict } from '#contracts/audit/verdict';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { StoreAddress } from '../store/open-store.ts';
import { readStore, type StoreSnapshot } from '../transfer/read-store.ts';
import type { Only } from '../transfer/table-access.ts';
import { deriveCheckpointKey } from './checkpoints.ts';
import { type FollowUps, StoredChainCheck } from './stored-chain-check.ts';
import { checkRegister, type LoggedNames, readRegister, type StoredRegister } from './stored-register-check.ts';
import { objectIn, type StoredRow, text } from './stored-row.ts';

export interface VerifyStoreInput {
  readonly platformKey: string;
  /** Checkpoints that are kept elsewhere. */
  readonly anchors: readonly string[];
}

export interface StoreVerdict {
  readonly logs: readonly Verdict[];
  /** Notes of segments, and checkpoints of the register, that other machines have signed. */
  readonly cosigned: readonly string[];
  /** Which logs there are, and whose they are; `null` in a store without logs, and in one of an older version. */
  readonly register: Verdict | null;
}

/**
 * Verify every log of a store and its register as they are on the disk, while a platform may use it. That is what an export
 * shows, and everything by which rows are found, which an export does not show.
 */
export function verifyStore(address: StoreAddress, input: VerifyStoreInput): Promise<StoreVerdict> {
  const keys = [verifierOf(deriveCheckpointKey(input.platformKey))];
  return readStore(address, { isAlone: false }, async (store) => {
    const chains = await allRows(store, 'audit_chains');
    const checkpoints = await allRows(store, 'audit_checkpoints');
    const register = readRegister(await allRows(store, 'audit_register'), keys);
    const segments = await allRows(store, 'audit_segments');
    const cosignatures = await allRows(store, 'audit_cosignatures');
    const registerCosignatures = await allRows(store, 'audit_register_cosignatures');
    const parts = { chains, checkpoints, segments, cosignatures, register, keys, anchors: input.anchors };
    const checks = await checksOf(store, parts);
    const names = new NamesInLogs(chains);
    let hasOrphans = [...checkpoints, ...segments, ...cosignatures].some(({ chain_id: id = null }) => !checks.has(id));
    const take = async (table: string, taken: (check: StoredChainCheck, row: StoredRow) => void) => {
      for await (const row of rowsOf(store, table)) {
        const check = checks.get(row['chain_id'] ?? null);
        if (check) taken(check, row);
        else hasOrphans = true;
      }
    };
    await take('audit_nodes', (check, row) => check.takeNode(row));
    await take('audit_rows', (check, row) => {
      check.take(row);
      names.take(row);
    });
    await take('audit_records', (check, row) => check.takeRecord(row));
    await take('audit_outcomes', (check, row) => check.takeOutcome(row));
    await take('audit_values', (check, row) => check.takeValues(row));
    const logs = [...checks.values()].map((check) => check.finish());
    const isOlder = !store.tables.some(({ name }) => name === 'audit_register');
    const verdict = checkRegister({
      ...{ register, keys, chains, checkpoints, names, hasOrphans },
      anchors: input.anchors,
      registerCheckpoints: await allRows(store, 'audit_register_checkpoints'),
      registerCosignatures,
      projects: await allRows(store, 'projects'),
      environments: await allRows(store, 'environments'),
    });
    // A store that no newer platform has opened yet has no register.
    const isNotDue = !register && !verdict.problem && (isOlder || chains.length === 0);
    const cosigned = [...cosignatures, ...registerCosignatures].map((row) => text(row, 'note'));
    return { logs, cosigned, register: isNotDue ? null : verdict };
  });
}

interface CheckedParts {
  readonly chains: readonly StoredRow[];
  readonly checkpoints: readonly StoredRow[];
  readonly segments: readonly StoredRow[];
  readonly cosignatures: readonly StoredRow[];
  readonly register: StoredRegister | undefined;
  readonly keys: readonly CheckpointKey[];
  readonly anchors: readonly string[];
}

/** A check of each log, by its number. */
async function checksOf(store: StoreSnapshot, parts: CheckedParts): Promise<ReadonlyMap<SqlValue, StoredChainCheck>> {
  const { chains, register, keys } = parts;
  const followUps = await readFollowUps(store);
  const months = new Set((await allRows(store, 'audit_months')).map(({ month = null }) => month));
  const checks = chains.map((chain) => {
    const id = chain['id'] ?? null;
    const ofChain = (rows: readonly StoredRow[]) => rows.filter((row) => row['chain_id'] === id);
    const [checkpoints, segments, cosignatures] = [
      ofChain(parts.checkpoints),
      ofChain(parts.segments),
      ofChain(parts.cosignatures),
    ];
    const anchors = parts.anchors.filter((note) => readAnchor(note)?.chain === chain['chain']);
    const restores = register?.restores.filter(({ logChain }) => logChain === chain['chain']) ?? [];
    const known = followUps.get(id) ?? { continued: new Set<number>(), removed: undefined };
    const notes = [...checkpoints.map((row) => text(row, 'note')), ...anchors];
    const kept = keptOf(anchors, restores).flatMap((note) => readSegment(note) ?? []);
    const check = new StoredChainCheck({
      ...{ chain, keys, checkpoints, anchors, restores, followUps: known, months },
      segments: { segments, cosignatures, kept, ...segmentsBegun(register, text(chain, 'chain'), notes, keys) },
    });
    return [id, check] as const;
  });
  return new Map(checks);
}

/**
 * From which row on a log has segments, and up to which row its months must be signed. A checkpoint says so, once the register says that
 * the log has segments. What was signed between a backup and its restore says nothing of the store that was restored.
 *
 * @param notes Checkpoints of the log.
 */
function segmentsBegun(
  register: StoredRegister | undefined,
  chain: string,
  notes: readonly string[],
  keys: readonly CheckpointKey[],
): { readonly from: number | undefined; readonly signedTo: number } {
  const begun = register?.entries.find((entry) => entry.object === 'segments' && entry.logChain === chain);
  if (begun?.object !== 'segments') return { from: undefined, signedTo: 0 };
  const restores = register?.restores.filter(({ logChain }) => logChain === chain) ?? [];
  const later = notes
    .flatMap((note) => {
      const said = readCheckpoint(note);
      const counts = said && !isLost(said, restores) && !isBehindBackup(said, restores);
      return counts ? [{ note, size: said.size }] : [];
    })
    .sort((one, other) => other.size - one.size);
  return { from: begun.from, signedTo: later.find(({ note }) => isSignedBy(note, keys))?.size ?? 0 };
}

/** What must be known of the chains before their rows: which acts go on in later rows, and what was removed. */
async function readFollowUps(store: StoreSnapshot): Promise<ReadonlyMap<SqlValue, FollowUps>> {
  const found = new Map<SqlValue, { continued: Set<number>; removed: FollowUps['removed'] }>();
  for await (const row of rowsOf(store, 'audit_rows', { column: 'kind', values: ['records', 'tombstone'] })) {
    const id = row['chain_id'] ?? null;
    const known = found.get(id) ?? { continued: new Set<number>(), removed: undefined };
    found.set(id, known);
    const entry = objectIn(text(row, 'body')) as unknown as RecordsEntry | TombstoneEntry | undefined;
    if (entry?.object === 'activityLogRecords') known.continued.add(entry.actSequence);
    const removed = entry?.object === 'tombstone' ? readCheckpoint(String(entry.checkpoint)) : undefined;
    if (removed && removed.size > (known.removed?.to ?? 0)) known.removed = { to: removed.size, hash: removed.hash };
  }
  return found;
}

/** What the logs of the configuration say of the names of projects, and of environments that went into other projects. */
class NamesInLogs implements LoggedNames {
  readonly projects = new Map<number, { readonly name: string; readonly at: string }>();
  readonly movedAway = new Set<string>();
  readonly #projectOf: ReadonlyMap<SqlValue | undefined, number>;

  constructor(chains: readonly StoredRow[]) {
    const ofProjects = chains.filter(({ kind }) => kind === 'admin');
    this.#projectOf = new Map(ofProjects.map((chain) => [chain['id'], Number(chain['project_id'])]));
  }

  take(row: StoredRow): void {
    const project = this.#projectOf.get(row['chain_id']);
    if (project === undefined || !['project', 'environment'].includes(text(row, 'action'))) return;
    const entry = objectIn(text(row, 'body')) as unknown as (AdminEntry & RowPlace) | undefined;
    if (entry?.resource === 'project' && entry.type === 'update' && entry.newValue) {
      this.projects.set(project, { name: entry.newValue.name, at: entry.createdAt });
    }
    if (entry?.resource === 'environment' && entry.type === 'remove') {
      this.movedAway.add(`${project}/${entry.environment?.name}`);
    }
  }
}

async function* rowsOf(store: StoreSnapshot, name: string, only?: Only): AsyncGenerator<StoredRow> {
  const table = store.tables.find((each) => each.name === name);
  if (!table) return;
  for await (const rows of store.rows(table, only)) {
    for (const row of rows) yield Object.fromEntries(table.columns.map((column, at) => [column, row[at] ?? null]));
  }
}

async function allRows(store: StoreSnapshot, name: string): Promise<readonly StoredRow[]> {
  const all: StoredRow[] = [];
  for await (const row of rowsOf(store, name)) all.push(row);
  return all;
}
