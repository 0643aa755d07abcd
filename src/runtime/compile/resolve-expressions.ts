import { DateTime } from 'luxon';
import type { ComputedField, DocumentLeaf } from '../model/compiled-model.ts';
import { checkLeaf } from '../query/check-condition.ts';
import { inCodeSpelling } from '../query/code-spelling.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import { type ConditionLeaf, type ConditionTree, isBranch } from '../query/condition-tree.ts';
import { expressionReader } from '../query/evaluate-expression.ts';
import { type Expression, expressionConditions, expressionFields, mapExpressionFields } from '../query/expression.ts';
import { expressionColumn } from '../query/expression-column.ts';
import { documentKindOf, ExpressionProblem } from '../query/expression-type.ts';
import { isListType, type Operator, operatorsOfType } from '../query/operators.ts';
import type { CollectionDraft, CollectionDrafts, ExpressionDraft, Refuse } from './collection-draft.ts';
import { type Fault, faultOf, isFault } from './compile-problem.ts';
import { createSourceFinder, type ExpressionSource } from './expression-sources.ts';
import type { RelationLookup, ResolvedImport } from './resolve-imports.ts';

/** A field of an expression, with every field that it is made of followed. */
export interface ResolvedExpression {
  /** A column where the database works it out, else a field computed by the agent. */
  readonly field: ColumnSchema | ComputedField;
  /** The same as the data source sees it; absent where the agent computes it. */
  readonly native: ColumnSchema | undefined;
  /** Given when it can be written. */
  readonly leaf: DocumentLeaf | undefined;
}

export type ResolvedExpressions = ReadonlyMap<ExpressionDraft, ResolvedExpression>;

const wholeOperators: ReadonlySet<Operator> = new Set(['Present', 'Blank', 'Missing', 'Equal', 'NotEqual']);

/** Follow the fields of all expressions, whatever the order of their declarations. What cannot be is refused. */
export function resolveExpressions(
  drafts: CollectionDrafts,
  relationOf: RelationLookup,
  imports: readonly ResolvedImport[],
  refuse: Refuse,
): ResolvedExpressions {
  const resolved = new Map<ExpressionDraft, ResolvedExpression | undefined>();
  const open: { readonly draft: ExpressionDraft; readonly name: string }[] = [];
  const sourceOf = createSourceFinder(drafts, relationOf, imports, resolve);

  function resolve(owner: CollectionDraft, draft: ExpressionDraft): ResolvedExpression | undefined {
    if (resolved.has(draft)) return resolved.get(draft);
    const name = `${owner.name}.${draft.name}`;
    const subject = `The field "${draft.name}" of "${owner.name}"`;
    const first = open.findIndex((other) => other.draft === draft);
    if (first !== -1) {
      const chain = [...open.slice(first).map((other) => other.name), name].join(' → ');
      refuse(`${subject} depends on itself: ${chain}.`, draft.declaration);
      return undefined;
    }
    open.push({ draft, name });
    const found = resolveOne(owner, draft, (path) => sourceOf(owner, path));
    open.pop();
    if (isFault(found) && found !== '') refuse(faultOf(subject, found), draft.declaration);
    const result = isFault(found) ? undefined : found;
    // A circle is said once, by the field that it was entered at.
    if (!resolved.has(draft)) resolved.set(draft, result);
    return result;
  }

  for (const owner of drafts.customized.values()) {
    for (const field of owner.declaredFields.values()) if (field.kind === 'expression') resolve(owner, field);
  }
  return new Map([...resolved].flatMap(([draft, found]) => (found ? [[draft, found] as const] : [])));
}

/** The field, or what is wrong with it; the empty text when that was said elsewhere. */
function resolveOne(
  owner: CollectionDraft,
  draft: ExpressionDraft,
  sourceOf: (path: string) => ExpressionSource | Fault,
): ResolvedExpression | Fault {
  const expression = prepared(draft);
  const sources = new Map<string, ExpressionSource>();
  for (const path of expressionFields(expression)) {
    const source = sourceOf(path);
    if (isFault(source)) return source;
    sources.set(path, source);
  }
  const columnAt = (path: string) => {
    const source = sources.get(path);
    if (!source) throw new ExpressionProblem(`reads "${path}", which it does not have.`);
    return source.column;
  };
  const leaves = expressionConditions(expression).flatMap(leavesOf);
  const problem = leaves
    .map((leaf) => conditionProblem(leaf, columnAt(leaf.field)))
    .find((found) => found !== undefined);
  if (problem !== undefined) return problem;
  try {
    const { operatorsOf = () => new Set<never>() } = owner.dataSource;
    const base = withOperatorsOf(draft.columnType, expressionColumn(draft.name, expression, columnAt, operatorsOf));
    const wanted = documentKindOf(draft.columnType);
    if (base.type !== wanted)
      return `is a ${String(base.type)}, which its column type ${wordOf(draft.columnType)} is not.`;
    const leaf = documentLeafOf(owner, draft, expression);
    if (typeof leaf === 'string') return leaf;
    const column = { ...base, ...publishedType(draft, base), isReadOnly: leaf === undefined, ...wayOf(owner, leaf) };
    const isNative =
      isExtensible(owner) &&
      [...sources.values()].every((source) => source.native !== undefined) &&
      leaves.every(({ field, operator }) => columnAt(field).operators.has(operator));
    if (!isNative) return { field: computedInAgent(draft, column, expression, columnAt), native: undefined, leaf };
    const native = mapExpressionFields(expression, (path) => sources.get(path)?.native ?? path);
    return { field: { ...column, expression: native }, native: { ...base, expression: native }, leaf };
  } catch (error) {
    if (error instanceof ExpressionProblem) return error.message;
    throw error;
  }
}

