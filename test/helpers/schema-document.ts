import type { SchemaDocument } from '#contracts/schema-document';

type SchemaCollection = SchemaDocument['collections'][number];

/** A writable collection without fields, actions or segments, except for what `given` says. */
export function schemaCollection(name: string, given: Partial<SchemaCollection> = {}): SchemaCollection {
  return {
    name,
    fields: [],
    icon: null,
    integration: null,
    isReadOnly: false,
    isSearchable: true,
    isVirtual: false,
    onlyForRelationships: false,
    paginationType: 'page',
    segments: [],
    actions: [],
    ...given,
  };
}

/** The schema that an agent with these collections uploads. */
export function schemaDocument(collections: readonly SchemaCollection[]): SchemaDocument {
  return {
    collections: [...collections],
    meta: {
      agent: 'vendor-nodejs-agent',
      agent_version: '0.1.0',
      agent_features: null,
      stack: { engine: 'nodejs', engine_version: '24' },
    },
  };
}
