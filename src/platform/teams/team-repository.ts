import { firstTeam } from '#contracts/permission-file';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { type AdminLog, changeLog, type PersonAsAuthor } from '../audit/admin-log.ts';
import type { Store } from '../store/store.ts';
import { namedInRights } from './named-in-rights.ts';
import { addTeams, listTeams, removeUnusedTeams } from './teams.ts';

/** The teams of projects, as people create and remove them by name. */
export interface TeamRepository {
  /** By name. */
  list(projectId: number): Promise<readonly ListedTeam[]>;
  /** Rejects with `REQUEST_CONFLICT` where there is a team of that name, or no environment that could have it. */
  create(projectId: number, name: string, author: PersonAsAuthor): Promise<ListedTeam>;
  /** Rejects with `REQUEST_NOT_FOUND`, or with `REQUEST_CONFLICT` for a team that is in use. */
  remove(projectId: number, name: string, author: PersonAsAuthor): Promise<void>;
}

interface ListedTeam {
  readonly name: string;
  /** Active members. */
  readonly people: number;
  readonly isKept: boolean;
}

export function createTeamRepository(store: Store, adminLog: AdminLog): TeamRepository {
  const list = async (db: Store['db'], projectId: number): Promise<readonly ListedTeam[]> => {
    const kept = await db.selectFrom('keptTeams').select('name').where('projectId', '=', projectId).execute();
    const isKept = new Set(kept.map(({ name }) => name));
    return (await listTeams(db, projectId)).map((team) => ({ ...team, isKept: isKept.has(team.name) }));
  };
  return {
    list: (projectId) => list(store.db, projectId),
    create: (projectId, name, author) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        await lock(`people of project ${projectId}`);
        if ((await list(db, projectId)).some((team) => team.name === name)) throw conflict(isThere(name));
        await addTeams(db, projectId, [name], changeLog(adminLog, transaction, projectId, author));
        await db.insertInto('keptTeams').values({ projectId, name }).execute();
        const made = (await list(db, projectId)).find((team) => team.name === name);
        if (made) return made;
        throw conflict(noEnvironment);
      }),
    remove: (projectId, name, author) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        await lock(`people of project ${projectId}`);
        const names = (await listTeams(db, projectId)).map((team) => team.name);
        if (!names.includes(name)) throw noSuchTeam(name, names);
        await db
          .deleteFrom('keptTeams')
          .where((the) => the.and({ projectId, name }))
          .execute();
        await removeUnusedTeams(db, projectId, changeLog(adminLog, transaction, projectId, author));
        const isLeft = (await listTeams(db, projectId)).some((team) => team.name === name);
        if (isLeft) throw conflict(await whyUsed(db, projectId, name));
      }),
  };
}

type Problem = readonly [message: string, nextStep: string];

function isThere(name: string): Problem {
  return [`The project has a team "${name}" already.`, 'List the teams: vendor-cloud teams list, or GET /api/teams.'];
}

const noEnvironment: Problem = [
  'The project has no environment yet, and a team is in environments.',
  'Make an environment with POST /api/environments.',
];

async function whyUsed(db: Store['db'], projectId: number, name: string): Promise<Problem> {
  if (name === firstTeam) return [`Every project keeps the team "${name}".`, 'Leave it: nobody has to belong to it.'];
  if ((await namedInRights(db, projectId)).teams.has(name))
    return [`The rights of an environment name the team "${name}".`, 'Take it out of the rights first.'];
  return [
    `Somebody belongs or is invited to the team "${name}", perhaps a member who is deactivated.`,
    'Give them another team first: PATCH /api/people/<id> {"team": "…"}. Or revoke the invitation.',
  ];
}

function conflict([message, nextStep]: Problem): CloudError {
  return cloudError('REQUEST_CONFLICT', message, nextStep);
}

function noSuchTeam(name: string, names: readonly string[]): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `The project has no team "${name}".${didYouMean(nearestName(name, names))}`,
    `Name one of: ${names.join(', ')}.`,
  );
}
