import { createHash } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type FileMetaData,
  type ParquetQueryFilter,
  type ParquetScan,
  parquetMetadataAsync,
  parquetScan,
} from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { ArchivedFile } from '#contracts/audit/archive';
import { BrokenLog } from '#contracts/audit/verdict';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { ObjectStore, ObjectWriter } from '#kernel/ports/object-store';

/** What a cell holds. No number is beyond those that are exact. */
export type Cell = string | number | null;

export interface Column {
  readonly name: string;
  readonly type: 'STRING' | 'INT32' | 'INT64';
  readonly isOptional?: boolean;
  /** Lets a reader leave row groups out that do not have a value. */
  readonly hasBloomFilter?: boolean;
  /** Its values differ from row to row: a dictionary, and bounds of texts, would be work for nothing. */
  readonly isUnique?: boolean;
}

/** At most this many rows are held at once, and are what a reader must read at least. */
export const rowsPerGroup = 10_000;

/** Rows with long texts make smaller groups. */
const bytesPerGroup = 16 * 1024 * 1024;

/** Before they are compressed. A page is encoded and compressed as a whole, so a small one needs little memory. */
const bytesPerPage = 128 * 1024;

const elements = {
  STRING: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  INT32: { type: 'INT32' },
  INT64: { type: 'INT64' },
} as const;

/** The same types in every file, whatever its values are. */
function schemaOf(columns: readonly Column[]) {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, type, isOptional = false }) => ({
      ...{ name, ...elements[type] },
      repetition_type: isOptional ? ('OPTIONAL' as const) : ('REQUIRED' as const),
    })),
  ];
}

function compressed(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}

/** What the reader decompresses pages with. */
const compressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) };

/** Hands over what was encoded of a row group, so that only one group is held. */
class DigestedBytes extends ByteWriter {
  readonly #out: ObjectWriter;
  readonly #digest = createHash('sha256');

  constructor(out: ObjectWriter) {
    super();
    this.#out = out;
  }

  async flush(): Promise<void> {
    const bytes = this.getBytes();
    this.#digest.update(bytes);
    await this.#out.write(bytes);
    this.index = 0;
  }

  sha256(): string {
    return this.#digest.digest('hex');
  }
}

/**
 * Texts that differ from row to row, as they will be written. As texts of JavaScript they would outlive two collections of new objects
 * before their group is full, and be copied by each.
 */
class WaitingTexts {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  readonly #ends: (number | null)[] = [];
  #end = 0;

  get size(): number {
    return this.#end;
  }

  get length(): number {
    return this.#ends.length;
  }

  push(cell: Cell): void {
    if (cell === null) {
      this.#ends.push(null);
      return;
    }
    const text = String(cell);
    // No character takes more bytes in UTF-8.
    const longest = this.#end + 3 * text.length;
    if (longest > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, longest));
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    this.#end += this.#bytes.write(text, this.#end);
    this.#ends.push(this.#end);
  }

  /** What waits. It is valid until the next text is pushed. */
  take(): (Uint8Array | null)[] {
    let start = 0;
    const taken = this.#ends.map((end) => {
      if (end === null) return null;
      const bytes = this.#bytes.subarray(start, end);
      start = end;
      return bytes;
    });
    this.#ends.length = 0;
    this.#end = 0;
    return taken;
  }
}

/** Texts that come again and again: each is held once, and compared with itself in no time. */
class RepeatedTexts {
  readonly #known = new Map<Cell, Cell>();
  #cells: Cell[] = [];

  get length(): number {
    return this.#cells.length;
  }

  push(cell: Cell): void {
    const same = this.#known.get(cell);
    if (same === undefined) this.#known.set(cell, cell);
    this.#cells.push(same ?? cell);
  }

  take(): Cell[] {
    const taken = this.#cells;
    this.#cells = [];
    this.#known.clear();
    return taken;
  }
}

/** A Parquet file that grows by row groups. It is there once it is complete. */
export class ParquetTable {
  readonly #path: string;
  readonly #columns: readonly Column[];
  readonly #out: ObjectWriter;
  readonly #bytes: DigestedBytes;
  readonly #writer: ParquetWriter;
  #cells: (Cell[] | WaitingTexts | RepeatedTexts)[];
  #rows = 0;

