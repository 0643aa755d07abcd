import { queryOptions } from '@tanstack/react-query';
import type { ApiToken, ApiTokenWithSecret, CreateApiToken } from '#contracts/api-tokens';
import type { CompanySignOnSettings } from '#contracts/company-sign-on';
import type { GroupList } from '#contracts/groups';
import type { ChangeMcpClient, McpClient } from '#contracts/mcp-clients';
import type { ListedMark } from '#contracts/mcp-marks';
import type { ScimToken } from '#contracts/scim-tokens';
import type { Session } from '#contracts/sessions';
import type { AgentAddress } from '../wire/agent.ts';
import { ask } from '../wire/http.ts';

/** The tokens of programs, active ones first. */
export function apiTokensQuery(project: string) {
  return queryOptions({
    queryKey: ['API tokens', project],
    queryFn: async ({ signal }) => {
      return (await ask<{ readonly tokens: readonly ApiToken[] }>(tokenPath(project), { signal })).tokens;
    },
    staleTime: 30_000,
  });
}

/** The answer has the only copy of the secret. The same key, sent again, makes no second token and answers no secret. */
export function createApiToken(project: string, token: CreateApiToken, key: string): Promise<ApiTokenWithSecret> {
  return ask(tokenPath(project), { method: 'POST', body: token, headers: { 'idempotency-key': key } });
}

/** The answer has the only copy of the new secret. The one before stays valid for a day. */
export function rotateApiToken(project: string, id: number): Promise<ApiTokenWithSecret> {
  return ask(`${tokenPath(project)}/${id}/rotate`, { method: 'POST', body: {} });
}

export function revokeApiToken(project: string, id: number): Promise<void> {
  return ask(`${tokenPath(project)}/${id}`, { method: 'DELETE' });
}

function tokenPath(project: string): string {
  return `/api/projects/${encodeURIComponent(project)}/tokens`;
}

/** What somebody is signed in with, the newest first. Administrators may name somebody else. */
export function sessionsQuery(person?: number) {
  return queryOptions({
    queryKey: ['sessions', person],
    queryFn: async ({ signal }) =>
      (await ask<{ readonly sessions: readonly Session[] }>(sessionPath('', person), { signal })).sessions,
    staleTime: 30_000,
  });
}

export function endSession(id: string, person?: number): Promise<void> {
  return ask(sessionPath(`/${encodeURIComponent(id)}`, person), { method: 'DELETE' });
}

export function endSessions(person?: number): Promise<void> {
  return ask(sessionPath('', person), { method: 'DELETE' });
}

function sessionPath(rest: string, person: number | undefined): string {
  return `/api/sessions${rest}${person === undefined ? '' : `?person=${person}`}`;
}

/** The programs that were let in to the MCP server of an environment: one's own, or everybody's for an administrator. */
export function mcpClientsQuery({ environment }: AgentAddress) {
  return queryOptions({
    queryKey: ['MCP clients', environment],
    queryFn: async ({ signal }) => {
      const headers = { 'service-environment': environment };
      return (await ask<{ readonly clients: readonly McpClient[] }>('/api/mcp-clients', { headers, signal })).clients;
    },
    staleTime: 15_000,
  });
}

export function changeMcpClient(
  { environment }: AgentAddress,
  id: string,
  change: ChangeMcpClient,
): Promise<McpClient> {
  const headers = { 'service-environment': environment };
  return ask(`/api/mcp-clients/${encodeURIComponent(id)}`, { method: 'PATCH', headers, body: change });
}

export function revokeMcpClient({ environment }: AgentAddress, id: string): Promise<void> {
  const headers = { 'service-environment': environment };
  return ask(`/api/mcp-clients/${encodeURIComponent(id)}`, { method: 'DELETE', headers });
}

/** The sessions of the person that have read text of people outside. */
export function mcpMarksQuery({ environment }: AgentAddress) {
  return queryOptions({
    queryKey: ['MCP marks', environment],
    queryFn: async ({ signal }) => {
      const headers = { 'service-environment': environment };
      return (await ask<{ readonly marks: readonly ListedMark[] }>('/api/mcp-marks', { headers, signal })).marks;
    },
    staleTime: 15_000,
  });
}

/** How people of the company come in: its provider, what its groups give, and the tokens of SCIM. */
export const companyQuery = queryOptions({
  queryKey: ['company sign-on'],
  queryFn: async ({ signal }) => {
    const [settings, groups, { tokens }] = await Promise.all([
      ask<CompanySignOnSettings>('/api/company-sign-on', { signal }),
      ask<GroupList>('/api/groups', { signal }),
      ask<{ readonly tokens: readonly ScimToken[] }>('/api/scim-tokens', { signal }),
    ]);
    return { ...settings, ...groups, tokens };
  },
  staleTime: 30_000,
});
