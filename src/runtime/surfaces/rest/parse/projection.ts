import { invalidRequest } from '#kernel/errors/request-errors';
import { type CompiledCollection, isValueField } from '../../../model/compiled-model.ts';
import type { QueryParameters } from '../../request/query-parameters.ts';

/**
 * The fields a request asks for: the header `Service-Projection`, else `fields[…]`; `undefined` for the default. The
 * names themselves are checked where the query is planned.
 */
export function parseProjection(
  collection: CompiledCollection,
  query: QueryParameters,
  header: string | undefined,
): readonly string[] | undefined {
  return projectionOfHeader(header) ?? projectionOfQuery(query, collection);
}

function projectionOfHeader(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  return header.split(',').map((part) => part.trim());
}

function projectionOfQuery(query: QueryParameters, collection: CompiledCollection): readonly string[] | undefined {
  const asked = namesIn(query, collection.name);
  return asked?.flatMap((name) => {
    if (name.includes(':')) throw unusable(name, 'it is a path');
    const field = collection.fields.get(name);
    if (!field) throw unusable(name, `"${collection.name}" has no such field`);
    if (isValueField(field)) return [name];
    if (field.kind === 'OneToMany' || field.kind === 'ManyToMany') throw unusable(name, 'it holds many records');
    const columns = namesIn(query, name);
    if (!columns) {
      throw invalidRequest(
        `The parameter "fields[${name}]" is missing.`,
        `Name the columns, such as fields[${name}]=id.`,
      );
    }
    return columns.map((column) => `${name}:${column}`);
  });
}

function namesIn(query: QueryParameters, key: string): readonly string[] | undefined {
  const parameter = `fields[${key}]`;
  const text = Object.hasOwn(query, parameter) ? query[parameter] : undefined;
  return text ? text.split(',') : undefined;
}

function unusable(name: string, reason: string) {
  return invalidRequest(
    `The field "${name}" cannot be projected: ${reason}.`,
    'Name columns and to-one relations of the collection.',
  );
}
