import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import {
  type AgentCode,
  agentCodeSeconds,
  type ExchangeCode,
  type ExchangedCode,
  exchangeCodeSchema,
  makeAgentCodeSchema,
} from '#contracts/agent-codes';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';
import { type FindImpersonation, type Guards, type ImpersonationInUse, impersonableRoute } from '../access/guards.ts';
import { endAgentSessionsIn } from '../events/end-agent-sessions.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import type { PageSession } from '../page-access/page-session.ts';
import { type ClaimSources, findClaims } from '../rights/person-claims.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';

const kind = 'AgentCode';
/** That a page has exchanged a code for a token of its own, which it may keep. */
const visitKind = 'AgentVisit';
/** Whoever ends what somebody signed in with ends these as well, and the sessions of agents that came of them. */
const clientId = 'console';

interface CodeWish {
  readonly session: PageSession;
  readonly environment: EnvironmentRecord;
  readonly codeChallenge: string;
  /** Whether the page keeps the token; otherwise the platform does, which forwards its requests. */
  readonly isOfPage: boolean;
  /** Where the browser is, for requests that the platform forwards. */
  readonly clientAddress?: string | undefined;
  /** Of an administrator who sees what somebody else sees. */
  readonly impersonation?: ImpersonationInUse | undefined;
}

const payloadSchema = z.object({
  /** As the sign-in names accounts. */
  accountId: z.string(),
  sessionId: z.string(),
  environmentId: z.number(),
  renderingId: z.number(),
  codeChallenge: z.string(),
  isOfPage: z.boolean().default(true),
  clientAddress: z.string().optional(),
  impersonationId: z.string().optional(),
  /** Milliseconds since the epoch. */
  sessionEndsAt: z.number(),
});

/** One-time codes, with which a person becomes known to an agent. */
export interface AgentCodes {
  /** Rejects with `REQUEST_FORBIDDEN` for who has no place in the environment. */
  make(wish: CodeWish): Promise<AgentCode>;
  /** Who comes with a code, which is worth nothing from then on; `undefined` for any other. */
  redeem(environment: EnvironmentRecord, exchange: ExchangeCode): Promise<ExchangedCode | undefined>;
  /** A browser was signed out: what its pages have at agents ends, with everything else that the person has at these agents. */
  endVisits(sessionId: string): Promise<void>;
}

export interface AgentCodeParts {
  readonly store: Store;
  readonly sources: ClaimSources;
  readonly findImpersonation: FindImpersonation;
  readonly clock: Clock;
  readonly random: Random;
}

export function createAgentCodes(parts: AgentCodeParts): AgentCodes {
  const { store, sources, clock, random } = parts;
  return {
    make: async ({ session, environment, codeChallenge, isOfPage, clientAddress, impersonation }) => {
      const claims = await findClaims(environment, impersonation?.user.id ?? session.userId, sources);
      if (!claims) throw noPlace(environment);
      const code = random.hex(32);
      const expiresAt = clock.now() + agentCodeSeconds * 1000;
      const { renderingId } = claims;
      const payload: z.input<typeof payloadSchema> = {
        accountId: session.accountId,
        sessionId: session.id,
        environmentId: environment.id,
        renderingId,
        codeChallenge,
        isOfPage,
        clientAddress,
        impersonationId: impersonation?.id,
        sessionEndsAt: Math.min(session.expiresAt, impersonation?.expiresAt ?? Number.POSITIVE_INFINITY),
      };
      await store.transaction(({ db }) =>
        db
          .insertInto('signIns')
          .values({
            kind,
            id: sha256Hex(code),
            accountId: session.userId,
            clientId,
            payload: JSON.stringify(payload),
            expiresAt,
            createdAt: clock.now(),
          })
          .execute(),
      );
      return { code, environment: environment.name, renderingId, expiresAt: new Date(expiresAt).toISOString() };
    },
    redeem: async (environment, { code, codeVerifier }) => {
      const taken = await store.transaction(({ db }) =>
        db
          .deleteFrom('signIns')
          .where((the) => the.and({ kind, id: sha256Hex(code) }))
          .where('expiresAt', '>', clock.now())
          .returning(['payload', 'accountId'])
          .executeTakeFirst(),
      );
      if (!taken?.accountId) return undefined;
      const made = payloadSchema.parse(JSON.parse(taken.payload));
      if (made.isOfPage) await noteVisit(store, made, taken.accountId, clock);
      if (!(await isSignedIn(store, made.sessionId))) return undefined;
      if (made.environmentId !== environment.id || made.codeChallenge !== challengeOf(codeVerifier)) return undefined;
      const person = await personWithCode(environment, taken.accountId, made, parts);
      if (person?.renderingId !== made.renderingId) return undefined;
      const { clientAddress, sessionEndsAt } = made;
      return {
        person: { ...person, ...(clientAddress === undefined ? {} : { clientAddress }) },
        expiresAt: Math.floor(sessionEndsAt / 1000),
      };
    },
    endVisits: (sessionId) => endVisits(store, sessionId, clock),
  };
}

