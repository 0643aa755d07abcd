import type { FastifyInstance } from 'fastify';
import { agentRegistrationSchema, mcpCallbackPath } from '#contracts/sign-in';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import type { Guards } from '../access/guards.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import { agentClientId } from '../provider/clients.ts';
import type { SignInStore } from '../provider/provider-store.ts';
import { parseInput } from '../server/parse-input.ts';

/** Addresses of agents of one environment; the one that registered last is known longest. */
const maxAddresses = 50;
const callbackPath = 'authentication/callback';

/**
 * An agent makes itself known: one client for each environment. Browsers come back to the agent that asks if the environment
 * has no addresses of its agents, or names the one that asks. Else they come back to the first address that it names. A refusal
 * is answered as RFC 7591 says, with its reason, and logged.
 */
export function registerAgentRegistration(
  server: FastifyInstance,
  registration: Guards['registration'],
  store: SignInStore,
  logger: Logger,
): void {
  server.post('/oidc/reg', { onRequest: registration.check }, async (request, reply) => {
    const environment = registration.of(request);
    const refuse = (error: string, error_description: string) => {
      logger.log('Warn', 'An agent cannot register for signing in.', {
        environment: environment.name,
        project: environment.projectName,
        reason: error_description,
      });
      return reply.code(400).send({ error, error_description });
    };
    let asked: readonly string[];
    try {
      asked = parseInput(agentRegistrationSchema, request.body ?? {}).redirect_uris ?? [];
    } catch (error) {
      if (isCloudError(error)) return refuse('invalid_client_metadata', error.message);
      throw error;
    }
    const own = addressesFor(environment, asked);
    if (own.length === 0) return refuse('invalid_redirect_uri', noAddress(environment));
    const clientId = agentClientId(environment.id);
    const client = {
      client_id: clientId,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      environment_id: environment.id,
    } as const;
    const isFixed = addressesOf(environment).length > 0;
    await store.changeClient(clientId, (before) => {
      // Addresses that an administrator took away are forgotten.
      const others = isFixed ? addressesOf(environment) : ((before?.['redirect_uris'] as string[] | undefined) ?? []);
      const known = [...new Set([...own, ...others])].slice(0, maxAddresses);
      return { ...client, redirect_uris: known } as never;
    });
    return reply.code(201).send({ ...client, redirect_uris: own });
  });
}

function addressesFor(environment: EnvironmentRecord, asked: readonly string[]): readonly string[] {
  const fixed = addressesOf(environment);
  if (fixed.length === 0) return asked;
  const named = asked.filter((address) => fixed.includes(address) || isOfMcpServer(address, fixed));
  return named.length > 0 ? named : fixed.slice(0, 1);
}

/** The MCP server of an agent is at the root of its host, whatever the prefix of the agent is. */
function isOfMcpServer(address: string, fixed: readonly string[]): boolean {
  const { origin, pathname, href } = new URL(address);
  return (
    href === origin + pathname &&
    pathname.endsWith(mcpCallbackPath) &&
    fixed.some((own) => new URL(own).origin === origin)
  );
}

function addressesOf({ agentAddresses, apiEndpoint }: EnvironmentRecord): readonly string[] {
  const agents = [...agentAddresses, ...(apiEndpoint === null ? [] : [new URL('service', `${apiEndpoint}/`).href])];
  return agents.map((agent) => new URL(callbackPath, `${agent.replace(/\/$/, '')}/`).href);
}

function noAddress({ name }: EnvironmentRecord): string {
  return (
    `The agent does not know its own address, and the environment "${name}" has none for it. Set it with ` +
    `PATCH /api/environments/${name} {"agentAddresses": ["https://admin.example.com/service"]}`
  );
}
