import { isDeepStrictEqual } from 'node:util';
import type { ContextFilter } from '../../customizer/customization-context.ts';
import type { UnendedWrite } from '../../customizer/write-definition.ts';
import { type CompiledCollection, isValueField } from '../../model/compiled-model.ts';
import { DocumentChange } from '../../query/document-change.ts';
import type { RecordData } from '../../query/record-query.ts';
import { isRecord, setValue } from '../../query/shape-record.ts';
import { callHandler, customizationFailed } from '../../user-code/call-handler.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from '../read/record-engine.ts';

interface WriteCall {
  readonly engine: RecordEngine;
  readonly call: CallContext;
  readonly action: 'create' | 'update';
  readonly filter?: ContextFilter | undefined;
  readonly afterWrite: UnendedWrite['afterWrite'];
}

/**
 * Resolve a patch to what is stored: replaced fields become the patches of their handlers, and imported fields become
 * related records. A patch of a handler goes through the handlers of its own fields in turn.
 */
export async function applyWriteHandlers(
  collection: CompiledCollection,
  patch: RecordData,
  write: WriteCall,
  trail: readonly string[] = [],
): Promise<RecordData> {
  const isTouched = Object.keys(patch).some((name) => needsRewriting(collection, name));
  if (!isTouched) return patch;
  const record = Object.freeze({ ...patch });
  const parts = await Promise.all(
    Object.entries(patch).map(([name, value]) => partOf(collection, name, value, record, write, trail)),
  );
  return parts.reduce((merged, part) => merge(merged, part, collection.name), {});
}

function needsRewriting(collection: CompiledCollection, name: string): boolean {
  const field = collection.fields.get(name);
  if (collection.writeHandlers.has(name) || collection.documentLeaves.has(name)) return true;
  return field !== undefined && (field.kind === 'imported' || !isValueField(field));
}

async function partOf(
  collection: CompiledCollection,
  name: string,
  value: unknown,
  record: RecordData,
  write: WriteCall,
  trail: readonly string[],
): Promise<RecordData> {
  const handler = collection.writeHandlers.get(name);
  const step = `${collection.name}.${name}`;
  // The value that a handler gives for its own field is written unchanged.
  if (handler && trail.at(-1) !== step) {
    if (trail.includes(step)) {
      const chain = [...trail.slice(trail.indexOf(step)), step].join(' → ');
      throw customizationFailed(`Replaced fields write one another in a circle: ${chain}.`);
    }
    const subject = `The writing of "${name}" of "${collection.name}"`;
    const { engine, call, action, filter, afterWrite } = write;
    const facts = { action, record, afterWrite, ...(filter ? { filter } : {}) };
    const context = { ...engine.contextOf(collection, call), ...facts };
    const patch: unknown = await callHandler(subject, () => handler(value, context));
    if (patch === undefined || patch === null) return {};
    if (!isPlainObject(patch)) throw customizationFailed(`${subject} gave something else than a patch of fields.`);
    const unknown = Object.keys(patch).find((key) => !collection.fields.has(key));
    if (unknown !== undefined) throw customizationFailed(`${subject} writes "${unknown}", which is not a field.`);
    return applyWriteHandlers(collection, patch, write, [...trail, step]);
  }
  const leaf = collection.documentLeaves.get(name);
  if (leaf) return { [leaf.column]: new DocumentChange([{ path: leaf.path, value }]) };
  const field = collection.fields.get(name);
  if (field?.kind === 'imported') {
    return applyWriteHandlers(collection, nestedAt(field.path, value), write, [...trail, step]);
  }
  if (!field || isValueField(field) || !isRecord(value)) return { [name]: value };
  const foreign = write.engine.collectionNamed(field.foreignCollection);
  const { filter: _filter, ...inner } = write;
  return { [name]: await applyWriteHandlers(foreign, value, inner, trail) };
}

function nestedAt(path: string, value: unknown): RecordData {
  return path.split(':').reduceRight<unknown>((inner, step) => ({ [step]: inner }), value) as RecordData;
}

/** Both patches in one. Two values for one field are a mistake of the handlers, unless they are equal. */
function merge(a: RecordData, b: RecordData, owner: string): RecordData {
  const merged: Record<string, unknown> = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const known = merged[name];
    if (!Object.hasOwn(merged, name)) setValue(merged, name, value);
    else if (known instanceof DocumentChange || value instanceof DocumentChange)
      setValue(merged, name, mergeDocuments(known, value));
    else if (isPlainObject(known) && isPlainObject(value))
      setValue(merged, name, merge(known, value, `${owner}.${name}`));
    else if (!isDeepStrictEqual(known, value)) {
      throw customizationFailed(`Two fields of one write give "${owner}.${name}" different values.`);
    }
  }
  return merged;
}

/** A document that is written as a whole is replaced; what is written of its parts beside it holds. */
function mergeDocuments(a: unknown, b: unknown): unknown {
  if (a instanceof DocumentChange) return b instanceof DocumentChange ? a.and(b) : a.appliedTo(b);
  return b instanceof DocumentChange ? b.appliedTo(a) : b;
}

function isPlainObject(value: unknown): value is RecordData {
  return isRecord(value) && Object.getPrototypeOf(value) === Object.prototype;
}
