import type { ChangePerson, PeopleHistory, Person } from '#contracts/people';
import { cloudError } from '#kernel/errors/cloud-error';
import { fullNameOf } from '#kernel/text/full-name';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { authorise } from '../access/authorise.ts';
import type { SignedInUser } from '../access/guards.ts';
import { furtherInProject } from '../rights/place-of-person.ts';
import type { HistoryPage, ListPeopleHistory, PersonRecord } from './people-history.ts';
import { type GivenRole, noSuchMember, type PeopleRepository } from './people-repository.ts';

/** The members of a project. Everything asks for the right to manage people. */
export interface PeopleService {
  list(by: SignedInUser): Promise<Person[]>;
  /** Rejects with `REQUEST_NOT_FOUND`, `REQUEST_CONFLICT` for the last active administrator, or `REQUEST_INVALID`. */
  change(by: SignedInUser, userId: number, change: ChangePerson): Promise<Person>;
  history(by: SignedInUser, page: HistoryPage): Promise<PeopleHistory>;
}

export function createPeopleService(people: PeopleRepository, listHistory: ListPeopleHistory): PeopleService {
  return {
    list: async (by) => {
      authorise(by, 'manage people');
      return (await people.list(by.environment.projectId)).map(personOf);
    },
    change: async (by, userId, { level, isActive, allowLockout, ...named }) => {
      authorise(by, 'manage people');
      const { projectId } = by.environment;
      const roles = severalOf(named.role, named.roles);
      const change = {
        ...{ permissionLevel: level, isActive, allowLockout },
        roles: roles && (await rolesNamed(people, projectId, roles)),
        teams: severalOf(named.team, named.teams),
      };
      const changed = await people.change(projectId, userId, change, by.author);
      if (changed) return personOf(changed);
      throw noSuchMember(userId);
    },
    history: async (by, page) => {
      authorise(by, 'manage people');
      return listHistory(by.environment.projectId, page);
    },
  };
}

/** The names where one or several may be given. */
export function severalOf(
  one: string | null | undefined,
  several: readonly string[] | undefined,
): readonly string[] | undefined {
  return several ?? (one === undefined || one === null ? undefined : [one]);
}

/** Rejects with `REQUEST_INVALID` for a role that the project does not have. */
export async function rolesNamed(
  people: PeopleRepository,
  projectId: number,
  wanted: readonly string[],
): Promise<readonly GivenRole[]> {
  const roles = await people.listRoles(projectId);
  const names = roles.map((role) => role.name);
  return wanted.map((name) => {
    const found = roles.find((role) => role.name === name);
    if (found) return { id: found.id, name };
    throw cloudError(
      'REQUEST_INVALID',
      `The project has no role "${name}".${didYouMean(nearestName(name, names))}`,
      `Name one of: ${names.join(', ')}.`,
    );
  });
}

function personOf(record: PersonRecord): Person {
  const { id, email, permissionLevel, roleName, team, deactivatedAt, further } = record;
  return {
    ...{ id, name: fullNameOf(record), email, level: permissionLevel, role: roleName, team },
    roles: [{ name: roleName, source: 'given' }, ...furtherInProject(further, 'role')],
    teams: [{ name: team, source: 'given' }, ...furtherInProject(further, 'team')],
    isActive: deactivatedAt === null,
  };
}
