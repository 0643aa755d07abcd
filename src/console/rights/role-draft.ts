import type { Person } from '#contracts/people';
import type { PermissionFile } from '#contracts/permission-file';
import type { RenamedRole } from '#contracts/rights';
import { extentOf, type Holder, namedCollections, rolesUnder } from './rights-draft.ts';

/**
 * The rights in which a role has another name: its rules, who may take it for a time, and the people that the rights give it to. The platform
 * does the same to the rights of other environments; the page has no code of the platform, and a test compares the two.
 */
export function withRenamedRole({ roles, people, ...rest }: PermissionFile, from: string, to: string): PermissionFile {
  const nameOf = (name: string) => (name === from ? to : name);
  return {
    ...rest,
    roles: Object.fromEntries(
      Object.entries(roles).map(([name, { elevation, ...role }]) => [
        nameOf(name),
        { ...role, ...(elevation ? { elevation: { ...elevation, by: elevation.by.map(nameOf) } } : {}) },
      ]),
    ),
    ...(people ? { people: peopleWith(people, (names) => names.map(nameOf)) } : {}),
  };
}

/** The rights without a role. Nobody takes another role by it any more, and the rights give it to nobody. */
export function withoutRole({ roles, people, ...rest }: PermissionFile, role: string): PermissionFile {
  const others = (names: readonly string[]) => names.filter((name) => name !== role);
  const kept = Object.entries(roles).filter(([name]) => name !== role);
  const left = people && peopleWith(people, others);
  return {
    ...rest,
    roles: Object.fromEntries(
      kept.map(([name, { elevation, ...own }]) => {
        const by = others(elevation?.by ?? []);
        return [name, { ...own, ...(elevation && by.length > 0 ? { elevation: { ...elevation, by } } : {}) }];
      }),
    ),
    ...(left && Object.keys(left).length > 0 ? { people: left } : {}),
  };
}

type NamedPeople = NonNullable<PermissionFile['people']>;

/** What the rights say of people, with other roles. Whoever has nothing left is not named. */
function peopleWith(people: NamedPeople, change: (names: readonly string[]) => readonly string[]): NamedPeople {
  const changed = Object.entries(people).map(([email, { role, roles, ...person }]) => {
    const [only] = role === undefined ? [] : change([role]);
    const several = roles && change(roles);
    return [
      email,
      {
        ...person,
        ...(only === undefined ? {} : { role: only }),
        ...(several && several.length > 0 ? { roles: [...several] } : {}),
      },
    ] as const;
  });
  return Object.fromEntries(changed.filter(([, person]) => Object.keys(person).length > 0));
}

/**
 * The renamings of a draft with one more. A role that has another name twice is renamed once, and one that the draft has added is not renamed.
 *
 * @param known Names of the roles of the project.
 */
export function renamedWith(
  renamed: readonly RenamedRole[],
  { from, to }: RenamedRole,
  known: readonly string[],
): readonly RenamedRole[] {
  const before = renamed.find((each) => each.to === from);
  const others = renamed.filter((each) => each !== before);
  const isOfProject = known.includes(from) && !renamed.some((each) => each.from === from);
  const first = before?.from ?? (isOfProject ? from : undefined);
  return first === undefined || first === to ? others : [...others, { from: first, to }];
}

/** Somebody, with what the project gives them. Roles have the names that the draft gives them. */
export function holderOf({ email, roles, teams }: Person, renamed: readonly RenamedRole[] = []): Holder {
  const names = (held: Person['roles']) => held.filter(({ source }) => source !== 'file').map(({ name }) => name);
  const nameNow = (name: string) => renamed.find(({ from }) => from === name)?.to ?? name;
  return { email, roles: names(roles).map(nameNow), teams: names(teams) };
}

/** The active people who have a role under the rights. */
export function peopleOf(
  document: PermissionFile,
  people: readonly Person[],
  role: string,
  renamed: readonly RenamedRole[],
): readonly Person[] {
  return people.filter((person) => person.isActive && rolesUnder(document, holderOf(person, renamed)).includes(role));
}

/** Whether no active administrator could browse any collection. The platform refuses such rights. */
export function isLockedOut(
  document: PermissionFile,
  people: readonly Person[],
  renamed: readonly RenamedRole[],
): boolean {
  const administrators = people.filter(({ isActive, level }) => isActive && level === 'admin');
  return !administrators.some((person) =>
    namedCollections(document, []).some(
      (collection) => extentOf(document, holderOf(person, renamed), collection, 'browse') !== 'none',
    ),
  );
}
