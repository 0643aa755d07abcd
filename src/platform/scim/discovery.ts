import { scimPath } from '#contracts/scim-tokens';
import { largestBody, mostOperations } from './bulk.ts';
import { mostOfPage } from './scim-query.ts';
import { groupSchemaId, userSchemaId } from './scim-resources.ts';

/** What this implementation of SCIM can do (RFC 7643, 5). @param origin of the platform. */
export function serviceProviderConfig(origin: string) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
    patch: { supported: true },
    bulk: { supported: true, maxOperations: mostOperations, maxPayloadSize: largestBody },
    filter: { supported: true, maxResults: mostOfPage },
    changePassword: { supported: false },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Token',
        description: 'A token that "vendor-cloud scim create" makes, as Authorization: Bearer.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: `${origin}${scimPath}/ServiceProviderConfig` },
  };
}

export function resourceTypes(origin: string) {
  const type = (name: 'User' | 'Group', schema: string) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    id: name,
    name,
    endpoint: `/${name}s`,
    schema,
    meta: { resourceType: 'ResourceType', location: `${origin}${scimPath}/ResourceTypes/${name}` },
  });
  return [type('User', userSchemaId), type('Group', groupSchemaId)];
}

const text = { type: 'string', multiValued: false, required: false, caseExact: false, mutability: 'readWrite' };
const common = { returned: 'default', uniqueness: 'none' } as const;

function attribute(name: string, rest: object = {}) {
  return { name, ...text, ...common, ...rest };
}

const complex = { type: 'complex' } as const;
const fromServer = { mutability: 'readOnly' } as const;

/** The attributes that the platform keeps, and no other ones (RFC 7643, 7). */
export function schemas(origin: string) {
  const schema = (id: string, name: string, attributes: readonly object[]) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    id,
    name,
    attributes,
    meta: { resourceType: 'Schema', location: `${origin}${scimPath}/Schemas/${id}` },
  });
  return [
    schema(userSchemaId, 'User', [
      attribute('userName', { required: true, uniqueness: 'server' }),
      attribute('externalId', { caseExact: true }),
      attribute('name', {
        ...complex,
        subAttributes: [attribute('formatted'), attribute('givenName'), attribute('familyName')],
      }),
      attribute('displayName'),
      attribute('emails', {
        ...complex,
        multiValued: true,
        subAttributes: [attribute('value'), attribute('type'), attribute('primary', { type: 'boolean' })],
      }),
      attribute('active', { type: 'boolean' }),
      attribute('groups', {
        ...complex,
        ...fromServer,
        multiValued: true,
        subAttributes: [attribute('value', fromServer), attribute('display', fromServer)],
      }),
    ]),
    schema(groupSchemaId, 'Group', [
      attribute('displayName', { required: true, uniqueness: 'server' }),
      attribute('externalId', { caseExact: true }),
      attribute('members', {
        ...complex,
        multiValued: true,
        subAttributes: [attribute('value', { mutability: 'immutable' }), attribute('display', fromServer)],
      }),
    ]),
  ];
}
