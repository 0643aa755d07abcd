import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { type CreateElevation, createElevationSchema, type Elevation } from '#contracts/elevations';
import { type ElevationRule, usualElevationMinutes } from '#contracts/permission-file';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Clock } from '#kernel/ports/clock';
import { fullNameOf } from '#kernel/text/full-name';
import { deedsOf } from '../access/authorise.ts';
import type { Guards, SignedInUser } from '../access/guards.ts';
import type { IdentityRepository, UserRecord } from '../identity/identity-repository.ts';
import { type ClaimSources, placeIn } from '../rights/person-claims.ts';
import { parseInput } from '../server/parse-input.ts';
import { type ElevationRecord, type ElevationRepository, stateOf } from './elevation-repository.ts';

/** The roles that people take for a time, in the environment of the request. */
export interface ElevationService {
  /** Those that the person has asked for or may decide on; for administrators all. */
  list(by: SignedInUser): Promise<Elevation[]>;
  /** Rejects with `REQUEST_FORBIDDEN` where the rights do not let the person take the role, or with `REQUEST_CONFLICT`. */
  ask(by: SignedInUser, input: CreateElevation): Promise<Elevation>;
  /** Agree or refuse. Nobody decides on their own. */
  decide(by: SignedInUser, id: number, isGranted: boolean): Promise<Elevation>;
  /** Give a role back, or take it away from somebody as an administrator. */
  end(by: SignedInUser, id: number): Promise<Elevation>;
}

export interface ElevationParts {
  readonly elevations: ElevationRepository;
  readonly identity: Pick<IdentityRepository, 'findMember'>;
  readonly rights: ClaimSources['rights'];
  readonly clock: Clock;
}

export function createElevationService(parts: ElevationParts): ElevationService {
  const { elevations, clock } = parts;
  const shown = (record: ElevationRecord, mayDecide: boolean) => elevationOf(record, mayDecide, clock.now());
  return {
    list: async (by) => {
      const mayDecide = await deciderOf(parts, by);
      const all = await elevations.list(by.environment.id);
      const own = all.filter((record) => record.user.id === by.user.id || mayDecide(record));
      return own.map((record) => shown(record, mayDecide(record)));
    },
    ask: async (by, input) => {
      const rule = await ruleFor(parts, by, input);
      const { environment, user, author } = by;
      const isGranted = rule.needsApproval === false;
      return shown(await elevations.add({ ...input, user, environment, isGranted, author }), false);
    },
    decide: async (by, id, isGranted) => {
      const record = await findFor(parts, by, id);
      if (record.user.id === by.user.id) throw theirOwn();
      if (isGranted) await refuseOutdated(parts, by, record);
      return shown(await elevations.decide(record, { isGranted, author: by.author }), false);
    },
    end: async (by, id) => {
      const record = await findFor(parts, by, id);
      const mayEnd = record.user.id === by.user.id || deedsOf(by.user).includes('manage people');
      if (mayEnd) return shown(await elevations.end(record, by.author), false);
      throw cloudError(
        'REQUEST_FORBIDDEN',
        'Only an administrator of the project ends the elevation of somebody else.',
        'Ask an administrator of the project.',
      );
    },
  };
}

async function ruleOf(
  { rights }: ElevationParts,
  { id }: SignedInUser['environment'],
  role: string,
): Promise<ElevationRule | undefined> {
  const roles = (await rights.findDocument(id))?.roles ?? {};
  return Object.hasOwn(roles, role) ? roles[role]?.elevation : undefined;
}

/** A role that somebody has for a time opens no other one. */
async function lastingRoles(
  { rights }: ElevationParts,
  environment: SignedInUser['environment'],
  user: SignedInUser['user'],
): Promise<readonly string[]> {
  const { roles } = await placeIn(environment, user, rights);
  return roles.flatMap(({ name, endsAt }) => (endsAt === undefined ? [name] : []));
}

/** Which elevations somebody may decide on: as an administrator, or as somebody who has the role. */
async function deciderOf(parts: ElevationParts, by: SignedInUser): Promise<(record: ElevationRecord) => boolean> {
  const own = await lastingRoles(parts, by.environment, by.user);
  const isAdministrator = deedsOf(by.user).includes('manage people');
  return ({ user, role }) => user.id !== by.user.id && (isAdministrator || own.includes(role));
}