/** Who comes with a code: the person who made it, or whoever they see the console as. */
async function personWithCode(
  environment: EnvironmentRecord,
  userId: number,
  { impersonationId, sessionId }: z.output<typeof payloadSchema>,
  { sources, findImpersonation }: AgentCodeParts,
): Promise<AgentTokenClaims | undefined> {
  if (impersonationId === undefined) return findClaims(environment, userId, sources);
  const { projectId } = environment;
  const member = await sources.identity.findMember(projectId, userId);
  const impersonation = member && (await findImpersonation(impersonationId, { member, projectId, sessionId }));
  const claims = impersonation && (await findClaims(environment, impersonation.user.id, sources));
  if (!claims) return undefined;
  const { id, email, firstName, lastName, team, roleName: role } = impersonation.by;
  return { ...claims, readOnly: true, impersonator: { id, email, firstName, lastName, team, role } };
}

function endVisits(store: Store, sessionId: string, clock: Clock): Promise<void> {
  return store.transaction(async (transaction) => {
    const visits = await transaction.db
      .deleteFrom('signIns')
      .where('kind', '=', visitKind)
      .where('id', 'like', `${sessionId} %`)
      .returning(['id', 'accountId'])
      .execute();
    for (const { id, accountId } of visits) {
      const [, environmentId] = id.split(' ');
      if (accountId !== null) await endAgentSessionsIn(transaction, accountId, clock, Number(environmentId));
    }
  });
}

/** Written before the session is looked for, so that no sign-out overlooks the token. */
async function noteVisit(
  store: Store,
  { sessionId, environmentId, sessionEndsAt }: z.output<typeof payloadSchema>,
  accountId: number,
  clock: Clock,
): Promise<void> {
  const id = `${sessionId} ${environmentId}`;
  const row = { kind: visitKind, id, accountId, clientId, payload: '{}', expiresAt: sessionEndsAt };
  await store.transaction(({ db }) =>
    db
      .insertInto('signIns')
      .values({ ...row, createdAt: clock.now() })
      .onConflict((same) => same.columns(['kind', 'id']).doNothing())
      .execute(),
  );
}

async function isSignedIn({ db }: Store, sessionId: string): Promise<boolean> {
  const session = await db
    .selectFrom('signIns')
    .select('id')
    .where((the) => the.and({ kind: 'Session', id: sessionId }))
    .executeTakeFirst();
  return session !== undefined;
}

/** The challenge of RFC 7636 by the method S256. */
export function challengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url');
}

/** The routes of `#contracts/agent-codes`: a browser makes a code, and an agent asks whose it is. */
export function registerAgentCodeRoutes(server: FastifyInstance, guards: Guards, codes: AgentCodes): void {
  const byPage = { onRequest: guards.user.check, config: impersonableRoute };
  server.post('/api/agent-codes', byPage, async (request, reply): Promise<AgentCode> => {
    const { credential, environment, impersonation } = guards.user.of(request);
    if (credential.kind !== 'browser') throw noBrowser();
    const { codeChallenge } = parseInput(makeAgentCodeSchema, request.body ?? {});
    reply.code(201);
    return codes.make({ session: credential.session, environment, codeChallenge, isOfPage: true, impersonation });
  });
  server.post(
    '/agent/v1/exchanged-code',
    { onRequest: guards.environment.check },
    async (request): Promise<ExchangedCode> => {
      const exchange = parseInput(exchangeCodeSchema, request.body ?? {});
      const found = await codes.redeem(guards.environment.of(request), exchange);
      if (found) return found;
      throw cloudError(
        'REQUEST_NOT_FOUND',
        'The code was not made for this environment, was used, has expired, or does not fit to its verifier.',
        'Make another one: POST /api/agent-codes',
      );
    },
  );
}

function noPlace({ name }: EnvironmentRecord): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    `The environment "${name}" has nothing for your team.`,
    'Ask an administrator of the project for access.',
  );
}

/** A token of a person is exchanged by the command line, which knows more of it: see `printed-tokens`. */
function noBrowser(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'Codes for agents are for people who are signed in in their browser.',
    'With a token, run: vendor-cloud tokens print agent',
  );
}
