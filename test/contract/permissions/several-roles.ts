import fc from 'fast-check';
import type { RecordData } from '#runtime/query/record-query';
import { type Access, type Accesses, changedUnseen, columns, hiddenTwin, isFiltered, ruleOf } from './field-oracle.ts';
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
  /** The records that it has its rights on. */
  readonly kept: ScopesByName;
}

const rightNames = ['browse', 'read', 'export', 'add', 'edit', 'delete'] as const;

/** Half of the fields of each role are closed in some way: another role may open them. */
const access = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Access>('open') },
  { weight: 4, arbitrary: fc.constant<Access>('hidden') },
  { weight: 3, arbitrary: fc.constantFrom<Access>('last4', 'email', 'present') },
  { weight: 3, arbitrary: fc.constantFrom<Access>('unfiltered', 'unwritten') },
);

function accessesWith(drawn: fc.Arbitrary<Access>): fc.Arbitrary<Accesses> {
  return fc.record(
    Object.fromEntries(
      names.map((name) => [name, fc.record(Object.fromEntries(columns[name].map((column) => [column, drawn])))]),
    ) as Record<Name, fc.Arbitrary<Record<string, Access>>>,
  );
}

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

const noScopes: fc.Arbitrary<ScopesByName> = fc.constant({ customers: null, orders: null, lines: null });

/** Half of the roles have their rights on all records, so that most requests find some. */
const scopesOfRole: fc.Arbitrary<ScopesByName> = fc.record({
  customers: fc.oneof(fc.constant(null), scopeOn('city', ['Paris', 'Lyon'])),
  orders: fc.oneof(fc.constant(null), scopeOn('status', ['paid', 'open'])),
  lines: fc.oneof(fc.constant(null), fc.constant(null), scopeOn('sku', ['red', 'blue'])),
});

function scopeOn(column: string, values: readonly string[]) {
  return fc.constantFrom(...values).map((value) => ({ column, value }));
}

/** Together, the roles may do everything with the collections. Each right is with some of them, and whoever edits may look. */
const personWith = (kept: fc.Arbitrary<ScopesByName>, closed: fc.Arbitrary<Accesses>): fc.Arbitrary<Person> =>
  fc.record({
    roles: fc
      .array(fc.tuple(drawnRights, closed, kept), { minLength: 2, maxLength: 3 })
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
        drawn.map(([rights, own, scopes], index) => ({
          of: completed(rights, (name) => holder[name] === index),
          accesses: own,
          kept: scopes,
        })),
      ),
    teams: fc.array(scopesOfTeam, { minLength: 1, maxLength: 3 }),
  });

export const personArbitrary = personWith(noScopes, accessesWith(access));

/** Each role has its rights on records of its own. A field is closed by any of them, so fewer are. */
export const scopedPersonArbitrary = personWith(
  scopesOfRole,
  accessesWith(fc.oneof({ weight: 3, arbitrary: fc.constant<Access>('open') }, { weight: 1, arbitrary: access })),
);

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
  const [first, ...further] = roles.map(({ of, accesses: own, kept }) => ({ of, fields: rulesOf(own), kept }));
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

type Looks = (role: Role) => boolean;

const looksAt =
  (name: Name): Looks =>
  ({ of }) =>
    of[name].browse || of[name].read;

