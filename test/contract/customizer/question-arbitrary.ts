import fc, { type Arbitrary } from 'fast-check';
import { type CompiledCollection, type CompiledModel, columnOf, isValueField } from '#runtime/model/compiled-model';
import type { ColumnSchema } from '#runtime/query/collection-schema';
import type { ConditionTree } from '#runtime/query/condition-tree';
import type { Operator } from '#runtime/query/operators';
import { nestCondition } from '#runtime/query/record-path';
import type { Page, SortClause } from '#runtime/query/record-query';
import { relationsOf } from './linked-records.ts';
import { houses } from './warehouse.ts';

export interface Question {
  readonly collection: string;
  readonly where: ConditionTree | undefined;
  readonly sort: readonly SortClause[];
  readonly page: Page | undefined;
  /** Paths through relations to one record. */
  readonly projection: readonly string[];
  /** The same, for a count of its own of all that are found. */
  readonly groups: readonly string[];
}

/** How many relations a path goes through at most. */
const deepestPath = 3;
const askedTypes: readonly unknown[] = ['String', 'Number', 'Boolean', 'Uuid'];

/** What to filter, sort, read and group one of the collections by, on any path that the model has. */
export function questionOn(model: CompiledModel): Arbitrary<Question> {
  return fc.constantFrom(...model.collections.values()).chain((collection) =>
    fc.record({
      collection: fc.constant(collection.name),
      where: fc.option(treeOn(model, collection, deepestPath, 2), { nil: undefined }),
      sort: fc
        .uniqueArray(
          pathOn(model, collection, deepestPath, ({ isSortable }) => isSortable),
          { minLength: 1, maxLength: 2 },
        )
        .chain((fields) =>
          fc.tuple(...fields.map((field) => fc.boolean().map((ascending): SortClause => ({ field, ascending })))),
        ),
      page: fc.option(fc.record({ skip: fc.nat(2), limit: fc.integer({ min: 1, max: 3 }) }), { nil: undefined }),
      projection: fc.uniqueArray(pathOn(model, collection, deepestPath), { minLength: 1, maxLength: 3 }),
      groups: fc.uniqueArray(
        pathOn(model, collection, deepestPath, ({ isGroupable }) => isGroupable),
        { maxLength: 2 },
      ),
    }),
  );
}

/** Conditions on fields, on what a relation leads to, and branches of them. */
function treeOn(
  model: CompiledModel,
  collection: CompiledCollection,
  relations: number,
  branches: number,
): Arbitrary<ConditionTree> {
  const nested = relationsOf(collection).map((relation) =>
    fc
      .constant(relation)
      .chain(({ name, foreignCollection }) =>
        treeOn(model, collectionOf(model, foreignCollection), relations - 1, branches).map((tree) =>
          nestCondition(tree, name),
        ),
      ),
  );
  const leaf = fc.constantFrom(...columnsOf(collection)).chain(conditionOn);
  const branch = () =>
    fc.record({
      aggregator: fc.constantFrom('And', 'Or'),
      conditions: fc.array(treeOn(model, collection, relations, branches - 1), { minLength: 1, maxLength: 3 }),
    }) as Arbitrary<ConditionTree>;
  return fc.oneof(
    { weight: 2, arbitrary: leaf },
    ...(relations > 0 && nested.length > 0 ? [{ weight: 4, arbitrary: fc.oneof(...nested) }] : []),
    ...(branches > 0 ? [{ weight: 2, arbitrary: fc.constant(undefined).chain(branch) }] : []),
  );
}

function conditionOn(column: ColumnSchema): Arbitrary<ConditionTree> {
  const operators = [...column.operators].filter((operator) => operator !== 'Match');
  // A computed field may have none.
  if (operators.length === 0) return fc.constant({ aggregator: 'And', conditions: [] });
  return fc
    .constantFrom(...operators)
    .chain((operator) =>
      valueFor(column.type, operator).map(
        (value): ConditionTree =>
          value === undefined ? { field: column.name, operator } : { field: column.name, operator, value },
      ),
    );
}

/** A field, perhaps behind relations to one record. */
function pathOn(
  model: CompiledModel,
  collection: CompiledCollection,
  relations: number,
  isMeant: (column: ColumnSchema) => boolean = () => true,
): Arbitrary<string> {
  const own = fc.constantFrom(...columnsOf(collection).filter(isMeant)).map(({ name }) => name);
  const toOne = relationsOf(collection).filter(({ kind }) => kind === 'ManyToOne' || kind === 'OneToOne');
  if (relations === 0 || toOne.length === 0) return own;
  const nested = fc
    .constantFrom(...toOne)
    .chain(({ name, foreignCollection }) =>
      pathOn(model, collectionOf(model, foreignCollection), relations - 1, isMeant).map((path) => `${name}:${path}`),
    );
  return fc.oneof(own, nested);
}

function columnsOf({ fields }: CompiledCollection): readonly ColumnSchema[] {
  const values = [...fields.values()].filter(isValueField);
  return values
    .map((field) => ({ ...columnOf(field), name: field.name }))
    .filter(({ type }) => askedTypes.includes(type));
}

export function collectionOf({ collections }: CompiledModel, name: string): CompiledCollection {
  const found = collections.get(name);
  if (!found) throw new Error(`There is no collection "${name}".`);
  return found;
}

const texts = ['open', 'paid', 'open!', 'p', 'Paris', 'A', 'B', '', '+33', 'o%'];
const numbers = [0, 1, 2, 3, 10, 1050, 2000];

/** A value that an operator takes on a type; `undefined` where it takes none. */
function valueFor(type: unknown, operator: Operator): Arbitrary<unknown> {
  const scalar: Arbitrary<unknown> =
    type === 'Boolean'
      ? fc.boolean()
      : fc.constantFrom<unknown>(...(type === 'Number' ? numbers : type === 'Uuid' ? houses : texts));
  switch (operator) {
    case 'In':
    case 'NotIn':
    case 'IncludesAll':
    case 'IncludesNone':
      return fc.array(scalar, { maxLength: 3 });
    case 'Present':
    case 'Missing':
    case 'Blank':
      return fc.constant(undefined);
    case 'LongerThan':
    case 'ShorterThan':
      return fc.integer({ min: 0, max: 6 });
    default:
      return scalar;
  }
}
