import * as z from 'zod';
import { scimPath } from '../scim-tokens.ts';
import type { Operation } from './operation.ts';

const schemas = z.array(z.string());
const meta = z.object({
  resourceType: z.string(),
  created: z.iso.datetime(),
  lastModified: z.iso.datetime(),
  location: z.url(),
  version: z.string().optional(),
});

const userSchema = z.looseObject({
  schemas: schemas.optional(),
  userName: z.string(),
  externalId: z.string().nullish(),
  name: z.looseObject({ givenName: z.string(), familyName: z.string(), formatted: z.string() }).partial().optional(),
  displayName: z.string().optional(),
  emails: z.array(z.looseObject({ value: z.string(), primary: z.boolean().optional() })).optional(),
  active: z.boolean().optional(),
});

const groupSchema = z.looseObject({
  schemas: schemas.optional(),
  displayName: z.string(),
  externalId: z.string().nullish(),
  members: z.array(z.looseObject({ value: z.string() })).optional(),
});

/** What comes back has the attributes that were asked for. */
const resourceSchema = z.looseObject({ schemas, id: z.string(), meta: meta.optional() });

const listSchema = z.object({
  schemas,
  totalResults: z.int(),
  startIndex: z.int(),
  itemsPerPage: z.int(),
  Resources: z.array(resourceSchema),
});

/** `/Schemas` and `/ResourceTypes` have no id of their own in a list of them. */
const definitionSchema = z.looseObject({ schemas, id: z.string(), meta: z.looseObject({ location: z.url() }) });
const definitionListSchema = listSchema.extend({ Resources: z.array(definitionSchema) });