function isExtensible({ dataSource }: CollectionDraft): boolean {
  return dataSource.extendedBy !== undefined && dataSource.operatorsOf !== undefined;
}

/** Conditions in the spelling of code. A value in a document is of the type of its field, unless it says otherwise. */
function prepared({ expression, columnType }: ExpressionDraft): Expression {
  if (!('jsonPath' in expression)) return mapExpressionFields(expression, (path) => path, inCodeSpelling);
  if (expression.jsonPath.type !== undefined) return expression;
  return { jsonPath: { ...expression.jsonPath, type: columnType } };
}

/** A database knows a list in a document as a document: of its operators, those that look at the whole mean the same. */
function withOperatorsOf(type: ColumnSchema['type'], column: ColumnSchema): ColumnSchema {
  if (!isListType(type)) return column;
  return { ...column, operators: new Set([...column.operators].filter((operator) => wholeOperators.has(operator))) };
}

function publishedType({ columnType, enumValues }: ExpressionDraft, base: ColumnSchema): Partial<ColumnSchema> {
  if (columnType === base.type) return {};
  const operators = new Set([...base.operators].filter((operator) => operatorsOfType(columnType).has(operator)));
  return { type: columnType, operators, ...(enumValues ? { enumValues } : {}) };
}

function computedInAgent(
  draft: ExpressionDraft,
  column: ColumnSchema,
  expression: Expression,
  columnAt: (path: string) => ColumnSchema,
): ComputedField {
  const { expression: _expression, ...rest } = column;
  return {
    kind: 'computed',
    name: draft.name,
    column: { ...rest, isSortable: false, operators: new Set() },
    dependencies: expressionFields(expression),
    expression,
    getValues: (records, { caller }) =>
      records.map(expressionReader(expression, columnAt, DateTime.now().setZone(caller.timezone))),
  };
}

/** The agent has every operator of a type, whatever the database has. */
function conditionProblem({ field, operator, value }: ConditionLeaf, column: ColumnSchema): string | undefined {
  const operators = new Set([...column.operators, ...operatorsOfType(column.type)]);
  const problem = checkLeaf({ ...column, operators }, operator, value, 'code');
  return problem === undefined ? undefined : `has a condition on "${field}" that cannot be: ${problem}.`;
}

function leavesOf(tree: ConditionTree): ConditionLeaf[] {
  return isBranch(tree) ? tree.conditions.flatMap(leavesOf) : [tree];
}

function wordOf(type: ColumnSchema['type']): string {
  return typeof type === 'string' ? type : JSON.stringify(type);
}

/** The value in a document that an expression writes to. Where it must be writable and is not, a text says why. */
function documentLeafOf(
  owner: CollectionDraft,
  { writing }: ExpressionDraft,
  expression: Expression,
): DocumentLeaf | string | undefined {
  if (writing === 'never') return undefined;
  const leaf = leafOf(owner, expression);
  if (leaf || writing === 'where it can be') return leaf;
  return 'cannot be written: only a value in a document of the collection can, by keys only, if the document can be.';
}

/** A value in a document is written in the ways in which the document is. */
function wayOf(owner: CollectionDraft, leaf: DocumentLeaf | undefined): Pick<ColumnSchema, 'writtenBy'> {
  const document = leaf && owner.native.fields.get(leaf.column);
  return document?.kind === 'column' && document.writtenBy ? { writtenBy: document.writtenBy } : {};
}

function leafOf(owner: CollectionDraft, expression: Expression): DocumentLeaf | undefined {
  if (!('jsonPath' in expression)) return undefined;
  const { field, path } = expression.jsonPath;
  const column = owner.native.fields.get(field);
  const keys = path.filter((step) => typeof step === 'string');
  const isWritable = column?.kind === 'column' && !column.isReadOnly && keys.length === path.length;
  return isWritable ? { column: field, path: keys } : undefined;
}
