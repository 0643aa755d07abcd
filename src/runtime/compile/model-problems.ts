import type { DeclarationOf, DeclarationOnCollection } from '../customizer/declaration.ts';
import { checkConditionTree } from '../model/check-query.ts';
import { columnOf, isValueField, type ModelView } from '../model/compiled-model.ts';
import { resolveSource } from '../model/field-path.ts';
import { checkLeaf, operatorProblem } from '../query/check-condition.ts';
import { inCodeSpelling } from '../query/code-spelling.ts';
import type { ColumnSchema, JoinPairs } from '../query/collection-schema.ts';
import { completeOperators } from '../query/operator-equivalence.ts';
import { type Operator, operatorsOfType } from '../query/operators.ts';
import type { CollectionDrafts } from './collection-draft.ts';
import { actionReferenceProblem } from './compile-action.ts';
import { type CompileProblem, faultOf, problemOf, requestFault } from './compile-problem.ts';
import { dependencyProblems } from './dependency-problems.ts';
import { sortProblems } from './sort-problems.ts';

/** The problems of declarations that can be checked only when the whole model is known. */
export function modelProblems(
  model: ModelView,
  drafts: CollectionDrafts,
  declarations: readonly DeclarationOnCollection[],
): CompileProblem[] {
  return [
    ...dependencyProblems(model, drafts, declarations),
    ...relationProblems(model, drafts),
    ...sortProblems(model, drafts, declarations),
    ...declarations.flatMap((declaration) => fieldProblem(model, declaration) ?? []),
    ...declarations.flatMap((declaration) =>
      declaration.kind === 'segment' ? (segmentProblem(model, declaration) ?? []) : [],
    ),
    ...declarations.flatMap((declaration) =>
      declaration.kind === 'action' ? (actionReferenceProblem(model, declaration) ?? []) : [],
    ),
    ...declarations.flatMap((declaration) =>
      declaration.kind === 'fields of an action' ? actionFieldProblems(model, declaration) : [],
    ),
  ];
}

/** The fields that an action of a plugin reads and that nobody can read, each with its reason. */
function actionFieldProblems(
  model: ModelView,
  declaration: DeclarationOnCollection & DeclarationOf<'fields of an action'>,
): CompileProblem[] {
  const { name, paths, collection } = declaration;
  const root = model.collections.get(collection);
  if (!root) return [];
  return paths.flatMap((path) => {
    const fault = requestFault(() => resolveSource(model, root, path));
    const subject = `The action "${name}" of "${collection}" reads "${path}":`;
    return fault === undefined ? [] : [problemOf(faultOf(subject, fault), declaration)];
  });
}

/** Declarations that are about a value, made on a relation or on a value that nobody can write. */
function fieldProblem(model: ModelView, declaration: DeclarationOnCollection): CompileProblem | undefined {
  switch (declaration.kind) {
    case 'validation':
    case 'field writing':
    case 'nullable field':
    case 'filter emulation':
    case 'operator replacement':
    case 'sort emulation':
    case 'sort replacement':
    case 'sort ban':
    case 'title':
    case 'tone':
      break;
    default:
      return undefined;
  }
  const { kind, name, collection } = declaration;
  const field = model.collections.get(collection)?.fields.get(name);
  if (!field) return undefined;
  if (!isValueField(field)) {
    return problemOf(`The ${kind} of "${name}" of "${collection}" is about a relation; name a field.`, declaration);
  }
  if (declaration.kind === 'filter emulation' && declaration.operator !== undefined) {
    const { operator } = declaration;
    const column = columnOf(field);
    const problem = operatorProblem({ ...column, operators: operatorsInAgent(column) }, operator, 'code');
    if (problem === undefined) return undefined;
    return problemOf(`"${operator}" of "${name}" of "${collection}" cannot be emulated: ${problem}.`, declaration);
  }
  const isReadOnly = field.kind === 'column' ? field.isReadOnly : field.column.isReadOnly;
  if (kind === 'validation' && isReadOnly) {
    return problemOf(`The validation of "${name}" of "${collection}" can never fail: it is read-only.`, declaration);
  }
  const problem = declaration.kind === 'validation' ? validationProblem(columnOf(field), declaration) : undefined;
  return problem === undefined
    ? undefined
    : problemOf(`The validation of "${name}" of "${collection}" cannot be met: ${problem}.`, declaration);
}