const patchSchema = z.object({
  schemas: z.array(z.literal('urn:ietf:params:scim:api:messages:2.0:PatchOp')).min(1),
  Operations: z
    .array(
      z.object({
        op: z.enum(['add', 'remove', 'replace']).describe('In capital letters too.'),
        path: z.string().optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1),
});

const projection = { attributes: z.string().optional(), excludedAttributes: z.string().optional() };
/** Clients add parameters of their own. */
const oneQuery = z.looseObject(projection);
const listQuery = oneQuery.extend({
  filter: z.string().optional().describe('RFC 7644, 3.4.2.2. At most 2,000 characters.'),
  sortBy: z.string().optional(),
  sortOrder: z.string().optional().describe('"ascending" or "descending".'),
  startIndex: z.string().optional().describe('A whole number, counted from 1.'),
  count: z.string().optional().describe('A whole number, 200 at most.'),
});

const searchSchema = z.object({
  schemas: z.array(z.literal('urn:ietf:params:scim:api:messages:2.0:SearchRequest')).min(1),
  filter: z.string().optional(),
  sortBy: z.string().optional(),
  sortOrder: z.enum(['ascending', 'descending']).optional(),
  startIndex: z.int().optional(),
  count: z.int().optional(),
  attributes: z.array(z.string()).optional(),
  excludedAttributes: z.array(z.string()).optional(),
});

const bulkSchema = z.object({
  schemas: z.array(z.literal('urn:ietf:params:scim:api:messages:2.0:BulkRequest')).min(1),
  failOnErrors: z.int().min(1).optional(),
  Operations: z
    .array(
      z.object({
        method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']),
        path: z.string().describe('`/Users`, or `/Users/<id>`; the same for groups.'),
        bulkId: z.string().optional(),
        version: z.string().optional(),
        data: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(100),
});

const bulkAnswerSchema = z.object({
  schemas,
  Operations: z.array(z.looseObject({ method: z.string(), status: z.string(), bulkId: z.string().optional() })),
});

/** The body of a refusal (RFC 7644, 3.12). */
export const scimErrorSchema = z.object({
  schemas: z.array(z.literal('urn:ietf:params:scim:api:messages:2.0:Error')).min(1),
  status: z.string(),
  scimType: z.string().optional(),
  detail: z.string(),
});

const byCompany = { credential: 'scimToken', query: oneQuery } as const;
const idPath = z.strictObject({ id: z.string() });

function operationsOf(kind: 'User' | 'Group', body: z.ZodType): readonly Operation[] {
  const path = `${scimPath}/${kind}s` as const;
  const [noun, of] = [kind.toLowerCase(), { params: idPath, ...byCompany }];
  return [
    {
      ...byCompany,
      id: `listScim${kind}s`,
      method: 'get',
      path: `${path}`,
      summary: `SCIM: the ${noun}s of the project of the token.`,
      query: listQuery,
      answers: { 200: listSchema },
    },
    {
      ...byCompany,
      id: `searchScim${kind}s`,
      method: 'post',
      path: `${path}/.search`,
      summary: `SCIM: the same list of ${noun}s, with its parameters in the body.`,
      body: searchSchema,
      answers: { 200: listSchema },
    },
    {
      ...byCompany,
      id: `createScim${kind}`,
      method: 'post',
      path: `${path}`,
      summary: `SCIM: make a ${noun}.`,
      body,
      answers: { 201: resourceSchema },
    },
    {
      ...of,
      id: `getScim${kind}`,
      method: 'get',
      path: `${path}/{id}`,
      summary: `SCIM: one ${noun}.`,
      answers: { 200: resourceSchema, 304: 'nothing' },
    },
    {
      ...of,
      id: `replaceScim${kind}`,
      method: 'put',
      path: `${path}/{id}`,
      summary: `SCIM: replace a ${noun}.`,
      body,
      answers: { 200: resourceSchema },
    },
    {
      ...of,
      id: `patchScim${kind}`,
      method: 'patch',
      path: `${path}/{id}`,
      summary: `SCIM: change a ${noun}.`,
      body: patchSchema,
      answers: { 200: resourceSchema },
    },
    {
      ...of,
      id: `deleteScim${kind}`,
      method: 'delete',
      path: `${path}/{id}`,
      summary: kind === 'User' ? 'SCIM: deactivate somebody.' : 'SCIM: remove a group.',
      answers: { 204: 'nothing' },
    },
  ];
}

/** SCIM 2.0 (RFC 7643 and 7644): its own media type, its own errors, and a token that opens nothing else. */
export const scimOperations: readonly Operation[] = [
  ...operationsOf('User', userSchema),
  ...operationsOf('Group', groupSchema),
  {
    ...byCompany,
    id: 'searchScim',
    method: 'post',
    path: `${scimPath}/.search`,
    summary: 'SCIM: users and groups in one list.',
    body: searchSchema,
    answers: { 200: listSchema },
  },
  {
    ...byCompany,
    id: 'runScimBulk',
    method: 'post',
    path: `${scimPath}/Bulk`,
    summary: 'SCIM: several changes in one request.',
    body: bulkSchema,
    answers: { 200: bulkAnswerSchema },
  },
  {
    ...byCompany,
    id: 'getScimConfiguration',
    method: 'get',
    path: `${scimPath}/ServiceProviderConfig`,
    summary: 'SCIM: what this implementation can do.',
    answers: { 200: z.looseObject({ schemas }) },
  },
  ...(['ResourceTypes', 'Schemas'] as const).flatMap((name): readonly Operation[] => [
    {
      ...byCompany,
      id: `listScim${name}`,
      method: 'get',
      path: `${scimPath}/${name}`,
      summary: `SCIM: the ${name === 'Schemas' ? 'attributes of each kind of resource' : 'kinds of resources'}.`,
      answers: { 200: definitionListSchema },
    },
    {
      ...byCompany,
      params: idPath,
      id: `getScim${name.slice(0, -1)}`,
      method: 'get',
      path: `${scimPath}/${name}/{id}`,
      summary: `SCIM: one of the ${name === 'Schemas' ? 'schemas' : 'kinds'}.`,
      answers: { 200: definitionSchema },
    },
  ]),
];
