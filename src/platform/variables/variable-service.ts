import type { FastifyInstance } from 'fastify';
import { variablesQuery } from '#contracts/api/deployment-operations';
import type { HostVariables } from '#contracts/hosting';
import { type ChangeVariables, changeVariablesSchema, type VariableList } from '#contracts/variables';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { fullNameOf } from '#kernel/text/full-name';
import { authorise } from '../access/authorise.ts';
import type { Guards, SignedInUser } from '../access/guards.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import { parseInput } from '../server/parse-input.ts';
import type { VariableRepository } from './variable-repository.ts';

/** Variables and secrets of environments. A deployment goes on with the revision that it was made with. */
export interface VariableService {
  /** The names only, of the newest revision by default. Rejects with `REQUEST_NOT_FOUND`. */
  list(by: SignedInUser, revision?: number): Promise<VariableList>;
  /** A change that changes nothing adds no revision. Rejects with `REQUEST_FORBIDDEN` or `REQUEST_CONFLICT`. */
  change(by: SignedInUser, input: ChangeVariables): Promise<VariableList>;
  /** The newest revision; 0 before the first change. */
  newestRevision(environmentId: number): Promise<number>;
  /** For the hosts of the environment. Rejects with `REQUEST_NOT_FOUND`. */
  read(environment: EnvironmentRecord, revision: number): Promise<HostVariables>;
}

export function createVariableService(repository: VariableRepository): VariableService {
  const listed = async (environmentId: number, revision: number, names: readonly string[]): Promise<VariableList> => {
    const found = await repository.findChange(environmentId, revision);
    const change = found && {
      author: { name: fullNameOf(found.author), email: found.author.email },
      at: new Date(found.at).toISOString(),
    };
    return { revision, names: [...names].sort(), change: change ?? null };
  };
  return {
    list: async (by, wanted) => {
      authorise(by, `set variables of ${by.environment.type}`);
      const revision = wanted ?? (await repository.newest(by.environment.id));
      const content = await repository.read(by.environment.id, revision);
      if (!content) throw revisionUnknown(revision);
      return listed(by.environment.id, revision, Object.keys(content.variables));
    },
    change: async (by, { set, unset, base }) => {
      authorise(by, `set variables of ${by.environment.type}`);
      const before = await repository.read(by.environment.id, base);
      if (!before) throw changedMeanwhile(await repository.newest(by.environment.id));
      const variables: Record<string, string> = { ...before.variables, ...set };
      for (const name of unset) delete variables[name];
      const changed = differenceOf(before.variables, variables);
      const names = Object.keys(variables);
      if (changed.set.length + changed.unset.length === 0) {
        const newest = await repository.newest(by.environment.id);
        if (newest !== base) throw changedMeanwhile(newest);
        return listed(by.environment.id, base, names);
      }
      const content = { variables, authSecret: before.authSecret };
      const { isAdded, newest } = await repository.add(by.environment, { base, content, ...changed }, by.author);
      if (!isAdded) throw changedMeanwhile(newest);
      return listed(by.environment.id, newest, names);
    },
    newestRevision: repository.newest,
    read: async ({ id }, revision) => {
      const content = await repository.read(id, revision);
      if (!content) throw revisionUnknown(revision);
      return { revision, ...content };
    },
  };
}

type Variables = Readonly<Record<string, string>>;

function differenceOf(before: Variables, after: Variables) {
  return {
    set: Object.keys(after)
      .filter((name) => !Object.hasOwn(before, name) || before[name] !== after[name])
      .sort(),
    unset: Object.keys(before)
      .filter((name) => !Object.hasOwn(after, name))
      .sort(),
  };
}

function changedMeanwhile(revision: number): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `The variables were changed meanwhile: their revision is ${revision}.`,
    'Look at them again, then change them.',
    { details: { revision } },
  );
}

function revisionUnknown(revision: number): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `The environment has no revision ${revision} of its variables.`,
    'Ask for the revision of a deployment.',
  );
}

/** The routes of `#contracts/variables`. */
export function registerVariableRoutes(server: FastifyInstance, guards: Guards, variables: VariableService): void {
  const onRequest = guards.user.check;
  server.get('/api/variables', { onRequest }, async (request) =>
    variables.list(guards.user.of(request), parseInput(variablesQuery, request.query).revision),
  );
  server.patch('/api/variables', { onRequest }, async (request) =>
    variables.change(guards.user.of(request), parseInput(changeVariablesSchema, request.body)),
  );
}
