import { type ArchivedErasure, archivePaths, isAbout, isSignedManifest } from '#contracts/audit/archive';
import type { Genesis } from '#contracts/audit/chain';
import { isSignedBy } from '#contracts/audit/checkpoint';
import type { ErasureEntry } from '#contracts/audit/erasure';
import type { RowPlace } from '#contracts/audit/rows';
import { monthBounds, readSegment, type Segment } from '#contracts/audit/segment';
import { verifierOf } from '#contracts/audit/signing';
import { BrokenLog, type Problem } from '#contracts/audit/verdict';
import { cloudError } from '#kernel/errors/cloud-error';
import type { SqlValue } from '#kernel/ports/sql-row';
import { limitHeap } from '#node/system/thread-memory';
import { deriveCheckpointKey } from '../audit/checkpoints.ts';
import type { StoreAddress } from '../store/open-store.ts';
import { readStore, type StoreSnapshot } from '../transfer/read-store.ts';
import type { Only, TableShape } from '../transfer/table-access.ts';
import { MonthCheck } from './month-check.ts';
import { type ArchivedMonth, generationOf, isComplete, readArchive } from './read-archive.ts';
import { erasedTo, type Month, type MonthParts, rewriteValues, writeMonth } from './write-month.ts';

export interface ArchiveInput extends Omit<MonthParts, 'key'> {
  readonly address: StoreAddress;
  readonly platformKey: string;
}

export interface ArchivedLog {
  readonly project: string;
  /** `null` for the changes of the configuration. */
  readonly environment: string | null;
  readonly chain: string;
  /** `kept`: it was there already. `erased`: values were taken out of it. `lost`: neither the archive nor the store has it. */
  readonly months: readonly { readonly month: string; readonly rows: number; readonly state: MonthState }[];
  /** What is wrong with the log in the store. Its later months are not archived. */
  readonly problem: Problem | null;
}

type MonthState = 'archived' | 'kept' | 'erased' | 'lost';

/**
 * Archive the months of all logs of a store that are over and signed, also while its platform runs. What is archived already is left as it
 * is, except for values that were erased since. A run that was interrupted goes on with the next call.
 *
 * @throws `PLATFORM_KEY_WRONG`; `BrokenLog` for an archive that cannot be read.
 */
export async function archiveStore(input: ArchiveInput): Promise<readonly ArchivedLog[]> {
  const { address, platformKey, ...parts } = input;
  limitHeap();
  const key = deriveCheckpointKey(platformKey);
  return readStore(address, { isAlone: false }, async (store) => {
    const run: Run = { ...parts, key, keys: [verifierOf(key)], store, archived: await readArchive(parts.objects) };
    const logs: ArchivedLog[] = [];
    const erasures = await readErasures(store);
    for (const chain of await allRows(store, 'audit_chains')) {
      const segments = await signedSegments(run, chain['id'] ?? null);
      logs.push(await archiveLog(run, chain, segments, erasures.get(chain['id'] ?? null) ?? []));
    }
    return logs;
  });
}

interface Run extends MonthParts {
  readonly keys: readonly ReturnType<typeof verifierOf>[];
  readonly store: StoreSnapshot;
  readonly archived: readonly ArchivedMonth[];
}

type StoredRow = Readonly<Record<string, SqlValue>>;

interface SignedSegment {
  readonly note: string;
  readonly segment: Segment;
}

async function archiveLog(
  run: Run,
  chain: StoredRow,
  segments: readonly SignedSegment[],
  erasures: readonly ArchivedErasure[],
): Promise<ArchivedLog> {
  const genesis = JSON.parse(String(chain['genesis'])) as Genesis;
  const { project, environment } = genesis;
  const months: ArchivedLog['months'][number][] = [];
  let problem: Problem | null = null;
  try {
    for (const signed of segments) {
      const { month, size: rows } = signed.segment;
      months.push({ month, rows, state: await archiveMonth(run, { chain, genesis, erasures, ...signed }) });
    }
  } catch (error) {
    // The other logs are archived all the same.
    if (!(error instanceof BrokenLog)) throw error;
    problem = error.problem;
  }
  return { project, environment, chain: genesis.chain, months, problem };
}

interface MonthOfLog extends SignedSegment {
  readonly chain: StoredRow;
  readonly genesis: Genesis;
  readonly erasures: readonly ArchivedErasure[];
}

