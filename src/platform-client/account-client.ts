import type * as z from 'zod';
import {
  type ApiTokenList,
  apiTokenListSchema,
  type createApiTokenSchema,
  type NewApiToken,
  newApiTokenSchema,
} from '#contracts/api-tokens';
import { type ChangeMcpClient, type McpClient, mcpClientListSchema, mcpClientSchema } from '#contracts/mcp-clients';
import { type AskAnswer, type ListedMark, mcpMarkListSchema } from '#contracts/mcp-marks';
import { type PrintedToken, printedTokenSchema, type printTokenSchema } from '#contracts/printed-tokens';
import {
  type CreatedToken,
  createdTokenSchema,
  type createTokenSchema,
  type Session,
  sessionListSchema,
} from '#contracts/sessions';
import { type makeSignInLinkSchema, type SignInLink, signInLinkSchema } from '#contracts/sign-in';
import { type CallerClient, createCallerClient } from './deploying-client.ts';
import type { createPlatformTransport } from './platform-transport.ts';

/** The person of a token, what they are signed in with, the programs that they let in, and the environments of their project. */
export interface AccountClient extends CallerClient {
  /** What the person of the token is signed in with, the newest first. */
  sessions(): Promise<readonly Session[]>;
  /** The programs that are connected to the MCP server of the environment, the newest first. */
  mcpClients(): Promise<readonly McpClient[]>;
  /** Change what one may do. */
  changeMcpClient(id: string, change: ChangeMcpClient): Promise<McpClient>;
  /** Disconnect one at once. */
  revokeMcpClient(id: string): Promise<void>;
  /** The MCP sessions of the person that are marked, the newest first, with what they ask. */
  listMcpMarks(): Promise<readonly ListedMark[]>;
  /** Take a mark away: the session may do again what its client may. */
  clearMcpMark(id: number): Promise<void>;
  /** Answer what such a session asks. */
  answerMcpAsk(id: string, answer: AskAnswer): Promise<void>;
  /** A token for the API, for the access token of `beginDeviceSignIn` as user token. */
  createToken(input: z.input<typeof createTokenSchema>): Promise<CreatedToken>;
  /** A token of one's own, which ends with the token of the client at the latest. Tried once: the answer alone has it. */
  printToken(input: z.input<typeof printTokenSchema>): Promise<PrintedToken>;
  /** A one-time link for a browser. The platform of a team has none. */
  makeSignInLink(input: z.input<typeof makeSignInLinkSchema>): Promise<SignInLink>;
  /** End the session of the user token: it is worth nothing from then on. */
  endSession(): Promise<void>;
}

export function createAccountClient(transport: ReturnType<typeof createPlatformTransport>): AccountClient {
  const get = { method: 'GET', credential: 'userToken', isRepeatable: true } as const;
  return {
    ...createCallerClient(transport),
    sessions: async () => (await transport.fetchJson({ ...get, path: 'api/sessions' }, sessionListSchema)).sessions,
    mcpClients: async () =>
      (await transport.fetchJson({ ...get, path: 'api/mcp-clients' }, mcpClientListSchema)).clients,
    changeMcpClient: (id, change) =>
      transport.fetchJson(
        { ...get, method: 'PATCH', path: `api/mcp-clients/${encodeURIComponent(id)}`, json: change },
        mcpClientSchema,
      ),
    revokeMcpClient: async (id) => {
      await transport.send({ ...get, method: 'DELETE', path: `api/mcp-clients/${encodeURIComponent(id)}` });
    },
    listMcpMarks: async () => (await transport.fetchJson({ ...get, path: 'api/mcp-marks' }, mcpMarkListSchema)).marks,
    clearMcpMark: async (id) => {
      await transport.send({ ...get, method: 'DELETE', path: `api/mcp-marks/${id}` });
    },
    answerMcpAsk: async (id, answer) => {
      const path = `api/mcp-asks/${encodeURIComponent(id)}`;
      await transport.send({ ...get, method: 'POST', path, json: { answer }, isRepeatable: false });
    },
    createToken: (input) =>
      transport.fetchJson(
        { ...get, method: 'POST', path: 'api/tokens', json: input, isRepeatable: false },
        createdTokenSchema,
      ),
    printToken: (input) =>
      transport.fetchJson(
        { ...get, method: 'POST', path: 'api/printed-tokens', json: input, isRepeatable: false },
        printedTokenSchema,
      ),
    makeSignInLink: (input) =>
      transport.fetchJson(
        { ...get, method: 'POST', path: 'api/sign-in-links', json: input, isRepeatable: false },
        signInLinkSchema,
      ),
    endSession: async () => {
      await transport.send({ ...get, method: 'DELETE', path: 'api/sessions/current' });
    },
  };
}

/** The API tokens of a project, which administrators manage. `project` is a name. */
export interface ApiTokenClient {
  listApiTokens(project: string): Promise<ApiTokenList>;
  /** Tried once: the answer alone has the secret. */
  createApiToken(project: string, input: z.input<typeof createApiTokenSchema>): Promise<NewApiToken>;
  /** Tried once, as well. */
  rotateApiToken(project: string, id: number, overlapSeconds: number | undefined): Promise<NewApiToken>;
  revokeApiToken(project: string, id: number): Promise<void>;
}

export function createApiTokenClient(transport: ReturnType<typeof createPlatformTransport>): ApiTokenClient {
  const post = { method: 'POST', credential: 'userToken', isRepeatable: false } as const;
  const pathOf = (project: string) => `api/projects/${encodeURIComponent(project)}/tokens`;
  return {
    listApiTokens: (project) =>
      transport.fetchJson(
        { method: 'GET', path: pathOf(project), credential: 'userToken', isRepeatable: true },
        apiTokenListSchema,
      ),
    createApiToken: (project, input) =>
      transport.fetchJson({ ...post, path: pathOf(project), json: input }, newApiTokenSchema),
    rotateApiToken: (project, id, overlapSeconds) =>
      transport.fetchJson(
        { ...post, path: `${pathOf(project)}/${id}/rotate`, json: { overlapSeconds } },
        newApiTokenSchema,
      ),
    revokeApiToken: async (project, id) => {
      await transport.send({
        method: 'DELETE',
        path: `${pathOf(project)}/${id}`,
        credential: 'userToken',
        isRepeatable: true,
      });
    },
  };
}
