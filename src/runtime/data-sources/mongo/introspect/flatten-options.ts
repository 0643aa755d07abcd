import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** Which places of the documents of one collection are taken out of them. */
export interface CollectionFlattening {
  /** Paths of arrays whose elements become the records of a collection of their own, such as `address.phones`. */
  readonly asModels?: readonly string[] | undefined;
  /** Paths of objects whose fields become columns; with a level, only that far down. */
  readonly asFields?: readonly (string | { readonly field: string; readonly level?: number | undefined })[] | undefined;
}

export interface FlattenOptions {
  /**
   * `auto`: fields of objects become columns `object@@@field`, and arrays of objects collections. `none`: objects and arrays stay
   * documents. `manual`: as `flattenOptions` says. Default `auto`.
   */
  readonly flattenMode?: 'auto' | 'none' | 'manual' | undefined;
  /** For `manual`, by collection. */
  readonly flattenOptions?: Readonly<Record<string, CollectionFlattening>> | undefined;
}

/** The choices for the documents of one collection. Paths have dots. */
export interface Flattening {
  isCollection(path: string): boolean;
  isFlattened(path: string): boolean;
}

const always: Flattening = { isCollection: () => true, isFlattened: () => true };
const never: Flattening = { isCollection: () => false, isFlattened: () => false };

export function flatteningOf(
  { flattenMode = 'auto', flattenOptions = {} }: FlattenOptions,
  collection: string,
): Flattening {
  if (flattenMode === 'auto') return always;
  const given = flattenOptions[collection];
  if (flattenMode === 'none' || !given) return never;
  const models = new Set((given.asModels ?? []).map(dotted));
  const fields = (given.asFields ?? []).map((field) =>
    typeof field === 'string'
      ? { path: dotted(field), level: Number.POSITIVE_INFINITY }
      : { path: dotted(field.field), level: field.level ?? Number.POSITIVE_INFINITY },
  );
  return {
    isCollection: (path) => models.has(path),
    isFlattened: (path) =>
      fields.some((field) => {
        if (field.path === path) return field.level > 0;
        if (!path.startsWith(`${field.path}.`)) return false;
        return path.slice(field.path.length + 1).split('.').length < field.level;
      }),
  };
}

/** @throws `AGENT_OPTION_INVALID` for a collection or a path that is not there. */
export function checkFlattening(
  { flattenOptions = {} }: FlattenOptions,
  pathsOf: (
    collection: string,
  ) => { readonly arrays: ReadonlySet<string>; readonly objects: ReadonlySet<string> } | undefined,
): void {
  for (const [collection, { asModels = [], asFields = [] }] of Object.entries(flattenOptions)) {
    const paths = pathsOf(collection);
    if (!paths)
      throw invalid(`The option "flattenOptions" names the collection "${collection}", which is not there or empty.`);
    for (const path of asModels.map(dotted)) {
      if (!paths.arrays.has(path))
        throw invalid(`"asModels" of "${collection}" names "${path}", which is not an array of its documents.`);
    }
    for (const field of asFields) {
      const path = dotted(typeof field === 'string' ? field : field.field);
      if (!paths.objects.has(path))
        throw invalid(`"asFields" of "${collection}" names "${path}", which is not an object of its documents.`);
    }
  }
}

function dotted(path: string): string {
  return path.replaceAll(':', '.');
}

function invalid(message: string): CloudError {
  return cloudError('AGENT_OPTION_INVALID', message, 'Correct the option where the data source is created.');
}
