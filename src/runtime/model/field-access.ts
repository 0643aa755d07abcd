import { canonicalJson } from '#kernel/json/canonical-json';
import { everyOtherField, type FieldRule, type FieldRules, stricter, unitedRule } from '../permissions/field-rules.ts';
import type { JoinPairs, RelationSchema } from '../query/collection-schema.ts';
import { type Expression, expressionFields } from '../query/expression.ts';
import { type CompiledCollection, type CompiledModel, isValueField, type ValueField } from './compiled-model.ts';
import { resolvePath } from './field-path.ts';
import { maskNamed } from './masks.ts';

const everything: FieldRule = { read: true, filter: true, write: true };
const nothing: FieldRule = { read: false, filter: false, write: false };

/**
 * What a role may do with the fields of a model: what the rules say of a field, and the strictest of what it is made from. Names are the
 * original ones, because fields are made from fields that are not published too.
 */
export class FieldAccess {
  readonly #whole: CompiledModel;
  readonly #rules: FieldRules;
  readonly #known = new Map<string, FieldRule>();

  constructor(whole: CompiledModel, rules: FieldRules) {
    this.#whole = whole;
    this.#rules = rules;
  }

  /** Of a field that holds a value. */
  of(collection: CompiledCollection, name: string): FieldRule {
    const key = JSON.stringify([collection.name, name]);
    const known = this.#known.get(key) ?? this.#find(collection, name);
    this.#known.set(key, known);
    return known;
  }

  /** Why a field is restricted, in a few words. */
  because(collection: CompiledCollection, name: string): string {
    const own = this.#ownRule(collection, name);
    const isOwn = canonicalJson(own) === canonicalJson(this.of(collection, name));
    return isOwn ? 'the role has a rule for it' : 'the role has a rule for what it is made of';
  }

  /** Whether somebody may know of a relation: where every key that it is made of may be read and filtered by. */
  isShown({ name }: CompiledCollection, relation: RelationSchema): boolean {
    if (relation.kind !== 'ManyToMany') return this.#arePairsOpen(name, relation.join, relation.foreignCollection);
    const { throughCollection: through, originJoin, foreignJoin, foreignCollection } = relation;
    return this.#arePairsOpen(name, originJoin, through) && this.#arePairsOpen(through, foreignJoin, foreignCollection);
  }

