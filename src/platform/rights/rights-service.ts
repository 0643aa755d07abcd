import type { FastifyInstance } from 'fastify';
import { pageQuery } from '#contracts/api/deployment-operations';
import type { PermissionFile } from '#contracts/permission-file';
import { checkPermissions, placeInWords } from '#contracts/permission-problems';
import {
  type CheckedDraft,
  checkRightsSchema,
  type RenamedRole,
  type ReplaceRights,
  type Rights,
  type RightsHistory,
  replaceRightsSchema,
} from '#contracts/rights';
import { differenceInWords, restrictionsInWords } from '#contracts/rights-in-words';
import type { SchemaDocument } from '#contracts/schema-document';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { fullNameOf } from '#kernel/text/full-name';
import { authorise } from '../access/authorise.ts';
import { type Guards, readingRoute, type SignedInUser } from '../access/guards.ts';
import type { SchemaRepository } from '../schemas/schemas.ts';
import { parseInput } from '../server/parse-input.ts';
import { withRenamedRole } from './rename-roles.ts';
import type { RightsRepository } from './rights-repository.ts';

/** Problems and differences that one message lists. */
const maxListed = 10;

/** Reads and replaces the rights of an environment, for people who may. */
export interface RightsService {
  read(by: SignedInUser): Promise<Rights>;
  /** Rejects with `REQUEST_FORBIDDEN`, `PERMISSION_FILE_INVALID`, `REQUEST_CONFLICT` or `ADMINISTRATORS_LOCKED_OUT`. */
  replace(by: SignedInUser, input: ReplaceRights): Promise<Rights>;
  /** What a document would change, and who would be left without any rights. */
  check(by: SignedInUser, document: PermissionFile | null, renamedRoles: readonly RenamedRole[]): Promise<CheckedDraft>;
  history(
    by: SignedInUser,
    page: { readonly limit: number; readonly before?: number | undefined },
  ): Promise<RightsHistory>;
}

export function createRightsService(rights: RightsRepository, schemas: SchemaRepository): RightsService {
  const read = async ({ id, projectId }: SignedInUser['environment']): Promise<Rights> => {
    const [known, teams] = await Promise.all([rights.find(id), rights.listTeams(projectId)]);
    return { document: known?.document ?? null, revision: known?.revision ?? 0, teams };
  };

  return {
    read: async (by) => {
      authorise(by, 'read rights');
      return read(by.environment);
    },
    replace: async (by, { document, base, allowUnknown = false, allowLockout = false, renamedRoles }) => {
      authorise(by, 'set rights');
      const { environment, author } = by;
      const schema = allowUnknown ? undefined : await schemas.findDocument(environment.id);
      const valid = document === null ? null : validRights(document, schema);
      if (!(await rights.replace({ environment, document: valid, base, author, allowLockout, renamedRoles }))) {
        throw await changedMeanwhile(environment, base);
      }
      return read(environment);
    },
    check: async (by, document, renamedRoles) => {
      authorise(by, 'read rights');
      const { id, projectId } = by.environment;
      const [leftOut, known, schema] = await Promise.all([
        rights.leftOut(projectId, document, renamedRoles),
        rights.find(id),
        schemas.findDocument(id),
      ]);
      const checked = document === null ? { document } : checkRights(document, schema);
      // A role with another name has the rights that it had.
      const before = known?.document ? renamedRoles.reduce(withRenamedRole, known.document) : null;
      const changes = changeFrom(before, document);
      const restricting = new Set([...restrictionsInWords(before), ...restrictionsInWords(document)]);
      return {
        ...leftOut,
        revision: known?.revision ?? 0,
        ...changes,
        restrictions: [...changes.removed, ...changes.added].filter((sentence) => restricting.has(sentence)),
        problems: 'problems' in checked ? [...checked.problems] : [],
      };
    },
    history: async (by, { limit, before }) => {
      authorise(by, 'read rights');
      // One more, because a change is what differs from the revision below it.
      const found = await rights.listChanges(by.environment.id, limit + 1, before);
      const changes = found.slice(0, limit).map(({ revision, document, author, createdAt }, index) => ({
        revision,
        author: { name: fullNameOf(author), email: author.email },
        at: new Date(createdAt).toISOString(),
        ...changeFrom(found[index + 1]?.document ?? null, document),
      }));
      return { changes, nextBefore: found.length > limit ? (changes.at(-1)?.revision ?? null) : null };
    },
  };

  async function changedMeanwhile(environment: SignedInUser['environment'], base: number): Promise<CloudError> {
    const before = await rights.findRevision(environment.id, base);
    const now = await read(environment);
    const { removed, added } = differenceInWords(before?.document ?? null, now.document);
    const changes = [...removed.map((sentence) => `- ${sentence}`), ...added.map((sentence) => `+ ${sentence}`)];
    return cloudError(
      'REQUEST_CONFLICT',
      `The rights were changed meanwhile: their revision is ${now.revision}, and not ${base}. ${listed(changes, '; ')}`,
      'Look at the rights as they are now, then change them.',
      { details: { revision: now.revision } },
    );
  }
}

/** The document, where its names are those of the schema. Throws `PERMISSION_FILE_INVALID`. */
export function validRights(document: unknown, schema: SchemaDocument | undefined): PermissionFile {
  const checked = checkRights(document, schema);
  if ('document' in checked) return checked.document;
  throw cloudError(
    'PERMISSION_FILE_INVALID',
    `The rights are not valid. ${listed(checked.problems, ' ')}`,
    'Correct the places that the message names.',
  );
}

function checkRights(document: unknown, schema: SchemaDocument | undefined) {
  const checked = checkPermissions(document, schema?.collections, schema?.meta.masks);
  if ('document' in checked) return checked;
  return { problems: checked.problems.map(({ place, message }) => `${placeInWords(place)}: ${message}`) };
}

function changeFrom(...documents: Parameters<typeof differenceInWords>) {
  const { removed, added } = differenceInWords(...documents);
  return { removed: [...removed], added: [...added] };
}

function listed(lines: readonly string[], separator: string): string {
  const more = lines.length > maxListed ? [`… and ${lines.length - maxListed} more.`] : [];
  return [...lines.slice(0, maxListed), ...more].join(separator);
}

/** Rights of a thousand collections and a dozen roles make about 3 MB. */
export const maxRightsBytes = 8 * 1024 * 1024;

/** The routes of `#contracts/rights`. */
export function registerRightsRoutes(server: FastifyInstance, guards: Guards, rights: RightsService): void {
  const onRequest = guards.user.check;
  server.get('/api/rights', { onRequest }, async (request) => rights.read(guards.user.of(request)));
  server.put('/api/rights', { onRequest, bodyLimit: maxRightsBytes }, async (request) =>
    rights.replace(guards.user.of(request), parseInput(replaceRightsSchema, request.body)),
  );
  server.post('/api/rights/check', { onRequest, bodyLimit: maxRightsBytes, config: readingRoute }, async (request) => {
    const { document, renamedRoles } = parseInput(checkRightsSchema, request.body);
    return rights.check(guards.user.of(request), document, renamedRoles);
  });
  server.get('/api/rights/history', { onRequest }, async (request) =>
    rights.history(guards.user.of(request), parseInput(pageQuery, request.query)),
  );
}