/** One that somebody may know of. Rejects with `REQUEST_NOT_FOUND`. */
async function findFor(parts: ElevationParts, by: SignedInUser, id: number): Promise<ElevationRecord> {
  const mayDecide = await deciderOf(parts, by);
  const record = await parts.elevations.find(by.environment.id, id);
  if (record && (record.user.id === by.user.id || mayDecide(record))) return record;
  throw cloudError(
    'REQUEST_NOT_FOUND',
    `There is no elevation ${id} in the environment "${by.environment.name}" that you have asked for or may decide on.`,
    'List them with GET /api/elevations.',
  );
}

/** The rule by which somebody takes a role. Throws what the answer to whoever may not is. */
async function ruleFor(
  parts: ElevationParts,
  { environment, user }: SignedInUser,
  { role, minutes }: CreateElevation,
): Promise<ElevationRule> {
  const rule = await ruleOf(parts, environment, role);
  const own = await lastingRoles(parts, environment, user);
  if (!rule || !mayTake(rule, own)) throw notTheirs(role, environment.name);
  if (own.includes(role)) {
    throw cloudError('REQUEST_CONFLICT', `You have the role "${role}" for good.`, 'Work with it.');
  }
  const most = mostMinutes(rule);
  if (minutes <= most) return rule;
  throw invalidRequest(`The role "${role}" is taken for ${most} minutes at most.`, `Ask for ${most} minutes or less.`);
}

/** Rights and people may have changed since somebody asked. */
async function refuseOutdated(
  parts: ElevationParts,
  { environment }: SignedInUser,
  { user, role, minutes }: ElevationRecord,
): Promise<void> {
  const member = await parts.identity.findMember(environment.projectId, user.id);
  const rule = await ruleOf(parts, environment, role);
  const own = member ? await lastingRoles(parts, environment, member) : [];
  if (rule && mayTake(rule, own) && minutes <= mostMinutes(rule)) return;
  throw cloudError(
    'REQUEST_CONFLICT',
    `The rights of "${environment.name}" do not let ${user.email} take the role "${role}" for ${minutes} minutes any more.`,
    'Refuse it, or change the rights first.',
  );
}

function elevationOf(record: ElevationRecord, mayDecide: boolean, now: number): Elevation {
  const { id, user, role, environment, reason, minutes, askedAt, decidedBy, endsAt, endedAt } = record;
  const state = stateOf(record, now);
  return {
    ...{ id, person: personOf(user), role, environment: environment.name, reason, minutes, state },
    askedAt: new Date(askedAt).toISOString(),
    decidedBy: decidedBy && personOf(decidedBy),
    endsAt: endsAt === null ? null : new Date(endedAt ?? endsAt).toISOString(),
    mayDecide: mayDecide && state === 'asked',
  };
}

function mostMinutes({ maxMinutes = usualElevationMinutes }: ElevationRule): number {
  return maxMinutes;
}

function theirOwn(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'Nobody agrees to their own elevation.',
    'Ask an administrator of the project, or somebody who has the role.',
  );
}

function mayTake({ by }: ElevationRule, own: readonly string[]): boolean {
  return own.some((name) => by.includes(name));
}

function personOf(user: UserRecord): Elevation['person'] {
  return { id: user.id, name: fullNameOf(user), email: user.email };
}

/** The same for a role that is not there. */
function notTheirs(role: string, environment: string): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    `The rights of "${environment}" do not let you take the role "${role}" for a time.`,
    'Ask an administrator of the project: "elevation" of the role in permissions.json says who may.',
  );
}

const idPath = z.object({ id: z.coerce.number().int().positive() });
const noQuery = z.strictObject({});

/** The routes of `#contracts/elevations`. */
export function registerElevationRoutes(server: FastifyInstance, guards: Guards, elevations: ElevationService): void {
  const onRequest = guards.user.check;
  server.get('/api/elevations', { onRequest }, async (request) => {
    parseInput(noQuery, request.query);
    return { elevations: await elevations.list(guards.user.of(request)) };
  });
  server.post('/api/elevations', { onRequest }, async (request, reply) => {
    const input = parseInput(createElevationSchema, request.body ?? {});
    return reply.code(201).send(await elevations.ask(guards.user.of(request), input));
  });
  for (const [path, isGranted] of [
    ['grant', true],
    ['refuse', false],
  ] as const) {
    server.post(`/api/elevations/:id/${path}`, { onRequest }, async (request) =>
      elevations.decide(guards.user.of(request), parseInput(idPath, request.params).id, isGranted),
    );
  }
  server.delete('/api/elevations/:id', { onRequest }, async (request) =>
    elevations.end(guards.user.of(request), parseInput(idPath, request.params).id),
  );
}
