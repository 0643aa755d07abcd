import fc, { type Arbitrary } from 'fast-check';
import type { Agent } from '#runtime/customizer/agent';
import type { Operator } from '#runtime/query/operators';

/** A customization, and the paths from `orders` that it makes readable. */
interface Customization {
  readonly name: string;
  readonly apply: (agent: Agent) => unknown;
  readonly paths: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;

const textOf = (dependency: string, make: (value: unknown) => string | null) => ({
  columnType: 'String' as const,
  dependencies: [dependency],
  getValues: (records: readonly Row[]) => records.map((record) => make(record[dependency])),
});

const customizations: readonly Customization[] = [
  {
    name: 'computed text, wholly emulated',
    paths: ['shout'],
    apply: (agent) =>
      agent.customizeCollection('orders', (on) =>
        on
          .addField(
            'shout',
            textOf('status', (status) => (status === null ? null : `${status}!`)),
          )
          .emulateFieldFiltering('shout')
          .emulateFieldSorting('shout'),
      ),
  },
  {
    name: 'computed number, two operators emulated',
    paths: ['cents'],
    apply: (agent) =>
      agent.customizeCollection('orders', (on) =>
        on
          .addField('cents', {
            columnType: 'Number',
            dependencies: ['total'],
            getValues: (records) =>
              records.map(({ total }) => (total === null ? null : Math.round(Number(total) * 100))),
          })
          .emulateFieldOperator('cents', 'Equal')
          .emulateFieldOperator('cents', 'GreaterThan')
          .replaceFieldSorting('cents', [{ field: 'total', ascending: true }]),
      ),
  },
  {
    name: 'import through a relation of the database',
    paths: ['customerCity', 'customer:city'],
    apply: (agent) =>
      agent.customizeCollection('orders', (on) => on.importField('customerCity', { path: 'customer:city' })),
  },
  {
    name: 'declared relation in one database, and an import through it',
    paths: ['seller:name', 'sellerVip'],
    apply: (agent) =>
      agent.customizeCollection('orders', (on) =>
        on
          .addManyToOneRelation('seller', 'customers', { foreignKey: 'seller_id' })
          .importField('sellerVip', { path: 'seller:vip' }),
      ),
  },
  {
    name: 'relation between two data sources, and an import through it',
    paths: ['customer:contact:level', 'customer:contact:phone', 'contactLevel'],
    apply: (agent) =>
      agent
        .customizeCollection('customers', (on) =>
          on.addOneToOneRelation('contact', 'contacts', { originKey: 'customer_id' }),
        )
        .customizeCollection('orders', (on) => on.importField('contactLevel', { path: 'customer:contact:level' })),
  },
  {
    name: 'computed field of a related collection, wholly emulated',
    paths: ['customer:initial'],
    apply: (agent) =>
      agent.customizeCollection('customers', (on) =>
        on
          .addField(
            'initial',
            textOf('name', (name) => String(name).slice(0, 1)),
          )
          .emulateFieldFiltering('initial')
          .emulateFieldSorting('initial'),
      ),
  },
  {
    name: 'replaced operator that says the same',
    paths: ['status'],
    apply: (agent) =>
      agent.customizeCollection('orders', (on) =>
        on.replaceFieldOperator('status', 'StartsWith', (value) => ({
          aggregator: 'And',
          conditions: [
            { field: 'status', operator: 'Present' },
            { field: 'status', operator: 'Like', value: `${String(value).replaceAll(/[%_\\]/g, '\\$&')}%` },
          ],
        })),
      ),
  },
];

export interface Stack {
  readonly names: readonly string[];
  readonly paths: readonly string[];
  apply(agent: Agent): void;
}

/** Some of the customizations, in any order. */
export const stack: Arbitrary<Stack> = fc.shuffledSubarray([...customizations], { minLength: 1 }).map(
  (chosen): Stack => ({
    names: chosen.map(({ name }) => name),
    paths: [...new Set(['id', 'status', 'total', 'customer:name', ...chosen.flatMap(({ paths }) => paths)])],
    apply: (agent) => {
      for (const { apply } of chosen) apply(agent);
    },
  }),
);

const texts = ['open', 'paid', 'open!', 'p', 'Paris', 'A', 'B', '', '+33', 'o%'];
const numbers = [0, 1, 2, 3, 10, 1050, 2000];

/** A value that an operator takes on a type; `undefined` where it takes none. */
export function valueFor(type: unknown, operator: Operator): Arbitrary<unknown> {
  const scalar: Arbitrary<unknown> =
    type === 'Boolean' ? fc.boolean() : type === 'Number' ? fc.constantFrom(...numbers) : fc.constantFrom(...texts);
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
