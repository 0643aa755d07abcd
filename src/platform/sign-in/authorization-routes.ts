import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { type FoundPeople, findPeopleSchema } from '#contracts/notes';
import { type PrintedTokenOwner, printedForAgentSchema } from '#contracts/printed-tokens';
import type { SignedInUser } from '#contracts/sign-in';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { fullNameOf } from '#kernel/text/full-name';
import type { Guards } from '../access/guards.ts';
import type { EnvironmentRecord, IdentityRepository, MemberRecord } from '../identity/identity-repository.ts';
import { type FindAccount, reaches } from '../provider/accounts.ts';
import type { OpenProvider } from '../provider/provider-holder.ts';
import { findClaims, placeIn } from '../rights/person-claims.ts';
import type { RightsRepository } from '../rights/rights-repository.ts';
import { parseInput } from '../server/parse-input.ts';
import type { TokenService } from '../tokens/token-service.ts';

const personPath = z.object({ personId: z.coerce.number().int().positive() });
const renderingPath = z.object({ renderingId: z.coerce.number().int().positive() });

export interface AuthorizationServices {
  readonly identity: IdentityRepository;
  readonly rights: RightsRepository;
  readonly tokens: TokenService;
  readonly openProvider: OpenProvider;
  readonly findAccount: FindAccount;
}

/** Says to an agent who has signed in, and who somebody is. Everybody has the rendering of their own team, and no other. */
export function registerAuthorizationRoutes(
  server: FastifyInstance,
  guards: Guards,
  { identity, rights, tokens, openProvider, findAccount }: AuthorizationServices,
): void {
  const claimsIn = (environment: EnvironmentRecord, userId: number) =>
    findClaims(environment, userId, { identity, rights });
  server.get(
    '/agent/v2/renderings/:renderingId/authorization',
    { onRequest: guards.environment.check },
    async (request): Promise<SignedInUser> => {
      const { renderingId } = parseInput(renderingPath, request.params);
      const environment = guards.environment.of(request);
      const given = request.headers['service-token'];
      const provider = await openProvider();
      const token = typeof given === 'string' ? await provider.AccessToken.find(given) : undefined;
      const client = token && (await provider.Client.find(String(token.clientId)));
      if (!token || client?.['environment_id'] !== environment.id) throw unauthenticated();
      const account = await findAccount(token.accountId);
      if (!account || !reaches(account, environment.projectId)) throw unauthenticated();
      const member = await identity.findMember(environment.projectId, account.userId);
      if (!member) throw forbidden('You are not a member of the project.');
      const own = await identity.findRenderingOfTeam(environment.id, member.team);
      if (own?.id !== renderingId) throw otherTeam(renderingId, member.team, own?.id);
      const { roles, teams, tags } = await placeIn(environment, member, rights);
      return {
        data: {
          id: String(member.id),
          attributes: {
            email: member.email,
            first_name: member.firstName,
            last_name: member.lastName,
            teams: teams.map(({ name }) => name),
            role: roles[0].name,
            roles: roles.map(({ name }) => name),
            permission_level: member.permissionLevel,
            tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
          },
        },
      };
    },
  );
  server.get(
    '/agent/v1/people/:personId',
    { onRequest: guards.environment.check },
    async (request): Promise<AgentTokenClaims> => {
      const { personId } = parseInput(personPath, request.params);
      const person = await claimsIn(guards.environment.of(request), personId);
      if (!person) throw noSuchPerson();
      return person;
    },
  );
  server.get('/agent/v1/people', { onRequest: guards.environment.check }, async (request): Promise<FoundPeople> => {
    const { search } = parseInput(findPeopleSchema, request.query);
    const environment = guards.environment.of(request);
    const members = await identity.listMembers(environment.projectId);
    const named = members.filter((member) => hasName(member, search)).slice(0, mostFound);
    const found = await Promise.all(named.map(({ id }) => claimsIn(environment, id)));
    return { people: found.filter((person) => person !== undefined) };
  });
  server.post(
    '/agent/v1/printed-token',
    { onRequest: guards.environment.check },
    async (request): Promise<PrintedTokenOwner> => {
      const environment = guards.environment.of(request);
      const printed = await tokens.findPrinted(parseInput(printedForAgentSchema, request.body ?? {}).token);
      const isOwn = printed?.environmentId === environment.id;
      const person = isOwn ? await claimsIn(environment, printed.userId) : undefined;
      if (!printed || !person) throw noSuchToken();
      const { audience, expiresAt, isReadOnly } = printed;
      return { person, audience, expiresAt: Math.floor(expiresAt / 1000), readOnly: isReadOnly };
    },
  );
}

/** How many people one search finds at most. */
const mostFound = 20;

/** Whether a word of somebody's name begins with a text. */
function hasName(person: MemberRecord, text: string): boolean {
  const name = fullNameOf(person).toLocaleLowerCase();
  return ` ${name}`.includes(` ${text.trim().toLocaleLowerCase()}`);
}

function noSuchToken(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'No such token was printed for an agent of this environment, or it is no longer good.',
    'Print another one: vendor-cloud tokens print agent',
  );
}

function noSuchPerson(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'No member of the project has that number, or the environment has nothing for their team.',
    'Ask an administrator of the project for access.',
  );
}

function unauthenticated(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'The access token is unknown, has expired, or was made for another environment.',
    'Sign in again.',
  );
}

function otherTeam(asked: number, team: string, own: number | undefined): CloudError {
  const place = own === undefined ? 'which this environment does not have' : `which has the rendering ${own}`;
  return forbidden(`You have no access to the rendering ${asked}: your team is "${team}", ${place}.`);
}

function forbidden(message: string): CloudError {
  return cloudError('REQUEST_FORBIDDEN', message, 'Ask an administrator of the project for access.');
}
