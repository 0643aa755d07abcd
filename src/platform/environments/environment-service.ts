import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import {
  type ChangeEnvironment,
  type CreateEnvironment,
  changeEnvironmentSchema,
  createEnvironmentSchema,
  type EnvironmentSettings,
  type EnvironmentWithSecret,
} from '#contracts/environments';
import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';
import { authorise } from '../access/authorise.ts';
import { environmentNamed, type Guards, type SignedInUser } from '../access/guards.ts';
import type { EnvironmentRecord, IdentityRepository } from '../identity/identity-repository.ts';
import { parseInput } from '../server/parse-input.ts';
import type { EnvironmentRepository } from './environment-repository.ts';

/** The environments of a project. Listing asks for the right to read the project, the rest for the one to manage environments. */
export interface EnvironmentService {
  list(by: SignedInUser): Promise<EnvironmentSettings[]>;
  /** Rejects with `REQUEST_CONFLICT` for a name that is taken. */
  create(by: SignedInUser, input: CreateEnvironment): Promise<EnvironmentWithSecret>;
  /** Rejects with `REQUEST_NOT_FOUND`. */
  change(by: SignedInUser, name: string, input: ChangeEnvironment): Promise<EnvironmentSettings>;
  /** A new secret. The one before stops working at once. */
  rotateSecret(by: SignedInUser, name: string): Promise<EnvironmentWithSecret>;
}

export function createEnvironmentService(
  environments: EnvironmentRepository,
  identity: IdentityRepository,
  random: Random,
): EnvironmentService {
  const find = ({ environment }: SignedInUser, name: string) => environmentNamed(identity, environment, name);
  return {
    list: async (by) => {
      authorise(by, 'read the project');
      return (await identity.listEnvironments(by.environment.projectId)).map(settingsOf);
    },
    create: async (by, { name, type, agentAddresses = [] }) => {
      authorise(by, 'manage environments');
      const { projectId } = by.environment;
      const secret = random.hex(32);
      await environments.add({ projectId, name, type, agentAddresses, secretHash: sha256Hex(secret) }, by.author);
      return { ...settingsOf(await find(by, name)), secret };
    },
    change: async (by, name, { agentAddresses }) => {
      authorise(by, 'manage environments');
      await environments.setAgentAddresses(await find(by, name), agentAddresses, by.author);
      return settingsOf(await find(by, name));
    },
    rotateSecret: async (by, name) => {
      authorise(by, 'manage environments');
      const environment = await find(by, name);
      const secret = random.hex(32);
      await environments.setSecret(environment, sha256Hex(secret), by.author);
      return { ...settingsOf(environment), secret };
    },
  };
}

function settingsOf({ id, name, type, agentAddresses }: EnvironmentRecord): EnvironmentSettings {
  return { id, name, type, agentAddresses: [...agentAddresses] };
}

const environmentPath = z.object({ name: z.string() });
const noQuery = z.strictObject({});

/** The routes of `#contracts/environments`. */
export function registerEnvironmentRoutes(
  server: FastifyInstance,
  guards: Guards,
  environments: EnvironmentService,
): void {
  const onRequest = guards.user.check;
  server.get('/api/environments', { onRequest }, async (request) => {
    parseInput(noQuery, request.query);
    return { environments: await environments.list(guards.user.of(request)) };
  });
  server.post('/api/environments', { onRequest }, async (request, reply) => {
    const input = parseInput(createEnvironmentSchema, request.body);
    return reply.code(201).send(await environments.create(guards.user.of(request), input));
  });
  server.patch('/api/environments/:name', { onRequest }, async (request) => {
    const { name } = parseInput(environmentPath, request.params);
    return environments.change(guards.user.of(request), name, parseInput(changeEnvironmentSchema, request.body));
  });
  server.post('/api/environments/:name/secret', { onRequest }, async (request) => {
    const { name } = parseInput(environmentPath, request.params);
    return environments.rotateSecret(guards.user.of(request), name);
  });
}