  private constructor(path: string, columns: readonly Column[], out: ObjectWriter) {
    this.#path = path;
    this.#columns = columns;
    this.#out = out;
    this.#bytes = new DigestedBytes(out);
    this.#writer = new ParquetWriter({
      ...{ writer: this.#bytes, schema: schemaOf(columns), createdBy: 'vendor-cloud' },
      ...{ codec: 'ZSTD', compressors: { ZSTD: compressed } },
    });
    this.#cells = columns.map(newCells);
  }

  static async create(store: ObjectStore, path: string, columns: readonly Column[]): Promise<ParquetTable> {
    return new ParquetTable(path, columns, await store.create(path));
  }

  /** Whether the rows that wait should be written. */
  get isFull(): boolean {
    if (this.#waiting >= rowsPerGroup) return true;
    return this.#cells.some((cells) => cells instanceof WaitingTexts && cells.size >= bytesPerGroup);
  }

  get #waiting(): number {
    return this.#cells[0]?.length ?? 0;
  }

  /** @param cells One for each column. */
  add(cells: readonly Cell[]): void {
    for (let at = 0; at < cells.length; at++) this.#cells[at]?.push(cells[at] ?? null);
  }

  /** Write what waits as row groups. */
  async flush(): Promise<void> {
    if (this.#waiting === 0) return;
    this.#rows += this.#waiting;
    const columnData = this.#columns.map(({ name, type, hasBloomFilter = false, isUnique = false }, at) => ({
      ...{ name, data: storedCells(this.#cells[at] ?? [], type), bloomFilter: hasBloomFilter },
      ...(isUnique ? { encoding: 'PLAIN' as const, statistics: type !== 'STRING' } : {}),
    }));
    this.#cells = this.#cells.map((cells) => (Array.isArray(cells) ? [] : cells));
    await this.#writer.write({ columnData, rowGroupSize: rowsPerGroup, pageSize: bytesPerPage });
  }

  async complete(): Promise<ArchivedFile> {
    await this.flush();
    await this.#writer.finish();
    await this.#bytes.flush();
    await this.#out.complete();
    return { path: this.#path, bytes: this.#bytes.offset, sha256: this.#bytes.sha256(), rows: this.#rows };
  }

  abort(): Promise<void> {
    return this.#out.abort();
  }
}

/** A Parquet file of an archive, read by row groups. */
export interface OpenTable {
  readonly path: string;
  readonly metadata: FileMetaData;
  readonly file: AsyncBuffer;
}

/** @throws `BrokenLog` for a file that is missing, has another length, or is not Parquet. */
export async function openTable(
  store: ObjectStore,
  { path, bytes }: Pick<ArchivedFile, 'path' | 'bytes'>,
): Promise<OpenTable> {
  const read = async (from: number, to: number) => {
    try {
      return await store.read(path, from, to);
    } catch (error) {
      await requireStored(store, { path, bytes });
      throw error;
    }
  };
  const file = {
    byteLength: bytes,
    async slice(start: number, end = bytes) {
      const part = await read(start < 0 ? bytes + start : start, Math.min(end, bytes));
      return part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength) as ArrayBuffer;
    },
  };
  return { path, file, metadata: await readable(path, () => parquetMetadataAsync(file)) };
}

/** A store tells a file that is gone like one that cannot be read now: only the second may be there at another time. */
async function requireStored(store: ObjectStore, { path, bytes }: Pick<ArchivedFile, 'path' | 'bytes'>): Promise<void> {
  const found = (await store.list(path)).find((each) => each.path === path);
  if (!found) throw missingFile(path, 0);
  if (found.bytes !== bytes) throw changedFile(path, 0);
}

/** @param first Row that the file begins with, or 0. */
export function missingFile(path: string, first: number): BrokenLog {
  return new BrokenLog('gap', first, `The file ${path} is missing.`);
}

export function changedFile(path: string, first: number): BrokenLog {
  return new BrokenLog('hash', first, `The file ${path} was changed.`);
}

