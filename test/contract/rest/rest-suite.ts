import { SignJWT } from 'jose';
import { type CallOptions, type CallResult, call } from '../../helpers/rest-call.ts';
import { actionTests } from './action-tests.ts';
import { filterTests } from './filter-tests.ts';
import { readingTests } from './reading-tests.ts';
import { transportTests } from './transport-tests.ts';
import { writingTests } from './writing-tests.ts';

/** An agent that serves the shop: the tables of `shop.sql`, customized as `shop.ts` does. */
export interface AgentUnderTest {
  /** Address of the REST API, prefix included. */
  readonly agentUrl: string;
  readonly authSecret: string;
}

/** Calls the REST API of the agent under test, as somebody who may do everything. */
type Ask = (target: string, options?: CallOptions) => Promise<CallResult>;

export interface Client {
  readonly ask: Ask;
  /** Address of the REST API, prefix included. */
  url(): string;
  token(): Promise<string>;
}

/**
 * The contract of the REST API, over HTTP only. Numbers in the names of tests are those of the edge cases that every
 * agent is held to.
 *
 * @param agent is asked once a test runs.
 */
export function describeRestApi(agent: () => AgentUnderTest): void {
  const token = () => sign(agent().authSecret);
  const client: Client = {
    ask: async (target, options) => call({ agentUrl: agent().agentUrl, token: await token() }, target, options),
    url: () => agent().agentUrl,
    token,
  };
  transportTests(client);
  readingTests(client);
  filterTests(client);
  writingTests(client);
  actionTests(client);
}

function sign(authSecret: string): Promise<string> {
  const claims = {
    id: 1,
    email: 'ada@example.test',
    firstName: 'Ada',
    lastName: 'Lovelace',
    team: 'Operations',
    role: 'Operations',
    permissionLevel: 'admin',
    renderingId: 1,
    tags: {},
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode(authSecret));
}