  /** Whether the order of a field tells nothing that is closed. It may be that of other fields, which the field is sorted by instead. */
  isSortOpen(collection: CompiledCollection, name: string): boolean {
    const sort = collection.rules.get(name)?.sort;
    if (sort !== undefined && sort !== 'emulated')
      return sort.every(({ field }) => this.#isPathSortOpen(collection, field));
    const field = collection.fields.get(name);
    return field?.kind !== 'imported' || this.#isPathSortOpen(collection, field.path);
  }

  #isPathSortOpen(root: CompiledCollection, path: string): boolean {
    if (!isOpen(this.#atPath(root, path))) return false;
    const end = resolvePath(this.#whole.original, root, path);
    return this.isSortOpen(end.collection, end.field.name);
  }

  #arePairsOpen(here: string, pairs: JoinPairs, there: string): boolean {
    return pairs.every(({ local, foreign }) => this.#isColumnOpen(here, local) && this.#isColumnOpen(there, foreign));
  }

  #isColumnOpen(name: string, column: string): boolean {
    const collection = this.#whole.original.collections.get(name);
    return !collection || isOpen(this.of(collection, column));
  }

  #find(collection: CompiledCollection, name: string): FieldRule {
    const own = this.#ownRule(collection, name);
    const field = collection.fields.get(name);
    if (!field || !isValueField(field) || collection.shownBecause.has(name)) return own;
    return stricter(own, this.#inherited(collection, field));
  }

  /** What the rules say. Nothing closes the key, which identifies records, and nobody can name a field that is not published. */
  #ownRule(collection: CompiledCollection, name: string): FieldRule {
    const roles = this.#rules.collections.get(collection.name);
    if (!roles || collection.primaryKey.includes(name)) return everything;
    const published = this.#publishedName(collection, name);
    if (published === undefined) return everything;
    const lent = roles.map(({ fields, ...rights }) => {
      const rule = fields.get(published) ?? fields.get(everyOtherField) ?? everything;
      return { ...rights, rule: this.#usable(collection, name, rule) };
    });
    const [only, ...others] = lent;
    return only && others.length === 0 ? only.rule : this.#usable(collection, name, unitedRule(lent));
  }

  /** A field that is hidden cannot be asked about. A masked one could be guessed by asking, and a number of digits is not a number. */
  #usable(collection: CompiledCollection, name: string, rule: FieldRule): FieldRule {
    if (rule.read === true) return rule;
    if (rule.read === false || !maskNamed(rule.read, this.#whole.masks)) return nothing;
    const field = collection.fields.get(name);
    const isText = field?.kind === 'column' && field.type === 'String' && !field.enumValues;
    return isText ? { ...rule, filter: false } : { read: rule.read, filter: false, write: false };
  }

  #publishedName({ name: collection }: CompiledCollection, name: string): string | undefined {
    const { names, collections } = this.#whole;
    const published = names.publishedName(collection, name);
    const isPublished = collections.get(collection)?.fields.has(published) === true;
    return isPublished && names.originalPath(collection, published) === name ? published : undefined;
  }

  #inherited(collection: CompiledCollection, field: ValueField): FieldRule {
    if (field.kind === 'imported') return this.#atPath(collection, field.path);
    const leaf = collection.documentLeaves.get(field.name);
    if (leaf) return this.of(collection, leaf.column);
    if (field.kind === 'computed') return this.#madeOf(collection, field.dependencies);
    const copied = field.expression && copiedField(field.expression);
    if (copied !== undefined) return this.#atPath(collection, copied);
    return field.expression ? this.#madeOf(collection, expressionFields(field.expression)) : everything;
  }

  /** Of a value that is worked out of others. Its author decides how it is written. */
  #madeOf(collection: CompiledCollection, paths: readonly string[]): FieldRule {
    const parts = paths.map((path) => this.#atPath(collection, path));
    if (parts.some(({ read }) => read !== true)) return nothing;
    return { ...everything, filter: parts.every(({ filter }) => filter) };
  }

  #atPath(root: CompiledCollection, path: string): FieldRule {
    const steps = path.split(':');
    const last = steps.pop() ?? '';
    let collection = root;
    let isKeyWritable = true;
    for (const step of steps) {
      const relation = collection.fields.get(step);
      if (!relation || isValueField(relation) || !this.isShown(collection, relation)) return nothing;
      const foreign = this.#whole.original.collections.get(relation.foreignCollection);
      if (!foreign) return nothing;
      // A record at the other end is made where there is none.
      isKeyWritable &&= relation.kind !== 'ManyToOne' || this.#areWritable(collection, relation.join);
      collection = foreign;
    }
    const { writtenBy, ...end } = this.of(collection, last);
    if (root === collection) return { ...end, ...(writtenBy ? { writtenBy } : {}) };
    // The record at the other end may have to be changed, or to be added.
    return { ...end, write: end.write && isKeyWritable && writtenBy === undefined };
  }

  #areWritable(collection: CompiledCollection, pairs: JoinPairs): boolean {
    return pairs.every(({ local }) => {
      const { write, writtenBy } = this.of(collection, local);
      return write && writtenBy === undefined;
    });
  }
}

function isOpen({ read, filter }: FieldRule): boolean {
  return read === true && filter;
}

/** The field whose value, or a part of it, an expression shows as it is. */
function copiedField(expression: Expression): string | undefined {
  if ('field' in expression) return expression.field;
  return 'jsonPath' in expression ? expression.jsonPath.field : undefined;
}

/** What rules name and a model does not have, in words. Such a rule closes nothing, or more than it says. */
export function ruleProblems({ collections, masks }: CompiledModel, rules: FieldRules): readonly string[] {
  return [...rules.collections].flatMap(([name, roles]) => {
    const collection = collections.get(name);
    if (!collection) return [];
    return roles
      .flatMap((role) => [...role.fields])
      .flatMap(([field, { read }]) => {
        const subject = `The rights to the field "${field}" of "${name}"`;
        const known = collection.fields.get(field);
        if (field !== everyOtherField && !known) return [`${subject} close nothing: there is no such field.`];
        if (known && !isValueField(known)) return [`${subject} close nothing: it is a relation. Close its key.`];
        if (collection.primaryKey.includes(field)) return [`${subject} close nothing: it is part of the key.`];
        const isUnknownMask = typeof read === 'string' && !maskNamed(read, masks);
        return isUnknownMask ? [`${subject} hide it: there is no mask "${read}".`] : [];
      });
  });
}