/** All rows, group by group, as cells in the order of the columns. */
export async function* readTable(table: OpenTable, columns: readonly Column[]): AsyncGenerator<readonly Cell[][]> {
  for await (const { rows } of new TableReader(table, columns).groups()) yield rows;
}

interface ReadGroup {
  /** Place of the first row in the file. */
  readonly rowStart: number;
  /** Cells in the order of the columns. */
  readonly rows: readonly Cell[][];
}

/** Reads some columns. Every method throws a `BrokenLog` for a file that cannot be read. */
export class TableReader {
  readonly #table: OpenTable;
  readonly #names: readonly string[];
  readonly #onGroup: (group: number) => void;

  /** @param onGroup Called with the number of each row group that is read. */
  constructor(table: OpenTable, columns: readonly Column[], onGroup: (group: number) => void = () => undefined) {
    this.#table = table;
    this.#names = columns.map(({ name }) => name);
    this.#onGroup = onGroup;
  }

  /** Row groups that may have rows which fulfil the filter: as far as statistics and bloom filters tell. */
  async *groups(filter?: ParquetQueryFilter): AsyncGenerator<ReadGroup> {
    const scan = await this.#scan(filter);
    for (const range of scan.ranges) yield this.#read(scan, range);
  }

  /** The same, the last one first. */
  async *groupsFromEnd(filter?: ParquetQueryFilter): AsyncGenerator<ReadGroup> {
    const scan = await this.#scan(filter);
    for (const range of scan.ranges.toReversed()) yield this.#read(scan, range);
  }

  /** The rows of these row groups, one after the other. */
  async *cells(filter: ParquetQueryFilter): AsyncGenerator<readonly Cell[]> {
    for await (const { rows } of this.groups(filter)) yield* rows;
  }

  /** The row at a place in the file. */
  async row(place: number): Promise<readonly Cell[]> {
    const { rows } = await this.#read(await this.#scan(undefined), { rowStart: place, rowEnd: place + 1 });
    return rows[0] ?? [];
  }

  #scan(filter: ParquetQueryFilter | undefined): Promise<ParquetScan> {
    const { path, file, metadata } = this.#table;
    const pruning = filter ? { pruningFilter: filter, useBloomFilters: true } : {};
    return readable(path, () => parquetScan({ file, metadata, compressors, columns: [...this.#names], ...pruning }));
  }

  async #read(scan: ParquetScan, { rowStart, rowEnd }: Omit<ReadGroup, 'rows'> & { readonly rowEnd: number }) {
    this.#onGroup(groupAt(this.#table.metadata, rowStart));
    const read = await readable(this.#table.path, () =>
      Promise.all(this.#names.map((column) => scan.readColumn({ column, rowStart, rowEnd }))),
    );
    const rows = Array.from({ length: rowEnd - rowStart }, (_, row) => read.map((cells) => cellOf(cells[row])));
    return { rowStart, rows };
  }
}

function newCells({ type, isUnique = false }: Column): Cell[] | WaitingTexts | RepeatedTexts {
  if (type !== 'STRING') return [];
  return isUnique ? new WaitingTexts() : new RepeatedTexts();
}

/** Made when a group is written: thousands of them would be kept until then. */
function storedCells(cells: Cell[] | WaitingTexts | RepeatedTexts, type: Column['type']) {
  if (!Array.isArray(cells)) return cells.take();
  return type === 'INT64' ? cells.map((cell) => (cell === null ? null : BigInt(cell))) : cells;
}

function cellOf(value: unknown): Cell {
  return typeof value === 'bigint' ? Number(value) : ((value ?? null) as Cell);
}

function groupAt({ row_groups: groups }: FileMetaData, row: number): number {
  let end = 0;
  return groups.findIndex(({ num_rows: rows }) => {
    end += Number(rows);
    return row < end;
  });
}

async function readable<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (isCloudError(error) || error instanceof BrokenLog) throw error;
    throw new BrokenLog('unreadable', 0, `The file ${path} cannot be read as Parquet.`);
  }
}
