import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { type Impersonation, impersonationMinutes, startImpersonationSchema } from '#contracts/impersonations';
import { cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';
import { authorise, deedsOf } from '../access/authorise.ts';
import type { FindImpersonation, Guards, SignedInUser } from '../access/guards.ts';
import { type AdminLog, auditUserOf } from '../audit/admin-log.ts';
import type { IdentityRepository, MemberRecord } from '../identity/identity-repository.ts';
import { parseInput } from '../server/parse-input.ts';
import { impersonationKind } from '../sessions/end-access.ts';
import type { Store } from '../store/store.ts';

const kind = impersonationKind;
/** Whoever ends what an administrator signed in with ends these as well. */
const clientId = 'console';

const payloadSchema = z.object({ sessionId: z.string(), projectId: z.number(), userId: z.number() });

export interface ImpersonationParts {
  readonly store: Store;
  readonly identity: Pick<IdentityRepository, 'findMember'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly adminLog: AdminLog;
}

/** Finds what an administrator has begun in a session of a browser, while they and the person belong to the project. */
export function findImpersonations({
  store,
  identity,
  clock,
}: Pick<ImpersonationParts, 'store' | 'identity' | 'clock'>): FindImpersonation {
  return async (id, { member: by, projectId, sessionId }) => {
    const row = await store.db
      .selectFrom('signIns')
      .select(['payload', 'expiresAt'])
      .where((the) => the.and({ kind, id: sha256Hex(id), accountId: by.id }))
      .where('expiresAt', '>', clock.now())
      .executeTakeFirst();
    if (!row || !deedsOf(by).includes('impersonate people')) return undefined;
    const begun = payloadSchema.parse(JSON.parse(row.payload));
    if (begun.sessionId !== sessionId || begun.projectId !== projectId) return undefined;
    const user = await identity.findMember(projectId, begun.userId);
    return user && { id, by, user, expiresAt: row.expiresAt ?? 0 };
  };
}

/** An administrator sees the console as somebody else does, and ends that. */
export function registerImpersonationRoutes(server: FastifyInstance, guards: Guards, parts: ImpersonationParts): void {
  const asPerson = { onRequest: guards.user.check };
  server.post('/api/impersonations', asPerson, async (request, reply): Promise<Impersonation> => {
    const by = guards.user.of(request);
    authorise(by, 'impersonate people');
    const { personId } = parseInput(startImpersonationSchema, request.body ?? {});
    const user = await parts.identity.findMember(by.environment.projectId, personId);
    if (!user)
      throw cloudError('REQUEST_NOT_FOUND', 'The project has no such active member.', 'List them: GET /api/people');
    const started = await start(by, user, parts);
    reply.code(201);
    return started;
  });
  server.delete('/api/impersonations/:id', asPerson, async (request, reply) => {
    const { user } = guards.user.of(request);
    const { id } = request.params as { readonly id: string };
    await parts.store.transaction(({ db }) =>
      db
        .deleteFrom('signIns')
        .where((the) => the.and({ kind, id: sha256Hex(id), accountId: user.id }))
        .execute(),
    );
    return reply.code(204).send();
  });
}

async function start(
  { user: by, author, credential, environment: { projectId } }: SignedInUser,
  user: MemberRecord,
  { store, clock, random, adminLog }: ImpersonationParts,
): Promise<Impersonation> {
  if (credential.kind !== 'browser') {
    throw cloudError(
      'REQUEST_FORBIDDEN',
      'Somebody else’s view is for pages in a browser.',
      'Open the console: /console/',
    );
  }
  if (user.id === by.id) throw invalidRequest('You see the console as yourself already.', 'Name somebody else.');
  const id = random.hex(32);
  const expiresAt = Math.min(clock.now() + impersonationMinutes * 60_000, credential.session.expiresAt);
  const payload: z.input<typeof payloadSchema> = { sessionId: credential.session.id, projectId, userId: user.id };
  const row = { kind, id: sha256Hex(id), accountId: by.id, clientId, payload: JSON.stringify(payload), expiresAt };
  const until = new Date(expiresAt).toISOString();
  await store.transaction(async (transaction) => {
    await transaction.db
      .insertInto('signIns')
      .values({ ...row, createdAt: clock.now() })
      .execute();
    const newValue = { user: auditUserOf(user), expiresAt: until };
    adminLog(transaction, { projectId, author, type: 'add', resource: 'impersonation', newValue });
  });
  return { id, expiresAt: until };
}
