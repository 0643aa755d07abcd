import type { SchemaDocument } from '#contracts/schema-document';
import {
  type PermissionOverrides,
  permissionOverridesSchema,
  type TestFixtures,
  type TestIdentity,
  testIdentitiesSchema,
  testIdentitySchema,
} from '#contracts/test-platform';
import type { Http } from '#kernel/ports/http';
import { systemClock } from '#node/system/system-clock';
import { UnknownNameError } from '../errors/agent-test-errors.ts';
import { exchangeJson } from './json-exchange.ts';

/** The sandbox, as the tests of one environment control it. Changes hold for the next request to the agent. */
export interface SandboxClient {
  /** Tell the schema of the agent; resolves to its developer, who may do everything. */
  announceSchema(document: SchemaDocument): Promise<TestIdentity>;
  /** Rejects with `UnknownNameError`, which has the nearest address. */
  findUser(email: string): Promise<TestIdentity>;
  setFixtures(fixtures: TestFixtures): Promise<void>;
  overrides(): Promise<PermissionOverrides>;
  mergeOverrides(overrides: PermissionOverrides): Promise<void>;
  replaceOverrides(overrides: PermissionOverrides): Promise<void>;
  clearOverrides(): Promise<void>;
}

export function createSandboxClient(http: Http, serverUrl: string, envSecret: string): SandboxClient {
  const headers = { 'service-secret-key': envSecret };
  const ask = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, json?: unknown) =>
    exchangeJson(http, { method, url: serverUrl.replace(/\/+$/, '') + path, headers, json });
  const overridePath = '/permission-override';
  return {
    announceSchema: async (document) => testIdentitySchema.parse(await ask('POST', '/agent-schema', document)),
    findUser: async (email) => {
      const { people } = testIdentitiesSchema.parse(await ask('GET', '/fixtures'));
      const found = people.find(({ user }) => user.email.toLowerCase() === email.toLowerCase());
      if (found) return found;
      const known = people.map(({ user }) => user.email);
      throw new UnknownNameError('The sandbox', 'user', email, known);
    },
    setFixtures: async (fixtures) => void (await ask('PUT', '/fixtures', fixtures)),
    overrides: async () => permissionOverridesSchema.parse(await ask('GET', overridePath)),
    mergeOverrides: async (overrides) => void (await ask('PATCH', overridePath, overrides)),
    replaceOverrides: async (overrides) => void (await ask('PUT', overridePath, overrides)),
    clearOverrides: async () => void (await ask('DELETE', overridePath)),
  };
}

/** Signs requests as the platform does when somebody approves them. */
export interface Approvals {
  /** A JWT that replaces the body of the request; good for one run, in `expiresInSeconds` from now at most. */
  sign(attributes: Readonly<Record<string, unknown>>, expiresInSeconds: number): Promise<string>;
}

export function createApprovals(envSecret: string): Approvals {
  const key = new TextEncoder().encode(envSecret);
  return {
    sign: async (attributes, expiresInSeconds) => {
      const { SignJWT } = await import('jose');
      const end = Math.floor(systemClock.now() / 1000) + expiresInSeconds;
      return new SignJWT({ data: { attributes } })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(end)
        .sign(key);
    },
  };
}
