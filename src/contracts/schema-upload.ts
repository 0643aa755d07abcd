import * as z from 'zod';
import {
  type SchemaDocument,
  schemaActionSchema,
  schemaCollectionSchema,
  schemaDocumentSchema,
} from './schema-document.ts';

const reference = <Type extends string>(type: Type) => z.object({ type: z.literal(type), id: z.string() });
const segmentSchema = z.object({ id: z.string(), name: z.string() });

/**
 * `POST /service/apimaps`, header `service-secret-key`: the schema document as JSON:API. Actions and segments are
 * relationships of their collection, in full under `included`; the answer has no body.
 */
export const schemaUploadSchema = z.object({
  jsonapi: z.object({ version: z.literal('1.0') }),
  meta: schemaDocumentSchema.shape.meta.extend({ schemaFileHash: z.string().min(1) }),
  data: z.array(
    z.object({
      type: z.literal('collections'),
      id: z.string(),
      attributes: schemaCollectionSchema.omit({ actions: true, segments: true }),
      relationships: z.object({
        actions: z.object({ data: z.array(reference('actions')) }),
        segments: z.object({ data: z.array(reference('segments')) }),
      }),
    }),
  ),
  included: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('actions'), id: z.string(), attributes: schemaActionSchema.omit({ id: true }) }),
      z.object({ type: z.literal('segments'), id: z.string(), attributes: segmentSchema.omit({ id: true }) }),
    ]),
  ),
});

export type SchemaUpload = z.infer<typeof schemaUploadSchema>;

/** The upload of a schema document. `hash` is the one `POST /service/apimaps/hashcheck` asked about. */
export function schemaUploadOf(document: SchemaDocument, hash: string): SchemaUpload {
  return {
    jsonapi: { version: '1.0' },
    meta: { ...document.meta, schemaFileHash: hash },
    data: document.collections.map(({ actions, segments, ...attributes }) => ({
      type: 'collections',
      id: attributes.name,
      attributes,
      relationships: {
        actions: { data: actions.map(({ id }) => ({ type: 'actions', id })) },
        segments: { data: segments.map(({ id }) => ({ type: 'segments', id })) },
      },
    })),
    included: document.collections.flatMap(({ actions, segments }) => [
      ...segments.map(({ id, ...attributes }) => ({ type: 'segments' as const, id, attributes })),
      ...actions.map(({ id, ...attributes }) => ({ type: 'actions' as const, id, attributes })),
    ]),
  };
}

/** The schema document of an upload; a reference to something that is not included is dropped. */
export function schemaDocumentOf(upload: SchemaUpload): SchemaDocument {
  const actions = new Map<string, SchemaDocument['collections'][number]['actions'][number]>();
  const segments = new Map<string, SchemaDocument['collections'][number]['segments'][number]>();
  for (const part of upload.included) {
    if (part.type === 'actions') actions.set(part.id, { id: part.id, ...part.attributes });
    else segments.set(part.id, { id: part.id, ...part.attributes });
  }
  const { schemaFileHash: _hash, ...meta } = upload.meta;
  return {
    collections: upload.data.map(({ attributes, relationships }) => ({
      ...attributes,
      actions: relationships.actions.data.flatMap(({ id }) => actions.get(id) ?? []),
      segments: relationships.segments.data.flatMap(({ id }) => segments.get(id) ?? []),
    })),
    meta,
  };
}