async function archiveMonth(run: Run, { chain, genesis, note, segment, erasures }: MonthOfLog): Promise<MonthState> {
  const { objects, keys, store, archived } = run;
  const { first, last, root } = segment;
  const before = archived.find((each) => each.segment.chain === segment.chain && each.segment.month === segment.month);
  const isSame = before?.segment.root === root && isSignedManifest(before.manifest, keys);
  const isKept = before !== undefined && isSame && (await isComplete(objects, before));
  const known = isKept ? before.manifest.erasures : [];
  const own = erasures.filter((erasure) => isAbout(erasure, segment));
  const bySequence = new Map([...known, ...own].map((erasure) => [erasure.sequence, erasure]));
  const all = [...bySequence.values()].sort((one, other) => one.sequence - other.sequence);
  const check = new MonthCheck({ genesis, note, keys, anchors: [] });
  const month: Month = { genesis, note, check, erasures: all };
  if (isKept && erasedTo(all) === erasedTo(known)) {
    await removeOlder(run, month);
    return 'kept';
  }
  if (isKept) {
    await rewriteValues(run, month, before.manifest);
    await removeOlder(run, month);
    return 'erased';
  }
  if (first < Number(chain['first_sequence'])) return 'lost';
  const table = { ...tableOf(store, 'audit_rows'), columns: ['sequence', 'body', 'disclosed', 'hash'] };
  const between = { column: 'sequence', from: first, to: last };
  await writeMonth(run, month, store.rows(table, { column: 'chain_id', values: [String(chain['id'])], between }));
  await removeOlder(run, month);
  return 'archived';
}

/**
 * Remove manifests and values that newer ones have taken the place of, also what a run left that was killed in between. What another run
 * has written meanwhile, which knew of more erasures, stays.
 */
async function removeOlder({ objects }: MonthParts, month: Month): Promise<void> {
  const { genesis, check, erasures } = month;
  const generation = erasedTo(erasures);
  const { manifest, values } = archivePaths({ genesis, segment: check.segment, erasedTo: generation });
  for (const own of [manifest, values]) {
    for (const { path } of await objects.list(own.slice(0, own.lastIndexOf('-') + 1))) {
      if (generationOf(path) < generation) await objects.remove(path);
    }
  }
}

async function signedSegments({ store, keys, clock }: Run, chainId: SqlValue): Promise<readonly SignedSegment[]> {
  const rows = await allRows(store, 'audit_segments', { column: 'chain_id', values: [String(chainId)] });
  const segments = rows.flatMap(({ note }): readonly SignedSegment[] => {
    const segment = readSegment(String(note));
    return segment ? [{ note: String(note), segment }] : [];
  });
  const other = segments.find(({ note }) => !isSignedBy(note, keys));
  if (other) throw otherKey();
  return segments.filter(({ segment }) => monthBounds(segment.month).end <= clock.now());
}

/** The rows that say what was erased, by log. */
async function readErasures(store: StoreSnapshot): Promise<ReadonlyMap<SqlValue, readonly ArchivedErasure[]>> {
  const found = new Map<SqlValue, ArchivedErasure[]>();
  const rows = await allRows(store, 'audit_rows', { column: 'kind', values: ['tombstone'] });
  for (const { chain_id: chain = null, body } of rows) {
    const entry = JSON.parse(String(body)) as ErasureEntry & RowPlace;
    if (entry.object !== 'erasure') continue;
    const { sequence, erased, reference, by, at, note } = entry;
    const told = { ...(reference === undefined ? {} : { reference }), ...(by === undefined ? {} : { by }) };
    found.set(chain, [...(found.get(chain) ?? []), { sequence, erased: { ...erased }, ...told, at, note }]);
  }
  return found;
}

function tableOf(store: StoreSnapshot, name: string): TableShape {
  const table = store.tables.find((each) => each.name === name);
  return table ?? { name, columns: [], key: [] };
}

async function allRows(store: StoreSnapshot, name: string, only?: Only): Promise<readonly StoredRow[]> {
  const table = tableOf(store, name);
  const all: StoredRow[] = [];
  if (table.columns.length === 0) return all;
  for await (const rows of store.rows(table, only)) {
    for (const row of rows) all.push(Object.fromEntries(table.columns.map((column, at) => [column, row[at] ?? null])));
  }
  return all;
}

function otherKey() {
  return cloudError(
    'PLATFORM_KEY_WRONG',
    'This is not the key that the audit logs of the store are signed with. Nothing was archived.',
    'Set SERVICE_PLATFORM_KEY to the key of the platform, or put its platform.key beside the store.',
  );
}
