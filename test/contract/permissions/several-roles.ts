import fc from 'fast-check';
import type { RecordData } from '#runtime/query/record-query';
import { type Access, type Accesses, changedUnseen, columns, hiddenTwin, ruleOf } from './field-oracle.ts';
import type { Rights, RoleRights, ScopesByName } from './rights.ts';
import { type Name, names, type Shop } from './shop-data.ts';

/** Somebody with several roles, each with its own rights on collections and fields, and with several teams. */
export interface Person {
  readonly roles: readonly Role[];
  readonly teams: readonly ScopesByName[];
}

interface Role {
  readonly of: RoleRights['of'];
  readonly accesses: Accesses;
}

const rightNames = ['browse', 'read', 'export', 'add', 'edit', 'delete'] as const;

/** Half of the fields of each role are closed in some way: another role may open them. */
const access = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Access>('open') },
  { weight: 4, arbitrary: fc.constant<Access>('hidden') },
  { weight: 3, arbitrary: fc.constantFrom<Access>('last4', 'email', 'present') },
  { weight: 3, arbitrary: fc.constantFrom<Access>('unfiltered', 'unwritten') },
);

const accesses: fc.Arbitrary<Accesses> = fc.record(
  Object.fromEntries(
    names.map((name) => [name, fc.record(Object.fromEntries(columns[name].map((column) => [column, access])))]),
  ) as Record<Name, fc.Arbitrary<Record<string, Access>>>,
);

const drawnRights = fc.record(
  Object.fromEntries(
    names.map((name) => [
      name,
      fc.record(
        Object.fromEntries(rightNames.map((right) => [right, fc.boolean()])) as Record<string, fc.Arbitrary<boolean>>,
      ),
    ]),
  ) as Record<Name, fc.Arbitrary<Record<string, boolean>>>,
);

const scopesOfTeam: fc.Arbitrary<ScopesByName> = fc.record({
  customers: fc.constantFrom(null, { column: 'city', value: 'Paris' }, { column: 'city', value: 'Lyon' }),
  orders: fc.constantFrom(null, { column: 'status', value: 'paid' }, { column: 'total', value: 10 }),
  lines: fc.constant(null),
});

/** Together, the roles may do everything with the collections. Each right is with some of them, and whoever edits may look. */
export const personArbitrary: fc.Arbitrary<Person> = fc.record({
  roles: fc
    .array(fc.tuple(drawnRights, accesses), { minLength: 2, maxLength: 3 })
    .chain((drawn) =>
      fc.record({
        drawn: fc.constant(drawn),
        holder: fc.record(
          Object.fromEntries(names.map((name) => [name, fc.nat({ max: drawn.length - 1 })])) as Record<
            Name,
            fc.Arbitrary<number>
          >,
        ),
      }),
    )
    .map(({ drawn, holder }) =>
      drawn.map(([rights, own], index) => ({ of: completed(rights, (name) => holder[name] === index), accesses: own })),
    ),
  teams: fc.array(scopesOfTeam, { minLength: 1, maxLength: 3 }),
});

/** One role holds whatever no other may hold, so that no request fails for a right on a collection. */
function completed(
  drawn: Readonly<Record<Name, Readonly<Record<string, boolean>>>>,
  isHolder: (name: Name) => boolean,
): RoleRights['of'] {
  const of = names.map((name) => {
    const rights = rightNames.map((right) => [right, isHolder(name) || drawn[name][right] === true] as const);
    const own = Object.fromEntries(rights);
    return [name, { ...own, edit: own['edit'] && (own['browse'] || own['read']) }];
  });
  return Object.fromEntries(of) as RoleRights['of'];
}

/** The rights of a person as the documents have them. */
export function rightsOfPerson({ roles, teams }: Person): Rights {
  const [first, ...further] = roles.map(({ of, accesses: own }) => ({ of, fields: rulesOf(own) }));
  const [scopes, ...furtherTeams] = teams;
  if (!first || !scopes) throw new TypeError('A person has a role and a team.');
  return { ...first, scopes, furtherRoles: further, furtherTeams };
}

function rulesOf(own: Accesses): RoleRights['fields'] & object {
  const rules = names.map((name) => [
    name,
    Object.fromEntries(Object.entries(own[name]).map(([column, word]) => [column, ruleOf[word]])),
  ]);
  return Object.fromEntries(rules) as RoleRights['fields'] & object;
}

/** What several roles together may do with each column, said as one role would have it. */
export function togetherAccesses({ roles }: Pick<Person, 'roles'>): Accesses {
  const together = names.map((name) => [
    name,
    Object.fromEntries(columns[name].map((column) => [column, togetherAccess(roles, name, column)])),
  ]);
  return Object.fromEntries(together) as Accesses;
}

function togetherAccess(roles: readonly Role[], name: Name, column: string): Access {
  const wordOf = (role: Role) => role.accesses[name][column] ?? 'open';
  const looking = roles.filter(({ of }) => of[name].browse || of[name].read).map(wordOf);
  const changing = roles.filter(({ of }) => of[name].edit).map(wordOf);
  const isPlain = looking.some((word) => word === 'open' || word === 'unfiltered' || word === 'unwritten');
  const isFiltered = looking.some((word) => word === 'open' || word === 'unwritten');
  const isWritten = changing.some((word) => word === 'open' || word === 'unfiltered');
  if (!isPlain) return looking.find((word) => word !== 'hidden') ?? 'hidden';
  if (isFiltered) return isWritten ? 'open' : 'unwritten';
  return isWritten ? 'unfiltered' : 'shown';
}

/** The shop with other values wherever the person sees none: in fields that no role opens, and in records that no team shows. */
export function unseenByPerson({ roles, teams }: Person): Shop {
  const isScoped = (name: Name, column: string) => teams.some((team) => team[name]?.column === column);
  const changed = changedUnseen(togetherAccesses({ roles }), isScoped);
  const isShown = (name: Name, record: RecordData) =>
    teams.some((team) => {
      const scope = team[name];
      return scope === null || record[scope.column] === scope.value;
    });
  const all = names.map((name) => [
    name,
    changed[name].map((record) => (isShown(name, record) ? record : otherRecord(name, record, isScoped))),
  ]);
  return Object.fromEntries(all) as Shop;
}

function otherRecord(name: Name, record: RecordData, isScoped: (name: Name, column: string) => boolean): RecordData {
  const others = columns[name]
    .filter((column) => !isScoped(name, column) && !column.endsWith('_id'))
    .map((column) => [column, hiddenTwin(record[column], column)]);
  return { ...record, ...Object.fromEntries(others) };
}
