import { DateTime } from 'luxon';
import { isCloudError } from '#kernel/errors/cloud-error';
import { type CompiledCollection, isValueField } from '../../model/compiled-model.ts';
import {
  columnLookup,
  joinPath,
  type PathBreak,
  type PathStep,
  pathSteps,
  toManyBreak,
} from '../../model/field-path.ts';
import type { Aggregation } from '../../query/aggregation.ts';
import type { RelationSchema } from '../../query/collection-schema.ts';
import { type ConditionLeaf, type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { evaluateCondition, type RecordPredicate } from '../../query/evaluate-condition.ts';
import { inverseCondition } from '../../query/inverse-condition.ts';
import { nestCondition } from '../../query/record-path.ts';
import type { RecordData, SortClause } from '../../query/record-query.ts';
import { setValueAt } from '../../query/shape-record.ts';
import { type CallContext, callOfOthers } from '../calls/call-context.ts';
import { conditionOnRecords, fieldsOf } from '../read/plan-filter-and-order.ts';
import { intersect, scopeCondition } from '../read/record-filter.ts';
import { keysCondition } from '../read/semi-joins.ts';
import type { PlanContext } from './planned-query.ts';
import type { ReadPlan } from './read-plan.ts';

/**
 * What the scopes of a caller leave of the records that others lead to. A record that is out of scope shows its key, which the record that
 * leads to it has anyway. All other values count as missing, wherever a request shows, compares, sorts or groups them. What code computes
 * of them is what its author wants to be seen.
 *
 * Every path, condition and clause is in original names. Where no scope is concerned, everything is given back as it came.
 */
export class RelatedScopes {
  readonly #context: PlanContext;
  readonly #call: CallContext;
  readonly #scopes = new Map<string, Promise<ConditionTree | undefined>>();

  constructor(context: PlanContext, call: CallContext) {
    this.#context = context;
    this.#call = call;
  }

  /** Whether one of the collections has a scope for the caller. */
  async concern(collections: Iterable<string>): Promise<boolean> {
    for (const name of collections) if (await this.#scopeOf(name)) return true;
    return false;
  }

  /** A condition of the caller on records of `root`: values that are hidden count as missing. */
  async filter(root: CompiledCollection, tree: ConditionTree): Promise<ConditionTree> {
    if (!isBranch(tree)) return this.#leaf(root, tree);
    const conditions: ConditionTree[] = [];
    for (const condition of tree.conditions) conditions.push(await this.filter(root, condition));
    const isSame = conditions.every((condition, index) => condition === tree.conditions[index]);
    return isSame ? tree : { aggregator: tree.aggregator, conditions };
  }

  /** The same on records that a relation to many leads to: those out of scope are not there. */
  async related(foreign: CompiledCollection, tree: ConditionTree): Promise<ConditionTree> {
    return intersect([await this.filter(foreign, tree), await this.#scopeOf(foreign.name)]) ?? tree;
  }

  async sort(root: CompiledCollection, clauses: readonly SortClause[]): Promise<readonly SortClause[]> {
    return this.#each(clauses, async (clause) => {
      const shownWhere = await this.#shownWhere(root, clause.field);
      return shownWhere ? { ...clause, shownWhere } : clause;
    });
  }

  async aggregation(root: CompiledCollection, asked: Aggregation): Promise<Aggregation> {
    const shownWhere = asked.field === undefined ? undefined : await this.#shownWhere(root, asked.field);
    const groups = await this.#each(asked.groups, async (group) => {
      const where = await this.#shownWhere(root, group.field);
      return where ? { ...group, shownWhere: where } : group;
    });
    return { ...asked, groups, ...(shownWhere ? { shownWhere } : {}) };
  }

  /** The plan of a projection, whose records are shown without what is hidden. */
  async plan(root: CompiledCollection, plan: ReadPlan): Promise<ReadPlan> {
    if (!(await this.concern(plan.reachedCollections))) return plan;
    const veils = new Map<string, { readonly where: ConditionTree; readonly paths: string[] }>();
    for (const [index, path] of plan.projection.entries()) {
      const steps = pathSteps(this.#context.engine.model, root, path);
      const where = await this.#conditionOf(steps);
      if (!where) continue;
      const published = plan.published[index] ?? path;
      const key = JSON.stringify(steps);
      const veil = veils.get(key) ?? { where, paths: [] };
      veils.set(key, veil);
      // A record behind one that is hidden is not there, its key included.
      veil.paths.push(
        steps.at(-1)?.isShownKey ? published.slice(0, Math.max(0, published.lastIndexOf(':'))) : published,
      );
    }
    return veils.size === 0 ? plan : this.#veiled(root, plan, [...veils.values()]);
  }

  async #veiled(
    root: CompiledCollection,
    plan: ReadPlan,
    veils: readonly { readonly where: ConditionTree; readonly paths: readonly string[] }[],
  ): Promise<ReadPlan> {
    const { engine } = this.#context;
    const needed = new Set(plan.projection);
    const hidden: { readonly isShown: RecordPredicate; readonly paths: readonly string[] }[] = [];
    for (const { where, paths } of veils) {
      const { fields, holds } = await conditionOnRecords(engine, root, where, this.#call);
      for (const field of fields) needed.add(field);
      hidden.push({ isShown: holds, paths });
    }
    const veil = (shown: RecordData, source: RecordData | undefined): RecordData => {
      for (const { isShown, paths } of hidden) {
        if (source && isShown(source)) continue;
        // The record was made for this answer, and nobody has seen it.
        for (const path of paths) setValueAt(shown as Record<string, unknown>, path, null);
      }
      return shown;
    };
    const sources = new WeakMap<object, RecordData>();
    return {
      ...plan,
      projection: Object.freeze([...needed]),
      present: (record) => veil(plan.publish(plan.unfold(record)), record),
      unfold: (record) => {
        const unfolded = plan.unfold(record);
        sources.set(unfolded, record);
        return unfolded;
      },
      publish: (unfolded) => veil(plan.publish(unfolded), sources.get(unfolded)),
    };
  }

  async #leaf(root: CompiledCollection, leaf: ConditionLeaf): Promise<ConditionTree> {
    const { model } = this.#context.engine;
    const many = toManyBreak(model, root, leaf.field);
    if (many) return this.#behindMany(root, many, leaf);
    const steps = pathSteps(model, root, leaf.field);
    const shown = await this.#conditionOf(steps);
    if (!shown) return leaf;
    const now = DateTime.now().setZone(this.#call.caller.timezone);
    if (!evaluateCondition({}, leaf, columnLookup(model, root), now)) return intersect([shown, leaf]) ?? leaf;
    return { aggregator: 'Or', conditions: [leaf, ...(await this.#opposites(root, steps))] };
  }

  /** A record on the way to many others, and each of those, counts as far as it is in scope. */
  async #behindMany(root: CompiledCollection, many: PathBreak, leaf: ConditionLeaf): Promise<ConditionTree> {
    const { engine } = this.#context;
    const foreign = engine.collectionNamed(relationOf(many).foreignCollection);
    const inner = { ...leaf, field: many.rest };
    const within = await this.related(foreign, inner);
    const before = await this.#conditionOf(pathSteps(engine.model, root, joinPath(many.prefix, many.relation)));
    if (within === inner && !before) return leaf;
    const among = within === inner ? leaf : await keysCondition(engine, many, within, 'In', callOfOthers(this.#call));
    return intersect([before, among]) ?? leaf;
  }

  /** For each record on the way: that it is out of scope. */
  async #opposites(root: CompiledCollection, steps: readonly PathStep[]): Promise<ConditionTree[]> {
    const opposites: ConditionTree[] = [];
    for (const step of steps) {
      const scope = step.isShownKey ? undefined : await this.#scopeOf(step.foreign);
      if (scope) opposites.push(await this.#opposite(root, step, scope));
    }
    return opposites;
  }

  async #opposite(root: CompiledCollection, step: PathStep, scope: ConditionTree): Promise<ConditionTree> {
    const { engine } = this.#context;
    const nested = nestCondition(scope, step.path);
    const isSayable = fieldsOf(nested).every((field) => !toManyBreak(engine.model, root, field));
    const said = isSayable ? oppositeOf(nested) : undefined;
    return said ?? keysCondition(engine, { ...step.relation, rest: '' }, scope, 'NotIn', callOfOthers(this.#call));
  }

  async #shownWhere(root: CompiledCollection, path: string): Promise<ConditionTree | undefined> {
    return this.#conditionOf(pathSteps(this.#context.engine.model, root, path));
  }

  /** That every record on the way is in scope; `undefined` where none has to be. */
  async #conditionOf(steps: readonly PathStep[]): Promise<ConditionTree | undefined> {
    const conditions: ConditionTree[] = [];
    for (const { path, foreign, isShownKey } of steps) {
      const scope = isShownKey ? undefined : await this.#scopeOf(foreign);
      if (scope) conditions.push(nestCondition(scope, path));
    }
    return intersect(conditions);
  }

  #scopeOf(name: string): Promise<ConditionTree | undefined> {
    const known = this.#scopes.get(name) ?? this.#askScope(name);
    this.#scopes.set(name, known);
    return known;
  }

  /** A collection that is closed to the caller shows nothing. */
  async #askScope(name: string): Promise<ConditionTree | undefined> {
    const { model, authoriser } = this.#context;
    const collection = model.collections.get(name);
    if (!collection) return undefined;
    try {
      return await scopeCondition(model, collection, authoriser, this.#call.caller, 'read');
    } catch (error) {
      if (isCloudError(error) && error.code === 'REQUEST_FORBIDDEN') return closed;
      throw error;
    }
  }

  /** The items with what `change` makes of them; the same list where nothing changes. */
  async #each<Item>(items: readonly Item[], change: (item: Item) => Promise<Item>): Promise<readonly Item[]> {
    const changed = await Promise.all(items.map(change));
    return changed.every((item, index) => item === items[index]) ? items : changed;
  }
}

const closed: ConditionTree = { aggregator: 'Or', conditions: [] };

function relationOf({ collection, relation }: PathBreak): RelationSchema {
  const field = collection.fields.get(relation);
  if (!field || isValueField(field)) throw new TypeError(`"${relation}" of "${collection.name}" is not a relation.`);
  return field;
}

/** `undefined` for a condition whose opposite cannot be said. */
function oppositeOf(tree: ConditionTree): ConditionTree | undefined {
  try {
    return inverseCondition(tree);
  } catch (error) {
    if (isCloudError(error) && error.code === 'REQUEST_INVALID') return undefined;
    throw error;
  }
}
