import type { MongoDocument } from '#kernel/ports/mongo-database';
import type { ListQuery, RecordData } from '../../query/record-query.ts';
import { setValue } from '../../query/shape-record.ts';
import { decodeValue } from './document-values.ts';
import type { QueryPipeline, ReachedColumn } from './mongo-pipeline.ts';

/** Makes a record of a document. */
type Read = (document: MongoDocument) => RecordData;

interface Shape {
  readonly columns: (ReachedColumn & { readonly name: string; readonly key: string })[];
  readonly relations: Map<string, { readonly shape: Shape; readonly mark: string }>;
}

/** Put a whole list together. Relations that only the result needs are joined for the page and no more. */
export function planList(pipeline: QueryPipeline, { projection, where, sort = [], page }: ListQuery): Read {
  pipeline.match(where);
  pipeline.sort(sort);
  if (page) addPage(pipeline, page);
  return project(pipeline, projection);
}

/**
 * End in the columns, each under a short name, as those of columns may be anything.
 *
 * @param keepsId whether the documents have their `_id` too.
 */
export function project(pipeline: QueryPipeline, projection: readonly string[], keepsId = false): Read {
  const root: Shape = { columns: [], relations: new Map() };
  const output: Record<string, unknown> = { _id: keepsId ? 1 : 0 };
  const nameOf = (path: string) => {
    const key = `v${Object.keys(output).length}`;
    output[key] = `$${path}`;
    return key;
  };
  for (const fieldPath of new Set(projection)) {
    const steps = fieldPath.split(':');
    const name = steps.pop() ?? '';
    let shape = root;
    for (const [index, step] of steps.entries()) {
      const known = shape.relations.get(step) ?? {
        shape: { columns: [], relations: new Map() },
        mark: nameOf(pipeline.markOf(steps.slice(0, index + 1).join(':'))),
      };
      shape.relations.set(step, known);
      shape = known.shape;
    }
    const reached = pipeline.reach(fieldPath);
    shape.columns.push({ ...reached, name, key: nameOf(reached.path) });
  }
  pipeline.add({ $project: output });
  return (document) => readShape(root, document);
}

function readShape(shape: Shape, document: MongoDocument): RecordData {
  const record: Record<string, unknown> = {};
  for (const { name, key, column } of shape.columns) setValue(record, name, decodeValue(column, document[key]));
  for (const [name, { shape: inner, mark }] of shape.relations) {
    const isThere = document[mark] !== undefined && document[mark] !== null;
    setValue(record, name, isThere ? readShape(inner, document) : null);
  }
  return record;
}

function addPage(pipeline: QueryPipeline, { skip, limit }: { readonly skip: number; readonly limit: number }): void {
  if (skip > 0) pipeline.add({ $skip: skip });
  // MongoDB takes no limit of nothing.
  pipeline.add(limit > 0 ? { $limit: limit } : { $match: { $nor: [{}] } });
}
