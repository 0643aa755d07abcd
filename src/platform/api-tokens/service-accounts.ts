import type { FastifyInstance } from 'fastify';
import { agentScope } from '#contracts/api-tokens';
import { type PrintedTokenOwner, serviceAccountSchema } from '#contracts/printed-tokens';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { sha256Hex } from '#node/system/digest';
import type { Guards } from '../access/guards.ts';
import { type ClaimSources, findClaims } from '../rights/person-claims.ts';
import { clientAddress } from '../server/client-address.ts';
import { parseInput } from '../server/parse-input.ts';
import type { ApiTokenRepository, KnownSecret, TokenUse } from './api-token-repository.ts';
import { isApiTokenSecret } from './api-token-secret.ts';

/** Seconds. A token of an agent that a service account gets is good for no longer: what ends the account ends it soon. */
const lifetimeSeconds = 300;

export interface ServiceAccountParts extends ClaimSources {
  readonly tokens: Pick<ApiTokenRepository, 'findBySecret'>;
  readonly clock: Clock;
  readonly noteUse: (use: TokenUse) => void;
}

/** Says to an agent who comes with the token of a service account: the person who made it, and the program that acts for them. */
export function registerServiceAccountRoute(
  server: FastifyInstance,
  guards: Guards,
  { tokens, clock, noteUse, ...sources }: ServiceAccountParts,
): void {
  const onRequest = guards.environment.check;
  server.post('/agent/v1/service-account', { onRequest }, async (request): Promise<PrintedTokenOwner> => {
    const environment = guards.environment.of(request);
    const { token, audience } = parseInput(serviceAccountSchema, request.body ?? {});
    const known = isApiTokenSecret(token) ? await tokens.findBySecret(sha256Hex(token)) : undefined;
    const now = clock.now();
    if (!known || !isServiceAccount(known, environment.projectId, now)) throw noSuchAccount();
    const { id, name, creator, expiresAt: end } = known.token;
    const person = await findClaims(environment, creator.id, sources);
    if (!person) throw noSuchAccount();
    noteUse({ tokenId: id, at: now, address: clientAddress(request) ?? '' });
    const expiresAt = Math.floor(now / 1000) + lifetimeSeconds;
    const ends = [end, known.endsAt].filter((time) => time !== null).map((time) => Math.floor(time / 1000));
    return {
      person: { ...person, client: { id: name, name } },
      audience,
      expiresAt: Math.min(expiresAt, ...ends),
      readOnly: false,
    };
  });
}

function isServiceAccount({ token, endsAt, creatorLevel }: KnownSecret, projectId: number, now: number): boolean {
  const ends = [token.expiresAt, endsAt];
  return (
    token.projectId === projectId &&
    token.scopes.includes(agentScope) &&
    token.revokedAt === null &&
    creatorLevel === 'admin' &&
    ends.every((end) => end === null || end > now)
  );
}

function noSuchAccount(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'No such service account may use the agents of this project, or it is no longer good.',
    `Make one: vendor-cloud tokens create <name> --scope ${agentScope}`,
  );
}
