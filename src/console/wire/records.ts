import type { ReactNode } from 'react';
import { type AgentAddress, askAgent, type Parameters } from './agent.ts';
import type { Question } from './http.ts';

/** The id of every record whose key is not complete. It finds none of them. */
export const noId = '';

/** A record as screens show it. */
export interface Row {
  /** The packed id: the parts of the key, joined by `|`; `noId` for a record whose key is not complete. */
  readonly id: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Where to-one relations lead; `null` for nowhere. */
  readonly related: Readonly<Record<string, RelatedRow | null>>;
  /** What replaces a value, by column. */
  readonly shown?: Readonly<Record<string, ReactNode>>;
  /** Records that values name, for their values to lead there. */
  readonly links?: Readonly<Record<string, RecordPlace>>;
}

/** Where the page of a record is. */
interface RecordPlace {
  readonly environment: string;
  readonly collection: string;
  readonly id: string;
}

export interface RelatedRow {
  readonly id: string;
  readonly collection: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface Page {
  readonly rows: readonly Row[];
  /** The cursor of the page after this one; `null` at the end, `undefined` where the server tells none. */
  readonly next: string | null | undefined;
}

interface Resource {
  readonly type: string;
  readonly id: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, { readonly data?: Reference | null | readonly Reference[] }>>;
}

interface Reference {
  readonly type: string;
  readonly id: string;
  /** Of a record without a key, which is not among those that are included. */
  readonly meta?: { readonly attributes?: Readonly<Record<string, unknown>> };
}

interface ListDocument {
  readonly data: readonly Resource[];
  readonly included?: readonly Resource[];
  readonly meta?: { readonly page?: { readonly next: string | null } };
}

/** `id, customer:name`: the fields that a request asks for, through relations too. Headers take bytes, here those of UTF-8. */
export function projection(paths: readonly string[]): Readonly<Record<string, string>> {
  const bytes = new TextEncoder().encode(paths.join(', '));
  return { 'service-projection': Array.from(bytes, (byte) => String.fromCharCode(byte)).join('') };
}

export async function listRecords(
  agent: AgentAddress,
  path: readonly string[],
  parameters: Parameters,
  question: Question,
): Promise<Page> {
  const document = await askAgent<ListDocument>(agent, path, parameters, question);
  const included = includedBy(document.included);
  return { rows: document.data.map((resource) => rowOf(resource, included)), next: document.meta?.page?.next };
}

/** One record; `null` where there is none. */
export async function getRecord(
  agent: AgentAddress,
  collection: string,
  id: string,
  question: Question & { readonly parameters?: Parameters },
): Promise<Row> {
  const { parameters, ...rest } = question;
  const document = await askAgent<{ data: Resource; included?: readonly Resource[] }>(
    agent,
    [collection, id],
    parameters,
    rest,
  );
  return rowOf(document.data, includedBy(document.included));
}

/** How many records match; `undefined` where the collection is not counted. */
export async function countRecords(
  agent: AgentAddress,
  path: readonly string[],
  parameters: Parameters,
  signal: AbortSignal,
): Promise<number | undefined> {
  const answer = await askAgent<{ count?: number }>(agent, [...path, 'count'], parameters, { signal });
  return answer.count;
}

/** The body of a new or changed record. `null` unlinks a to-one relation. */
export function recordBody(
  collection: string,
  attributes: Readonly<Record<string, unknown>>,
  links: Readonly<Record<string, RelatedRow | null>> = {},
) {
  const relationships = Object.entries(links).map(([name, to]) => [
    name,
    { data: to && { type: to.collection, id: to.id } },
  ]);
  return {
    data: {
      type: collection,
      attributes,
      ...(relationships.length > 0 ? { relationships: Object.fromEntries(relationships) } : {}),
    },
  };
}

type Included = ReadonlyMap<string, Resource>;

function includedBy(resources: readonly Resource[] = []): Included {
  return new Map(resources.map((resource) => [keyOf(resource), resource]));
}

function keyOf({ type, id }: Reference): string {
  return JSON.stringify([type, id]);
}

function rowOf({ id, attributes = {}, relationships = {} }: Resource, included: Included): Row {
  const related = Object.entries(relationships).flatMap(
    ([name, { data }]): readonly (readonly [string, RelatedRow | null])[] => {
      if (data === undefined || isList(data)) return [];
      if (data === null) return [[name, null]];
      const values = data.meta?.attributes ?? included.get(keyOf(data))?.attributes ?? {};
      return [[name, { id: data.id, collection: data.type, values }]];
    },
  );
  return { id, values: attributes, related: Object.fromEntries(related) };
}

function isList(data: Reference | null | readonly Reference[]): data is readonly Reference[] {
  return Array.isArray(data);
}
