import { setImmediate } from 'node:timers/promises';
import { leafOf } from '#contracts/audit/chain';
import { type LeafRange, nodeHash, splitOf } from '#contracts/audit/merkle-tree';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/**
 * The store keeps the nodes of a tree at every eighth height: one for 256 rows, one for 65,536, and so on. So a root or a path of any part
 * is made from at most 256 rows and 256 nodes of each height.
 */
const levelHeight = 8;
export const tileWidth = 2 ** levelHeight;

/** Which tree. */
export interface TreePlace {
  readonly chainId: number;
  /** 202610. */
  readonly month: number;
  /** Sequence of its first row. */
  readonly first: number;
}

type Db = Store['db'];
type NodeRow = Tables['auditNodes'];

/** The tree of a segment, as the store has it. What was read once is kept: make one for each request. */
export class SegmentTree {
  readonly #db: Db;
  readonly #place: TreePlace;
  /** By level and number of the tile: its hashes by position. */
  readonly #tiles = new Map<string, Map<number, string>>();

  constructor(db: Db, place: TreePlace) {
    this.#db = db;
    this.#place = place;
  }

  /** The root of the rows in a range. A range of RFC 6962 begins where a node of its height does. */
  async rootOf([start, end]: LeafRange): Promise<string> {
    const width = end - start;
    if (width === 1) return (await this.#kept(0, start)) ?? missing(this.#place);
    const level = Math.log2(width) / levelHeight;
    const kept = Number.isInteger(level) ? await this.#kept(level, start / width) : undefined;
    if (kept) return kept;
    const middle = start + splitOf(width);
    return nodeHash(await this.rootOf([start, middle]), await this.rootOf([middle, end]));
  }

  /** A node that will be in the store soon. */
  async keep({ level, position, hash }: Pick<NodeRow, 'level' | 'position' | 'hash'>): Promise<void> {
    (await this.#tile(level, position)).set(position, hash);
  }

  async #kept(level: number, position: number): Promise<string | undefined> {
    return (await this.#tile(level, position)).get(position);
  }

  async #tile(level: number, position: number): Promise<Map<number, string>> {
    const number = Math.floor(position / tileWidth);
    const name = `${level}/${number}`;
    const tile = this.#tiles.get(name) ?? (await this.#read(level, number * tileWidth));
    this.#tiles.set(name, tile);
    return tile;
  }

  async #read(level: number, from: number): Promise<Map<number, string>> {
    const { chainId, month } = this.#place;
    const nodes = await this.#db
      .selectFrom('auditNodes')
      .select(['position', 'hash'])
      .where('chainId', '=', chainId)
      .where('month', '=', month)
      .where('level', '=', level)
      .where('position', '>=', from)
      .where('position', '<', from + tileWidth)
      .execute();
    // Rows before the first one of the log may lie there. What is kept of them counts.
    const leaves = level > 0 ? [] : await this.#leaves(from);
    const kept = nodes.map(({ position, hash }) => [position, hash] as const);
    return new Map([...leaves, ...kept]);
  }

  async #leaves(from: number): Promise<readonly (readonly [position: number, leaf: string])[]> {
    const { chainId, month, first } = this.#place;
    const rows = await this.#db
      .selectFrom('auditRows')
      .select(['sequence', 'body'])
      .where('chainId', '=', chainId)
      .where('month', '=', month)
      .where('sequence', '>=', first + from)
      .where('sequence', '<', first + from + tileWidth)
      .execute();
    return rows.map(({ sequence, body }) => [sequence - first, leafOf(body)] as const);
  }
}

function missing({ month }: TreePlace): never {
  throw brokenLog(`A part of the tree of the segment ${month} is missing.`);
}

/** Rows that a log needs are not there. Verification says what happened. */
export function brokenLog(message: string): CloudError {
  return cloudError(
    'AUDIT_LOG_BROKEN',
    message,
    'Have whoever runs the platform verify its store: `vendor-cloud platform verify`.',
  );
}

/** This many rows are one step: nobody waits for long. */
const tilesPerStep = 64;

/** Keep the nodes of the first `size` rows of a tree. Work that was interrupted goes on with the next call. */
export async function growTree(store: Store, place: TreePlace, size: number, signal?: AbortSignal): Promise<void> {
  const whole = Math.floor(size / tileWidth);
  for (let done = await grownTiles(store.db, place); done < whole && !signal?.aborted; done += tilesPerStep) {
    const nodes = await nextNodes(store.db, place, [done, Math.min(done + tilesPerStep, whole)]);
    // Another process may have made the same ones.
    await store.transaction(async ({ db }) => {
      await db
        .insertInto('auditNodes')
        .values(nodes)
        .onConflict((same) => same.doNothing())
        .execute();
    });
  }
}

/** How many rows of a tree have their nodes. */
export async function grownSize(db: Db, place: TreePlace): Promise<number> {
  return tileWidth * (await grownTiles(db, place));
}

async function grownTiles(db: Db, { chainId, month }: TreePlace): Promise<number> {
  const newest = await db
    .selectFrom('auditNodes')
    .select('position')
    .where('chainId', '=', chainId)
    .where('month', '=', month)
    .where('level', '=', 1)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest ? newest.position + 1 : 0;
}

/** The nodes over some tiles, and those of greater heights that become whole with them. */
async function nextNodes(db: Db, place: TreePlace, [from, to]: LeafRange): Promise<readonly NodeRow[]> {
  const { chainId, month } = place;
  const nodes: NodeRow[] = [];
  const tree = new SegmentTree(db, place);
  for (let tile = from; tile < to; tile++) {
    let count = tile + 1;
    for (let level = 1; Number.isInteger(count); level++) {
      const width = tileWidth ** level;
      // Rows are read once, and held no longer than their tile.
      const read = level === 1 ? new SegmentTree(db, place) : tree;
      const hash = await read.rootOf([(count - 1) * width, count * width]);
      const made = { chainId, month, level, position: count - 1, hash };
      await tree.keep(made);
      nodes.push(made);
      count /= tileWidth;
    }
    // On SQLite this is work of the thread that serves.
    await setImmediate();
  }
  return nodes;
}

/**
 * Keep what is needed of the trees of a chain when the rows up to `last` are removed, in the transaction that says so. Of a segment that
 * loses some of its rows, the hashes of those that share a tile with rows that are left. Of one that loses all, only its note.
 *
 * @param trees Of all segments that are signed, with the sequence of their last row.
 */
export async function trimTrees(
  db: Db,
  trees: readonly (TreePlace & { readonly last: number })[],
  last: number,
): Promise<void> {
  for (const { last: end, ...place } of trees) {
    if (place.first > last) continue;
    const kept = end <= last ? [] : await edgeOf(db, place, last + 1 - place.first);
    let nodes = db.deleteFrom('auditNodes').where('chainId', '=', place.chainId).where('month', '=', place.month);
    if (end > last) nodes = nodes.where('level', '=', 0);
    await nodes.execute();
    if (kept.length > 0) await db.insertInto('auditNodes').values(kept).execute();
  }
}

/** The rows before `size` that share a tile with it. */
async function edgeOf(db: Db, place: TreePlace, size: number): Promise<readonly NodeRow[]> {
  const { chainId, month } = place;
  const tree = new SegmentTree(db, place);
  const nodes: NodeRow[] = [];
  for (let position = size - (size % tileWidth); position < size; position++) {
    const hash = await tree.rootOf([position, position + 1]);
    nodes.push({ chainId, month, level: 0, position, hash });
  }
  return nodes;
}