const listOperators = ['Present', 'Blank', 'Missing', 'Equal', 'NotEqual', 'IncludesAll', 'IncludesNone'] as const;
const orders = ['LessThan', 'LessThanOrEqual', 'GreaterThan', 'GreaterThanOrEqual'] as const;
const lengths = ['LongerThan', 'ShorterThan'] as const;

function validationProblem(column: ColumnSchema, { operator, value }: DeclarationOf<'validation'>): string | undefined {
  return checkLeaf({ ...column, operators: operatorsInAgent(column) }, operator, value, 'code');
}

/** The operators that the agent can check on values of the type by itself, whatever the database supports. */
function operatorsInAgent({ type }: ColumnSchema): ReadonlySet<Operator> {
  const ofType = typeof type === 'string' ? operatorsOfType(type) : listOperators;
  const more = type === 'String' ? (['Match', ...orders] as const) : type === 'Binary' ? lengths : [];
  return completeOperators(new Set<Operator>([...ofType, ...more]), type);
}

/** The reason why a segment cannot work, as far as it is known before a request. */
function segmentProblem(model: ModelView, declaration: DeclarationOf<'segment'>): CompileProblem | undefined {
  const { name, definition } = declaration;
  const collection = model.collections.get(declaration.collection);
  if (!collection || typeof definition === 'function') return undefined;
  const fault = requestFault(() => checkConditionTree(model, collection, inCodeSpelling(definition)));
  if (fault === undefined) return undefined;
  return problemOf(faultOf(`The segment "${name}" of "${collection.name}":`, fault), declaration);
}

/** Declared relations whose keys can never be equal, or cannot be looked for. */
function relationProblems(model: ModelView, drafts: CollectionDrafts): CompileProblem[] {
  const problems: CompileProblem[] = [];
  for (const draft of drafts.customized.values()) {
    for (const declared of draft.declaredFields.values()) {
      const relation = model.collections.get(draft.name)?.fields.get(declared.name);
      if (declared.kind !== 'declared relation' || !relation || isValueField(relation)) continue;
      const { foreignCollection: foreign } = relation;
      const found =
        relation.kind === 'ManyToMany'
          ? (keyProblem(model, draft.name, relation.originJoin, relation.throughCollection) ??
            keyProblem(model, relation.throughCollection, relation.foreignJoin, foreign))
          : keyProblem(model, draft.name, relation.join, foreign);
      if (found === undefined) continue;
      const subject = `The relation "${relation.name}" of "${draft.name}"`;
      problems.push(problemOf(`${subject} cannot be followed: ${found}`, declared.declaration));
    }
  }
  return problems;
}

function keyProblem(model: ModelView, local: string, pairs: JoinPairs, foreign: string): string | undefined {
  for (const pair of pairs) {
    const here = keyColumn(model, local, pair.local);
    const there = keyColumn(model, foreign, pair.foreign);
    // Whatever kept a key from being made has been refused already.
    if (!here || !there) continue;
    if (JSON.stringify(here.type) !== JSON.stringify(there.type)) {
      return `"${local}.${pair.local}" is ${typeText(here.type)} and "${foreign}.${pair.foreign}" is ${typeText(there.type)}.`;
    }
    for (const [owner, column] of [
      [local, here],
      [foreign, there],
    ] as const) {
      if (column.operators.has('In')) continue;
      return `"${owner}.${column.name}" cannot be filtered with "In"; emulate or replace that operator.`;
    }
  }
  return undefined;
}

function keyColumn(model: ModelView, collection: string, name: string) {
  const field = model.collections.get(collection)?.fields.get(name);
  return field && isValueField(field) ? columnOf(field) : undefined;
}

function typeText(type: unknown): string {
  return typeof type === 'string' ? type : JSON.stringify(type);
}
