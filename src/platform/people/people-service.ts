import type { ChangePerson, PeopleHistory, Person } from '#contracts/people';
import { cloudError } from '#kernel/errors/cloud-error';
import { fullNameOf } from '#kernel/text/full-name';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { authorise } from '../access/authorise.ts';
import type { SignedInUser } from '../access/guards.ts';
import type { HistoryPage, ListPeopleHistory, PersonRecord } from './people-history.ts';
import { noSuchMember, type PeopleRepository } from './people-repository.ts';

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
    change: async (by, userId, { level, role, team, isActive, allowLockout }) => {
      authorise(by, 'manage people');
      const { projectId } = by.environment;
      const roleId = role === undefined ? undefined : await roleIdOf(people, projectId, role);
      const changed = await people.change(
        projectId,
        userId,
        { permissionLevel: level, roleId, team, isActive, allowLockout },
        by.author,
      );
      if (changed) return personOf(changed);
      throw noSuchMember(userId);
    },
    history: async (by, page) => {
      authorise(by, 'manage people');
      return listHistory(by.environment.projectId, page);
    },
  };
}

/** Rejects with `REQUEST_INVALID` for a role that the project does not have. */
export async function roleIdOf(people: PeopleRepository, projectId: number, name: string): Promise<number> {
  const roles = await people.listRoles(projectId);
  const found = roles.find((role) => role.name === name);
  if (found) return found.id;
  const names = roles.map((role) => role.name);
  throw cloudError(
    'REQUEST_INVALID',
    `The project has no role "${name}".${didYouMean(nearestName(name, names))}`,
    `Name one of: ${names.join(', ')}.`,
  );
}

function personOf(record: PersonRecord): Person {
  const { id, email, permissionLevel, roleName, team, deactivatedAt } = record;
  const name = fullNameOf(record);
  return { id, name, email, level: permissionLevel, role: roleName, team, isActive: deactivatedAt === null };
}
