import { cloudError } from '#kernel/errors/cloud-error';
import { refusedWriteOf } from '#node/database/database-errors';
import { type CompiledCollection, isValueField, knownName } from '../model/compiled-model.ts';
import type { ShownRights } from '../permissions/authoriser.ts';
import type { OneToManyRelation, ToOneRelation } from '../query/collection-schema.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import { nestCondition } from '../query/record-path.ts';
import { type CallContext, callOfOthers } from './calls/call-context.ts';
import { intersect } from './read/record-filter.ts';
import { type RecordReader, scopeOf } from './request/record-reader.ts';
import type { AffectedRecords, ForeseenDelete } from './request/write-checks.ts';

/** How far the database follows foreign keys before this gives up. */
const maxLevels = 6;
/** How many foreign keys are followed. Each is a count in the database. */
const maxKeys = 60;

type Rule = NonNullable<ToOneRelation['onDelete']>;

/** Records that a foreign key of another table leads to the deletion of, or keeps from it; original names. */
interface Reached {
  readonly collection: CompiledCollection;
  readonly rule: Rule;
  readonly conditions: ConditionTree[];
}

/**
 * What the foreign keys of the database do when records are deleted. It is counted a key at a time, along the relations that lead back
 * to the records. What triggers and code do is not known.
 *
 * @param where the records; original names.
 */
export async function effectsOfDelete(
  reader: RecordReader,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  context: CallContext,
): Promise<Omit<ForeseenDelete, 'records' | 'isFinal'>> {
  const { reached, isComplete } = await follow(reader, collection, where, context);
  const rights = await reader.authoriser.rightsOf(context.caller);
  const shown = new Map<Rule, AffectedRecords[]>();
  let isWhole = isComplete;
  for (const { rule, ...found } of reached.values()) {
    const { visible, all } = await countFor(reader, found, rights, context);
    if (visible < all) isWhole = false;
    if (visible === 0) continue;
    const others = shown.get(rule) ?? [];
    shown.set(rule, [...others, { collection: found.collection.name, count: visible }]);
  }
  const of = (rule: Rule) => shown.get(rule) ?? [];
  return { alsoDeleted: of('cascade'), unlinked: of('unlink'), blocking: of('refuse'), isWhole };
}

/**
 * The error of a deletion that a foreign key keeps the database from, with the collections that refer to the records, as far as the
 * caller sees their records. Any other error comes back unchanged.
 */
export async function referredError(
  reader: RecordReader,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  context: CallContext,
  error: unknown,
): Promise<unknown> {
  const refused = refusedWriteOf(error);
  // In a transaction that has failed, nothing more can be asked.
  if (refused?.code !== 'DATABASE_CONSTRAINT_VIOLATED' || context.unit) return error;
  const { blocking, isWhole } = await effectsOfDelete(reader, collection, where, context);
  if (blocking.length === 0 && isWhole) return error;
  const names = blocking.map((found) => `records of "${found.collection}"`);
  const who = names.length === 0 ? 'other records' : names.join(' and ');
  return cloudError(
    'DATABASE_CONSTRAINT_VIOLATED',
    `The record breaks a foreign key: ${who} refer to this one.`,
    'Delete those records first, or let them refer to another record.',
    { cause: error },
  );
}

/** The collections that foreign keys lead to, the nearest first. */
async function follow(
  { engine, model }: RecordReader,
  root: CompiledCollection,
  where: ConditionTree | undefined,
  context: CallContext,
): Promise<{ readonly reached: ReadonlyMap<string, Reached>; readonly isComplete: boolean }> {
  const reached = new Map<string, Reached>();
  let level: readonly { readonly collection: CompiledCollection; readonly where: ConditionTree | undefined }[] = [
    { collection: root, where },
  ];
  let keys = 0;
  let isComplete = true;
  for (let depth = 0; depth < maxLevels && level.length > 0; depth++) {
    const next: { readonly collection: CompiledCollection; readonly where: ConditionTree }[] = [];
    for (const parent of level) {
      for (const { child, back, rule } of keysInto(parent.collection, engine.model.collections)) {
        if (++keys > maxKeys) return { reached, isComplete: false };
        // Whether there are records behind a key that rights hide is not said either.
        if (knownName(model, child.name, back.name) === undefined) {
          isComplete = false;
          continue;
        }
        const condition = behind(back, parent.where);
        if ((await engine.count(child, condition, callOfOthers(context))) === 0) continue;
        const key = `${rule} ${child.name}`;
        const found = reached.get(key) ?? { collection: child, rule, conditions: [] };
        found.conditions.push(condition);
        reached.set(key, found);
        if (rule === 'cascade') next.push({ collection: child, where: condition });
      }
    }
    level = next;
  }
  return { reached, isComplete: isComplete && level.length === 0 };
}

interface KeyInto {
  readonly child: CompiledCollection;
  /** The relation of the child that leads to the parent. */
  readonly back: ToOneRelation;
  readonly rule: Rule;
}

/** The foreign keys of other tables that lead to a collection. */
export function keysInto(
  { name, fields }: CompiledCollection,
  collections: ReadonlyMap<string, CompiledCollection>,
): readonly KeyInto[] {
  return [...fields.values()].flatMap((field) => {
    if (isValueField(field) || (field.kind !== 'OneToMany' && field.kind !== 'OneToOne')) return [];
    const child = collections.get(field.foreignCollection);
    const back = child && relationBack(child, name, field);
    return back && field.onDelete ? [{ child, back, rule: field.onDelete }] : [];
  });
}

function relationBack(
  child: CompiledCollection,
  parent: string,
  { join }: OneToManyRelation | ToOneRelation,
): ToOneRelation | undefined {
  for (const field of child.fields.values()) {
    if (field.kind !== 'ManyToOne' || field.foreignCollection !== parent || field.join.length !== join.length) continue;
    const isSame = field.join.every((pair) =>
      join.some(({ local, foreign }) => local === pair.foreign && foreign === pair.local),
    );
    if (isSame) return field;
  }
  return undefined;
}

/** The records that a relation leads from to those of a condition. */
export function behind({ name, join }: ToOneRelation, where: ConditionTree | undefined): ConditionTree {
  if (where) return nestCondition(where, name);
  return { aggregator: 'And', conditions: join.map(({ local }) => ({ field: local, operator: 'Present' })) };
}

/** How many records there are, and how many of them the caller may list. */
async function countFor(
  reader: RecordReader,
  { collection, conditions }: Omit<Reached, 'rule'>,
  rights: ShownRights,
  context: CallContext,
): Promise<{ readonly visible: number; readonly all: number }> {
  const { engine, model } = reader;
  const where: ConditionTree = { aggregator: 'Or', conditions };
  const call = callOfOthers(context);
  const all = await engine.count(collection, where, call);
  const published = model.collections.get(collection.name);
  if (!published || !rights.has(published.name, 'browse')) return { visible: 0, all };
  const scope = await scopeOf(reader, published, 'browse', context);
  const visible = scope ? await engine.count(collection, intersect([where, scope]), call) : all;
  return { visible, all };
}
