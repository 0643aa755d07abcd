import { propertyName } from '#kernel/text/property-name';
import type { CompiledCollection, CompiledModel } from '../../../model/compiled-model.ts';
import { noId, packId } from '../../../model/record-id.ts';
import type { RecordData } from '../../../query/record-query.ts';
import { JsonText } from '../../request/request-limits.ts';

/** The links of a document. */
export interface DocumentLinks {
  /** The start of each. */
  readonly prefix: string;
  /** Leave out those of relations to many, which are half of many a document. */
  readonly areLeftOut: boolean;
}

/** What stands beside an empty id: the record has no key, so nothing can be asked of it by its id. */
const metaWithoutKey = '"meta":{"hasKey":false}';

/** The shared state of the records in one document. */
interface Rendering {
  readonly model: CompiledModel;
  readonly links: DocumentLinks;
  /** By type and id; a record referred to twice is included once. */
  readonly included: Map<string, string>;
}

/** The parts of a record's text that are the same for every record of a collection. */
interface ResourceParts {
  readonly prefix: string;
  /** Up to the id. */
  readonly beforeId: string;
  readonly toOne: readonly { readonly name: string; readonly beforeData: string; readonly foreignCollection: string }[];
  readonly toMany: readonly { readonly beforeId: string; readonly afterId: string }[];
}

/**
 * The JSON:API document of one record, or of none. It is written without objects in between, and without a look back at what
 * is written, which V8 keeps in pieces until the end: twice as fast.
 */
export function recordDocument(
  model: CompiledModel,
  collection: CompiledCollection,
  record: RecordData | null,
  links: DocumentLinks,
): JsonText {
  const rendering = { model, links, included: new Map<string, string>() };
  const data = record ? resourceText(collection, record, packId(collection, record), rendering) : 'null';
  return documentOf(data, rendering);
}

/** The JSON:API document of a page of records. */
export function recordListDocument(
  model: CompiledModel,
  collection: CompiledCollection,
  records: readonly RecordData[],
  links: DocumentLinks,
  meta?: unknown,
): JsonText {
  const rendering = { model, links, included: new Map<string, string>() };
  let data = '';
  for (const record of records) {
    data += `${data === '' ? '' : ','}${resourceText(collection, record, packId(collection, record), rendering)}`;
  }
  return documentOf(`[${data}]`, rendering, meta);
}

function documentOf(data: string, { included }: Rendering, meta?: unknown): JsonText {
  let resources = '';
  for (const text of included.values()) resources += `${resources === '' ? '' : ','}${text}`;
  const includedText = resources === '' ? '' : `,"included":[${resources}]`;
  const metaText = meta === undefined ? '' : `,"meta":${JSON.stringify(meta)}`;
  return new JsonText(`{"jsonapi":{"version":"1.0"},"data":${data}${includedText}${metaText}}`);
}

function resourceText(collection: CompiledCollection, record: RecordData, id: string, rendering: Rendering): string {
  const { prefix, areLeftOut } = rendering.links;
  const { beforeId, toOne, toMany } = partsOf(collection, prefix);
  const linked = linkedIn(record, toOne);
  let related = linkedText(linked, record, rendering);
  const idInLink = encodeURIComponent(id);
  for (const link of areLeftOut || id === noId ? [] : toMany)
    related += `${related === '' ? '' : ','}${link.beforeId}${idInLink}${link.afterId}`;
  const attributes = attributesText(linked, record);
  const relationships = related === '' ? '' : `,"relationships":{${related}}`;
  const meta = id === noId ? `,${metaWithoutKey}` : '';
  return `${beforeId}${JSON.stringify(id)},"attributes":${attributes}${relationships}${meta}}`;
}

/** The relations that a record shows, if only as null. */
function linkedIn(record: RecordData, toOne: ResourceParts['toOne']): ResourceParts['toOne'] {
  return toOne.length === 0 ? toOne : toOne.filter(({ name }) => Object.hasOwn(record, name));
}

function linkedText(linked: ResourceParts['toOne'], record: RecordData, rendering: Rendering): string {
  let related = '';
  for (const { name, beforeData, foreignCollection } of linked) {
    const data = includeLinked(foreignCollection, record[name], rendering);
    related += `${related === '' ? '' : ','}${beforeData}${data}}`;
  }
  return related;
}

/** The values of a record. JSON leaves out what is undefined. */
function attributesText(linked: ResourceParts['toOne'], record: RecordData): string {
  if (linked.length === 0) return JSON.stringify(record);
  const values: Record<string, unknown> = { ...record };
  for (const { name } of linked) values[name] = undefined;
  return JSON.stringify(values);
}

/** Puts the record at the other end of a to-one relation in `included`; what it refers to itself comes before it. */
function includeLinked(foreign: string, value: unknown, rendering: Rendering): string {
  const collection = rendering.model.collections.get(foreign);
  if (!isRecord(value) || !collection) return 'null';
  const id = packId(collection, value);
  const { beforeId, toOne } = partsOf(collection, rendering.links.prefix);
  // Several records without a key have this type and id, so that none of them can be told apart in `included`.
  if (id === noId) {
    const linked = linkedIn(value, toOne);
    const related = linkedText(linked, value, rendering);
    const relationships = related === '' ? '' : `,"relationships":{${related}}`;
    return `${beforeId}"","meta":{"hasKey":false,"attributes":${attributesText(linked, value)}${relationships}}}`;
  }
  const identity = `${beforeId}${JSON.stringify(id)}}`;
  if (!rendering.included.has(identity)) {
    rendering.included.set(identity, resourceText(collection, value, id, rendering));
  }
  return identity;
}

const knownParts = new WeakMap<CompiledCollection, ResourceParts>();

function partsOf(collection: CompiledCollection, prefix: string): ResourceParts {
  const known = knownParts.get(collection);
  if (known?.prefix === prefix) return known;
  const fields = [...collection.fields.values()];
  const toOne = fields.flatMap((field) => {
    if (field.kind !== 'ManyToOne' && field.kind !== 'OneToOne') return [];
    const { name, foreignCollection } = field;
    return { name: propertyName(name), beforeData: `${JSON.stringify(name)}:{"data":`, foreignCollection };
  });
  const link = `{"links":{"related":{"href":"${unquoted(prefix)}/${unquoted(collection.name)}/`;
  const toMany = fields
    .filter((field) => field.kind === 'OneToMany' || field.kind === 'ManyToMany')
    .map(({ name }) => ({
      beforeId: `${JSON.stringify(name)}:${link}`,
      afterId: `/relationships/${unquoted(name)}"}}}`,
    }));
  const parts = { prefix, beforeId: `{"type":${JSON.stringify(collection.name)},"id":`, toOne, toMany };
  knownParts.set(collection, parts);
  return parts;
}

/** A text inside one of JSON. */
function unquoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function isRecord(value: unknown): value is RecordData {
  return typeof value === 'object' && value !== null;
}