/** Of roles that show the same records, one is enough. Roles that show different ones have to open a field each. */
function togetherAccess(roles: readonly Role[], name: Name, column: string): Access {
  const wordOf = (role: Role) => role.accesses[name][column] ?? 'open';
  const groups = [...Map.groupBy(roles, ({ kept }) => JSON.stringify(kept[name])).values()];
  if (groups.length === 1)
    return opened(
      roles.filter(looksAt(name)).map((role) => [wordOf(role)]),
      isWrittenBy(roles),
    );
  const everywhere = roles.filter(({ kept }) => kept[name] === null);
  const ofEach = groups.map((group) => (group.some(looksAt(name)) ? group.filter(looksAt(name)) : group).map(wordOf));
  const ways = [...everywhere.filter(looksAt(name)).map((role) => [wordOf(role)]), ...oneOfEach(ofEach)];
  return opened(ways, isWrittenBy(everywhere) || groups.every(isWrittenIn));

  function isWrittenBy(some: readonly Role[]): boolean {
    return some.filter(({ of }) => of[name].edit).some((role) => isWritable(wordOf(role)));
  }
  /** Roles that write nothing close nothing to those that do, unless they do not show the value as it is. */
  function isWrittenIn(group: readonly Role[]): boolean {
    if (group.some(({ of }) => of[name].edit)) return isWrittenBy(group);
    const isMade = group.some(({ of }) => of[name].add);
    return group.map(wordOf).some(isMade ? isWritable : isPlain);
  }
}

function oneOfEach(groups: readonly (readonly Access[])[]): readonly (readonly Access[])[] {
  return groups.reduce<readonly (readonly Access[])[]>(
    (found, words) => found.flatMap((chosen) => words.map((word) => [...chosen, word])),
    [[]],
  );
}

/** @param ways in which the field is shown; all words of one count together. */
function opened(ways: readonly (readonly Access[])[], isWritten: boolean): Access {
  if (!ways.some((words) => words.every(isPlain))) {
    const masked = ways.map((words) => [...new Set(words.filter((word) => !isPlain(word)))]);
    return masked.find((words) => words.length === 1 && words[0] !== 'hidden')?.[0] ?? 'hidden';
  }
  if (ways.some((words) => words.every(isFiltered))) return isWritten ? 'open' : 'unwritten';
  return isWritten ? 'unfiltered' : 'shown';
}

const isPlain = (word: Access) => word === 'open' || word === 'unfiltered' || word === 'unwritten';
const isWritable = (word: Access) => word === 'open' || word === 'unfiltered';

/**
 * The shop with other values wherever the person sees none: in records that no team and no looking role shows, and in fields that no role
 * opens which shows the record.
 */
export function unseenByPerson({ roles, teams }: Person): Shop {
  const scopes = [...teams, ...roles.map(({ kept }) => kept)];
  const isScoped = (name: Name, column: string) => scopes.some((scope) => scope[name]?.column === column);
  const changed = changedUnseen(togetherAccesses({ roles }), isScoped);
  const twinFor = (name: Name, record: RecordData): RecordData => {
    const showing = showingRoles(roles, name, record);
    if (!isShownTo({ roles, teams }, name, record)) return otherRecord(name, record, isScoped);
    const closed = columns[name].filter(
      (column) => !isScoped(name, column) && showing.every(({ accesses: own }) => own[name][column] === 'hidden'),
    );
    return { ...record, ...Object.fromEntries(closed.map((column) => [column, hiddenTwin(record[column], column)])) };
  };
  const all = names.map((name) => [name, changed[name].map((record) => twinFor(name, record))]);
  return Object.fromEntries(all) as Shop;
}

function isIn(scope: ScopesByName, name: Name, record: RecordData): boolean {
  const condition = scope[name];
  return condition === null || record[condition.column] === condition.value;
}

function showingRoles(roles: readonly Role[], name: Name, record: RecordData): readonly Role[] {
  return roles.filter((role) => looksAt(name)(role) && isIn(role.kept, name, record));
}

/** Whether a role and a team of the person show the record. */
export function isShownTo({ roles, teams }: Person, name: Name, record: RecordData): boolean {
  return showingRoles(roles, name, record).length > 0 && teams.some((team) => isIn(team, name, record));
}

function otherRecord(name: Name, record: RecordData, isScoped: (name: Name, column: string) => boolean): RecordData {
  const others = columns[name]
    .filter((column) => !isScoped(name, column) && !column.endsWith('_id'))
    .map((column) => [column, hiddenTwin(record[column], column)]);
  return { ...record, ...Object.fromEntries(others) };
}
