import type { QueryKind } from '#contracts/insights';
import { type ConditionTree, isBranch } from '../query/condition-tree.ts';
import type { SortClause } from '../query/record-query.ts';

/** A query as it is counted: published names only. */
export interface QueryShape {
  readonly kind: QueryKind;
  readonly collection?: string | undefined;
  /** The segment, the chart or the action. */
  readonly name?: string | undefined;
  /** Its values are left aside. */
  readonly where?: ConditionTree | undefined;
  readonly sort?: readonly SortClause[] | undefined;
  readonly isSearching?: boolean;
  /** The relation from whose record the records are reached, and the collection of that record. */
  readonly relation?: { readonly collection: string; readonly relation: string } | undefined;
  /** The fields that the request named. */
  readonly fields?: readonly string[] | undefined;
  /** The shape in words, where a plan keeps them. */
  readonly words?: string;
}

/** Longer conditions are counted together. */
const longestCondition = 300;

/** The shape in words. The words of two queries differ when the queries differ in more than values. */
export function shapeInWords({ kind, collection, name, where, sort, isSearching, relation }: QueryShape): string {
  let words: string = kind;
  if (collection !== undefined) words += ` ${word(collection)}`;
  if (name !== undefined) words += ` ${kind === 'list' || kind === 'count' ? 'in ' : ''}${word(name)}`;
  if (relation) words += ` of ${word(relation.collection)} ${word(relation.relation)}`;
  if (where) words += ` where ${conditionInWords(where)}`;
  if (isSearching) words += ' with search';
  if (sort && sort.length > 0) words += ` by ${sort.map(clauseInWords).join(', ')}`;
  return words;
}

function conditionInWords(where: ConditionTree): string {
  const words = treeInWords(where);
  return words.length <= longestCondition ? words : 'a long condition';
}

/** Conditions that say the same of other values are one. */
function treeInWords(node: ConditionTree): string {
  if (!isBranch(node)) return `${word(node.field)} ${node.operator}`;
  const parts = [
    ...new Set(node.conditions.map((part) => (isNested(part) ? `(${treeInWords(part)})` : treeInWords(part)))),
  ];
  return parts.join(node.aggregator === 'And' ? ' and ' : ' or ');
}

function isNested(node: ConditionTree): boolean {
  return isBranch(node) && node.conditions.length > 1;
}

function clauseInWords({ field, ascending }: SortClause): string {
  return ascending ? word(field) : `${word(field)} descending`;
}

/** A name, in quotes where it could be read as something else. */
function word(name: string): string {
  return /^[\w:.]+$/.test(name) ? name : JSON.stringify(name);
}
