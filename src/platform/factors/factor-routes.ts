import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { type FactorList, renameFactorSchema } from '#contracts/second-factor';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { createSealedTexts } from '#node/system/secrets';
import { authorise } from '../access/authorise.ts';
import { isFreshSignIn } from '../access/fresh-sign-in.ts';
import type { Guards, SignedInUser } from '../access/guards.ts';
import type { AdminLog } from '../audit/admin-log.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import type { SignInTries } from '../passwords/sign-in-tries.ts';
import { noSuchMember, type PeopleRepository } from '../people/people-repository.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';
import { createFactorRepository } from './factor-repository.ts';
import { createFactorService, type FactorService } from './factor-service.ts';
import { createPasskeys } from './passkeys.ts';
import { registerRoleDemands } from './role-demands.ts';
import { createFirstFactors, createSignInSteps, type FirstFactors } from './sign-in-steps.ts';

const idPath = z.object({ id: z.coerce.number().int().positive() });

interface FactorRouteParts {
  readonly factors: FactorService;
  readonly people: PeopleRepository;
  readonly clock: Clock;
}

/** The routes of `#contracts/second-factor`: one's own factors, and those of others for who may manage people. */
function registerFactorRoutes(
  server: FastifyInstance,
  guards: Guards,
  { factors, people, clock }: FactorRouteParts,
): void {
  const onRequest = guards.user.check;
  server.get(
    '/api/me/factors',
    { onRequest },
    async (request): Promise<FactorList> => factors.list(guards.user.of(request).user.id),
  );
  server.patch('/api/me/factors/:id', { onRequest }, async (request): Promise<FactorList> => {
    const { user, author } = guards.user.of(request);
    const { id } = parseInput(idPath, request.params);
    await factors.rename(user, id, parseInput(renameFactorSchema, request.body).name, author);
    return factors.list(user.id);
  });
  server.delete('/api/me/factors/:id', { onRequest }, async (request, reply) => {
    const by = guards.user.of(request);
    if (!(await mayChange(by, factors, clock.now()))) throw tooOld();
    await factors.remove(by.user, parseInput(idPath, request.params).id, by.author);
    return reply.code(204).send();
  });

  const memberOf = async (by: SignedInUser, id: number): Promise<UserRecord> => {
    authorise(by, 'manage people');
    const found = await people.find(by.environment.projectId, id);
    if (found) return found;
    throw noSuchMember(id);
  };
  server.get('/api/people/:id/factors', { onRequest }, async (request): Promise<FactorList> => {
    const { id } = await memberOf(guards.user.of(request), parseInput(idPath, request.params).id);
    return factors.list(id);
  });
  server.delete('/api/people/:id/factors', { onRequest }, async (request, reply) => {
    const by = guards.user.of(request);
    const user = await memberOf(by, parseInput(idPath, request.params).id);
    if (user.id === by.user.id) throw oneself();
    if (await people.isManagedElsewhere(user.id, by.user.id)) throw managedElsewhere();
    await factors.reset(user, by.author);
    return reply.code(204).send();
  });
}

async function mayChange(by: SignedInUser, factors: FactorService, now: number): Promise<boolean> {
  if (by.signedInAt === undefined || !isFreshSignIn(by.signedInAt, now)) return false;
  return by.hasSecondFactor || !(await factors.hasAny(by.user.id));
}

function tooOld(): CloudError {
  return cloudError(
    'SIGN_IN_TOO_OLD',
    'You signed in more than ten minutes ago, with a printed token, or without your second factor.',
    'Run "vendor-cloud login", and repeat the command.',
  );
}

function oneself(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'An administrator resets the second factors of others.',
    'Remove your own one by one: vendor-cloud factors remove <id>',
  );
}

/** Whoever may reset a factor helps to sign in as that person, in every project. */
function managedElsewhere(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'This person is a member of a project that you do not administer, so you cannot reset their second factors.',
    'Ask an administrator of the other project, or whoever runs the platform: vendor-cloud platform reset-factors',
  );
}

export interface FactorServices {
  readonly people: PeopleRepository;
  readonly tries: SignInTries;
  readonly adminLog: AdminLog;
  /** What addresses of the platform begin with, once it listens. */
  readonly origin: () => string;
}

export interface FactorOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** What the secrets of apps are sealed under. Without it, there are passkeys only. */
  readonly platformKey?: string;
}

/** Second factors: what the sign-in asks, what people and administrators call, and which roles demand one. */
export function registerFactors(
  server: FastifyInstance,
  store: Store,
  guards: Guards,
  { people, tries, adminLog, origin }: FactorServices,
  { clock, random, platformKey }: FactorOptions,
): { readonly factors: FactorService; readonly firstFactors: FirstFactors } {
  const steps = createSignInSteps(store, clock);
  const sealed = platformKey === undefined ? undefined : createSealedTexts(platformKey, 'secrets of second factors');
  const factors = createFactorService({
    ...{ store, steps, tries, sealed, clock, random, origin },
    factors: createFactorRepository(store, clock, adminLog),
    passkeys: createPasskeys(origin),
  });
  registerFactorRoutes(server, guards, { factors, people, clock });
  registerRoleDemands(server, guards, { store, people, clock, adminLog });
  return { factors, firstFactors: createFirstFactors(steps) };
}
