import { activityLimits } from '#contracts/activity';
import { type MarkRead, maxMarkReads } from '#contracts/mcp-marks';
import { safeText } from '../../../activity/activity-entries.ts';
import { type CompiledCollection, type CompiledModel, isValueField } from '../../../model/compiled-model.ts';
import { noId, packId } from '../../../model/record-id.ts';
import { isUntrusted, untrustedEnd, untrustedFieldsOf } from '../../../model/untrusted-fields.ts';
import { valueReader } from '../../../query/record-path.ts';
import type { RecordData } from '../../../query/record-query.ts';
import type { NoteCodeRead } from '../../../records/calls/call-context.ts';

/** Stands for all texts of an answer. */
export const everyText = '*';

/** Text that people outside can write, as one call comes across it. */
export class SeenText {
  readonly #model: CompiledModel;
  readonly #shown: MarkRead[] = [];
  #shownCount = 0;
  readonly #readByCode: MarkRead[] = [];
  #codeCount = 0;
  /** Paths of the answer. */
  readonly #paths = new Set<string>();

  constructor(model: CompiledModel) {
    this.#model = model;
  }

  /** Take down what an answer shows of records, which are as they were read: with the keys of all collections on the way. */
  showRecords(collection: CompiledCollection, paths: readonly string[], records: readonly RecordData[]): void {
    for (const path of paths) {
      const end = untrustedEnd(this.#model, collection, path);
      if (!end) continue;
      const read = valueReader(path);
      const ownerPath = path.split(':').slice(0, -1).join(':');
      const ownerOf = ownerPath === '' ? (record: RecordData) => record : valueReader(ownerPath);
      for (const record of records) {
        if (!holdsText(read(record))) continue;
        this.#show(path, readOf(end.collection.name, idOf(end.collection, ownerOf(record)), end.name));
      }
    }
  }

  /** The same for a value that belongs to many records. */
  showValue(collection: CompiledCollection, path: string, value: unknown): void {
    const end = holdsText(value) ? untrustedEnd(this.#model, collection, path) : undefined;
    if (end) this.#show(path, readOf(end.collection.name, null, end.name));
  }

  /** The code of the project may put what it has read into any word of its answer. */
  readonly noteCodeRead: NoteCodeRead = (name, path, values) => {
    const collection = this.#model.original.collections.get(name);
    if (!collection || !untrustedFieldsOf(this.#model).atPath(collection, path) || !values.some(holdsText)) return;
    this.#codeCount += 1;
    if (this.#readByCode.length < maxMarkReads) this.#readByCode.push(readOf(name, null, path));
  };

  /** What the answer holds of it. */
  readsIn(answer: { readonly holdsWordsOfCode: boolean }): { readonly reads: MarkRead[]; readonly readCount: number } {
    const byCode = answer.holdsWordsOfCode ? this.#readByCode : [];
    return {
      reads: [...this.#shown, ...byCode].slice(0, maxMarkReads),
      readCount: this.#shownCount + (answer.holdsWordsOfCode ? this.#codeCount : 0),
    };
  }

  /** The paths of the answer whose values hold it; `*` for all of its texts. */
  pathsIn({ holdsWordsOfCode }: { readonly holdsWordsOfCode: boolean }): readonly string[] {
    return [...this.#paths, ...(holdsWordsOfCode && this.#codeCount > 0 ? [everyText] : [])];
  }

  #show(path: string, read: MarkRead): void {
    this.#paths.add(path);
    this.#shownCount += 1;
    if (this.#shown.length < maxMarkReads) this.#shown.push(read);
  }
}

/** Names and ids as the platform takes them: what it refuses is not given to anybody. */
function readOf(collection: string, recordId: string | null, field: string): MarkRead {
  const { nameLength, recordIdLength } = activityLimits;
  return {
    collection: safeText(collection, nameLength),
    recordId: recordId === null ? null : safeText(recordId, recordIdLength),
    field: safeText(field, nameLength),
  };
}

/** The fields of a collection that an answer leaves out unless a call names them. */
export function untrustedColumns(model: CompiledModel, collection: CompiledCollection): ReadonlySet<string> {
  const known = columns.get(collection);
  if (known) return known;
  const names = [...collection.fields.values()].filter(isValueField).map(({ name }) => name);
  const found = new Set(names.filter((name) => isUntrusted(model, collection, name)));
  columns.set(collection, found);
  return found;
}

/** A published collection belongs to one model. */
const columns = new WeakMap<CompiledCollection, ReadonlySet<string>>();

/** A record without those fields. */
export function withoutUntrusted(model: CompiledModel, collection: CompiledCollection, record: RecordData): RecordData {
  const untrusted = untrustedColumns(model, collection);
  const kept = Object.entries(record).flatMap(([name, value]) => {
    if (untrusted.has(name)) return [];
    const field = collection.fields.get(name);
    const foreign = field && !isValueField(field) ? model.collections.get(field.foreignCollection) : undefined;
    const isNested = foreign && typeof value === 'object' && value !== null;
    return [[name, isNested ? withoutUntrusted(model, foreign, value as RecordData) : value] as const];
  });
  return Object.fromEntries(kept);
}

/** Numbers, dates and flags tell nobody what to do. */
function holdsText(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (value instanceof Date || typeof value !== 'object' || value === null) return false;
  if (value instanceof Uint8Array) return value.byteLength > 0;
  return Object.entries(value).some(([key, item]) => (!Array.isArray(value) && key !== '') || holdsText(item));
}

function idOf(collection: CompiledCollection, record: unknown): string | null {
  if (typeof record !== 'object' || record === null || collection.primaryKey.length === 0) return null;
  const id = packId(collection, record as RecordData);
  return id === noId ? null : id;
}
