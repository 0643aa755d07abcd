import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { Role } from '#contracts/people';
import { changeRoleSchema } from '#contracts/second-factor';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import { type AdminLog, changeLog, type PersonAsAuthor } from '../audit/admin-log.ts';
import type { PeopleRepository } from '../people/people-repository.ts';
import { endWhatLacksFactor } from '../rights/needs-second-factor.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';

const rolePath = z.object({ name: z.string() });

export interface RoleDemandParts {
  readonly store: Store;
  readonly people: PeopleRepository;
  readonly clock: Clock;
  readonly adminLog: AdminLog;
}

/** `PATCH /api/roles/<name>`: an administrator says whether the people of a role need a second factor. */
export function registerRoleDemands(server: FastifyInstance, guards: Guards, parts: RoleDemandParts): void {
  server.patch('/api/roles/:name', { onRequest: guards.user.check }, async (request): Promise<Role> => {
    const by = guards.user.of(request);
    authorise(by, 'manage people');
    const { name } = parseInput(rolePath, request.params);
    const { needsSecondFactor } = parseInput(changeRoleSchema, request.body);
    const { projectId } = by.environment;
    const roles = await parts.people.listRoles(projectId);
    const role = roles.find((each) => each.name === name);
    if (!role) {
      const names = roles.map((each) => each.name);
      throw cloudError(
        'REQUEST_NOT_FOUND',
        `The project has no role "${name}".${didYouMean(nearestName(name, names))}`,
        `Name one of: ${names.join(', ')}.`,
      );
    }
    await demand(parts, { projectId, role: name, isNeeded: needsSecondFactor, author: by.author });
    return { ...role, needsSecondFactor };
  });
}

interface NewDemand {
  readonly projectId: number;
  readonly role: string;
  readonly isNeeded: boolean;
  readonly author: PersonAsAuthor;
}

function demand({ store, clock, adminLog }: RoleDemandParts, { projectId, role, isNeeded, author }: NewDemand) {
  return store.transaction(async (transaction) => {
    const { db, lock } = transaction;
    await lock(`people of project ${projectId}`);
    await endWhatLacksFactor(transaction, { projectId, author, clock, adminLog }, async () => {
      const changed = await db
        .updateTable('roles')
        .set({ needsSecondFactor: isNeeded ? 1 : 0 })
        .where((the) => the.and({ projectId, name: role, needsSecondFactor: isNeeded ? 0 : 1 }))
        .returning('id')
        .executeTakeFirst();
      if (!changed) return;
      const log = changeLog(adminLog, transaction, projectId, author);
      log({ type: isNeeded ? 'add' : 'remove', resource: 'second-factor-demand', newValue: { role, isNeeded } });
    });
  });
}
