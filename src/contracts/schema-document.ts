import * as z from 'zod';
import { webhookOriginsSchema } from './rest-settings.ts';

/** A column type on the wire: a primitive, a list of one, or an embedded object. */
export const schemaFieldTypeSchema: z.ZodType<SchemaFieldType> = z.lazy(() =>
  z.union([
    z.string(),
    z.tuple([schemaFieldTypeSchema]),
    z.object({ fields: z.array(z.object({ field: z.string(), type: schemaFieldTypeSchema })) }),
  ]),
);
export type SchemaFieldType = string | [SchemaFieldType] | { fields: { field: string; type: SchemaFieldType }[] };

const schemaFieldSchema = z.object({
  defaultValue: z.unknown(),
  enums: z.array(z.string()).nullable(),
  field: z.string(),
  integration: z.null(),
  inverseOf: z.string().nullable(),
  isFilterable: z.boolean(),
  isPrimaryKey: z.boolean(),
  isReadOnly: z.boolean(),
  isRequired: z.boolean(),
  isSortable: z.boolean(),
  isVirtual: z.boolean(),
  reference: z.string().nullable(),
  relationship: z.enum(['BelongsTo', 'HasOne', 'HasMany', 'BelongsToMany']).optional(),
  type: schemaFieldTypeSchema,
  validations: z.array(z.object({ type: z.string(), message: z.string().optional(), value: z.unknown().optional() })),
});

export const schemaActionSchema = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(['single', 'bulk', 'global']),
  baseUrl: z.null(),
  endpoint: z.string(),
  httpMethod: z.literal('POST'),
  redirect: z.null(),
  download: z.boolean(),
  description: z.string().optional(),
  submitButtonLabel: z.string().optional(),
  fields: z.array(z.record(z.string(), z.unknown())),
  /** Present for a form that is known beforehand and has more than fields. */
  layout: z.array(z.record(z.string(), z.unknown())).optional(),
  hooks: z.object({ load: z.boolean(), change: z.array(z.string()) }),
});

export const schemaCollectionSchema = z.object({
  actions: z.array(schemaActionSchema),
  fields: z.array(schemaFieldSchema),
  /**
   * Names of the foreign key columns that are no `fields`, because a relation stands for each. Queries and conditions may name them.
   * Present where there are some.
   */
  foreignKeys: z.array(z.string()).optional(),
  icon: z.null(),
  integration: z.null(),
  isReadOnly: z.boolean(),
  isSearchable: z.boolean(),
  isVirtual: z.boolean(),
  name: z.string(),
  onlyForRelationships: z.boolean(),
  paginationType: z.literal('page'),
  segments: z.array(z.object({ id: z.string(), name: z.string() })),
});

/** The schema file (`.service-schema.json`), and what the agent uploads. */
export const schemaDocumentSchema = z.object({
  collections: z.array(schemaCollectionSchema),
  meta: z.object({
    agent: z.string(),
    agent_version: z.string(),
    agent_features: z.record(z.string(), z.string()).nullable(),
    stack: z.object({ engine: z.string(), engine_version: z.string() }),
    /** Names of the masks of the code, by which rights show fields. Present where there are some. */
    masks: z.array(z.string()).optional(),
    /** Origins that pages may call for the agent. Present in what is sent where the agent lists some; the file never has it. */
    webhook_origins: webhookOriginsSchema.optional(),
  }),
});

/** `GET /api/schema`, `Authorization: Bearer <user token>`: what the newest agent of the environment told; `null` before the first. */
export const knownSchemaSchema = z.object({ schema: schemaDocumentSchema.nullable() });

/** `POST /service/apimaps/hashcheck` */
export const hashCheckSchema = z.object({ schemaFileHash: z.string().min(1) });
export const hashCheckAnswerSchema = z.object({ sendSchema: z.boolean() });

export type SchemaField = z.infer<typeof schemaFieldSchema>;
export type SchemaAction = z.infer<typeof schemaActionSchema>;
export type SchemaCollection = z.infer<typeof schemaCollectionSchema>;
export type SchemaDocument = z.infer<typeof schemaDocumentSchema>;
