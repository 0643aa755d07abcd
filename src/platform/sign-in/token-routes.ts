import type { FastifyInstance } from 'fastify';
import { type PrintedToken, printTokenSchema } from '#contracts/printed-tokens';
import { type CreatedToken, createTokenSchema } from '#contracts/sessions';
import { commandLineClientId } from '#contracts/sign-in';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { bearerOf, type Guards, usualEnvironment } from '../access/guards.ts';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import { type KnownAccount, reaches } from '../provider/accounts.ts';
import type { SignedInBrowsers } from '../provider/browser-session.ts';
import { parseInput } from '../server/parse-input.ts';
import type { TokenService } from '../tokens/token-service.ts';

/** `POST /api/printed-tokens` of `#contracts/printed-tokens`, for everybody who is signed in. */
export function registerPrintedTokenRoutes(server: FastifyInstance, guards: Guards, tokens: TokenService): void {
  server.post(
    '/api/printed-tokens',
    { onRequest: guards.user.check },
    async (request, reply): Promise<PrintedToken> => {
      const { environment, credential } = guards.user.of(request);
      if (credential.kind === 'browser') throw noToken();
      const { audience, expiresInSeconds, readOnly } = parseInput(printTokenSchema, request.body ?? {});
      const { token, expiresAt } = await tokens.print(credential.token, {
        audience,
        environmentId: environment.id,
        lifetimeMs: expiresInSeconds * 1000,
        isReadOnly: readOnly,
        address: request.ip,
      });
      reply.code(201);
      return { token, audience, environment: environment.name, expiresAt: new Date(expiresAt).toISOString(), readOnly };
    },
  );
}

/** A token is revoked with the one that it was printed from. There is none behind a browser. */
function noToken(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'The sign-in of a browser prints no tokens.',
    'Print one in a terminal: vendor-cloud tokens print',
  );
}

const tokenLifetimeMs = 30 * 24 * 60 * 60 * 1000;

/** Whoever has signed in with a device code gets a token for the API: `POST /api/tokens` of `#contracts/sessions`. */
export function registerTokenRoutes(
  server: FastifyInstance,
  identity: IdentityRepository,
  tokens: TokenService,
  { openProvider, findAccount }: SignedInBrowsers,
  clock: Clock,
): void {
  server.post('/api/tokens', async (request, reply): Promise<CreatedToken> => {
    const provider = await openProvider();
    const access = await provider.AccessToken.find(bearerOf(request) ?? '');
    if (access?.clientId !== commandLineClientId) throw unauthenticated();
    const { project, purpose } = parseInput(createTokenSchema, request.body ?? {});
    const account = await findAccount(access.accountId);
    if (!account) throw unauthenticated();
    const environment = await chooseEnvironment(identity, account, project);
    const { userId, hasSecondFactor = false } = account;
    const owner = { userId, environmentId: environment.id, hasSecondFactor };
    const wish = { lifetimeMs: tokenLifetimeMs, address: request.ip };
    const { token, expiresAt } = account.limit
      ? await tokens.issueFrom(account.limit, owner, purpose, wish)
      : {
          token: await tokens.issue(owner, purpose, wish.lifetimeMs, wish.address),
          expiresAt: clock.now() + wish.lifetimeMs,
        };
    reply.code(201);
    const ends = new Date(expiresAt).toISOString();
    return { token, project: environment.projectName, environment: environment.name, expiresAt: ends };
  });
}

/** The usual environment of the project that somebody names, or of their only one. */
async function chooseEnvironment(
  identity: IdentityRepository,
  account: KnownAccount,
  name: string | undefined,
): Promise<EnvironmentRecord> {
  const all = await identity.listProjects(account.userId);
  const projects = all.filter(({ id }) => reaches(account, id));
  const chosen = projects.filter((project) => name === undefined || project.name === name);
  const [project] = chosen;
  const names = projects.map((each) => each.name).join(', ');
  if (!project) {
    throw cloudError(
      'REQUEST_FORBIDDEN',
      name === undefined ? 'You are a member of no project.' : `You are not a member of a project "${name}".`,
      names === '' ? 'Ask an administrator for an invitation.' : `Name one of: ${names}.`,
    );
  }
  if (chosen.length > 1) {
    throw cloudError(
      'REQUEST_INVALID',
      '"project" is missing, and you are a member of several projects.',
      `Name one of: ${names}.`,
    );
  }
  return usualEnvironment(identity, project);
}

function unauthenticated(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'The access token is unknown, has expired, or was made for something else.',
    'Sign in again with a device code.',
  );
}
