import { expect } from 'vitest';
import type { SchemaDocument } from '#contracts/schema-document';
import { sha256Hex } from '#node/system/digest';
import { systemRandom } from '#node/system/system-random';
import type { PlatformClient } from '#platform-client/platform-client';
import { eventually } from './eventually.ts';
import { schemaCollection, schemaDocument } from './schema-document.ts';

interface GivenVersion {
  readonly message: string;
  /** The type of the field `total`; `null` for a version that tells no schema. */
  readonly typeOfTotal: string | null;
  readonly permissions?: object;
  readonly dataSources?: Readonly<Record<string, { readonly uri: string }>>;
}

/** Upload a version as the command line does, without a project that it is built from. Resolves to its number. */
export async function uploadVersion(client: PlatformClient, given: GivenVersion): Promise<number> {
  const { projectId } = await client.me();
  const part = async (text: string) => {
    const bytes = Buffer.from(text);
    await client.uploadBundle(sha256Hex(bytes), bytes);
    return { digest: sha256Hex(bytes), sizeBytes: bytes.byteLength };
  };
  const { message, typeOfTotal, permissions, dataSources = {} } = given;
  const version = await client.createVersion({
    manifest: {
      formatVersion: 2,
      projectId,
      code: await part(`module.exports = () => ${JSON.stringify(message)};`),
      permissions: permissions ? await part(JSON.stringify(permissions)) : null,
      dataSources: { ...dataSources },
      ...(typeOfTotal === null ? {} : { schema: await part(JSON.stringify(ordersWith(typeOfTotal))) }),
      builtWith: '0.1.0',
      gitCommit: sha256Hex(message).slice(0, 40),
    },
    message,
    idempotencyKey: systemRandom.uuid(),
  });
  return version.number;
}

/** Upload a version and deploy it. Resolves when it is live. */
export async function deliver(client: PlatformClient, given: GivenVersion): Promise<void> {
  const version = await uploadVersion(client, given);
  const { live: base } = await client.listDeployments();
  const idempotencyKey = systemRandom.uuid();
  const { number } = await client.createDeployment({ target: { version }, base, idempotencyKey });
  await eventually(async () => expect((await client.listDeployments()).live).toBe(number));
}

/** Two versions, each deployed in its turn: the second one changes the type of a field, and is live. */
export async function deliverTwice(client: PlatformClient): Promise<void> {
  await deliver(client, { message: 'Totals as texts', typeOfTotal: 'String' });
  await deliver(client, { message: 'Exact totals', typeOfTotal: 'Number' });
}

function ordersWith(typeOfTotal: string): SchemaDocument {
  const total: SchemaDocument['collections'][number]['fields'][number] = {
    field: 'total',
    type: typeOfTotal,
    defaultValue: null,
    enums: null,
    integration: null,
    inverseOf: null,
    isFilterable: true,
    isPrimaryKey: false,
    isReadOnly: false,
    isRequired: false,
    isSortable: true,
    isVirtual: false,
    reference: null,
    validations: [],
  };
  return schemaDocument([schemaCollection('orders', { fields: [total] })]);
}
