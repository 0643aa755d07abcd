import type { SchemaCollection, SchemaDocument } from '#contracts/schema-document';
import { type CompiledCollection, type CompiledModel, columnOf, isValueField } from '../model/compiled-model.ts';
import { schemaAction } from './schema-action.ts';
import { isOnlyForeignKey, schemaField } from './schema-field.ts';

export { renderSchemaDocument } from './render-schema-document.ts';

export interface SchemaDocumentOptions {
  /** The prefix of the agent's routes, for instance `/service`. */
  readonly prefix: string;
  /** Version of this package. */
  readonly version: string;
  /** Optional abilities of the agent, by name, with their version. Default: none. */
  readonly features?: Readonly<Record<string, string>> | undefined;
}

/** The schema of the collections that the agent sends to the platform, in canonical order. */
export function buildSchemaDocument(
  model: CompiledModel,
  { prefix, version, features }: SchemaDocumentOptions,
): SchemaDocument {
  const collections = [...model.collections.values()].toSorted((a, b) => compareNames(a.name, b.name));
  return {
    collections: collections.map((collection) => schemaCollection(model, collection, prefix)),
    meta: {
      agent: 'vendor-nodejs-agent',
      agent_version: version,
      agent_features: features ?? null,
      stack: { engine: 'nodejs', engine_version: process.versions.node },
    },
  };
}

function schemaCollection(model: CompiledModel, collection: CompiledCollection, prefix: string): SchemaCollection {
  const { name } = collection;
  const fields = [...collection.fields.values()].toSorted((a, b) => codePointOrder(a.name, b.name));
  const actions = [...collection.actions.values()].toSorted((a, b) => codePointOrder(a.name, b.name));
  const foreignKeys = fields.filter((field) => isOnlyForeignKey(collection, field)).map((field) => field.name);
  return {
    actions: actions.map((action) => schemaAction(model, name, action, prefix)),
    fields: fields.flatMap((field) => schemaField(model, collection, field) ?? []),
    ...(foreignKeys.length > 0 && { foreignKeys }),
    icon: null,
    integration: null,
    isReadOnly: [...collection.fields.values()].every((field) => !isValueField(field) || columnOf(field).isReadOnly),
    isSearchable: collection.isSearchable,
    isVirtual: false,
    name,
    onlyForRelationships: false,
    paginationType: 'page',
    segments: [...collection.segments.keys()].sort().map((segment) => ({ id: `${name}.${segment}`, name: segment })),
  };
}

/** Case-insensitive, in the order of one fixed language, so that the file is the same on every machine. */
function compareNames(a: string, b: string): number {
  return a.localeCompare(b, 'en', { sensitivity: 'base' }) || codePointOrder(a, b);
}

function codePointOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
