import { isCloudError } from '#kernel/errors/cloud-error';
import type { Caller } from '../../customizer/caller.ts';
import type { CompiledCollection, CompiledModel, ModelView } from '../../model/compiled-model.ts';
import type { Authoriser } from '../../permissions/authoriser.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';

/** The person or code that searches: it decides the names of fields, and the collections that may be searched. */
export interface SearchAudience {
  /** Original names by those that may be typed. */
  fieldNames(collection: string): ReadonlyMap<string, string>;
  /** Those of `collections` that may be read. */
  readable(collections: Iterable<string>): Promise<ReadonlySet<string>>;
  /** What the scopes of a person leave of related records. Absent for code, which sees all of them. */
  readonly scopes?: SearchedScopes;
}

/** Conditions in original names, in which values that are hidden from a person count as missing. */
export interface SearchedScopes {
  filter(collection: CompiledCollection, tree: ConditionTree): Promise<ConditionTree>;
  /** The same, of records that a relation to many leads to: those out of scope are not there. */
  related(collection: CompiledCollection, tree: ConditionTree): Promise<ConditionTree>;
}

/** Customization code: original names, every field, no rights asked. */
export function codeAudience(model: ModelView): SearchAudience {
  return {
    fieldNames: (name) =>
      new Map([...(model.collections.get(name)?.fields.keys() ?? [])].map((field) => [field, field])),
    readable: async (collections) => new Set(collections),
  };
}

/**
 * A caller: published names and no field that is removed.
 *
 * @param understandsOriginals whether the original name of a published field is understood as well, for a search of the
 * project's own that writes it into the text.
 */
export function callerAudience(
  model: CompiledModel,
  authoriser: Authoriser,
  caller: Caller,
  scopes: SearchedScopes,
  understandsOriginals: boolean,
): SearchAudience {
  return {
    scopes,
    fieldNames(name) {
      const { fields = new Map<string, unknown>(), limits } = model.collections.get(name) ?? {};
      const published = [...fields.keys()]
        .filter((field) => limits?.get(field)?.isFilterable !== false)
        .map((field) => [field, model.names.originalPath(name, field)] as const);
      const originals = understandsOriginals ? published.map(([, original]) => [original, original] as const) : [];
      return new Map([...originals, ...published]);
    },
    readable: (collections) => readableAmong(authoriser, caller, collections),
  };
}

/** The `collections` that the caller may read. Others are left out and not refused, because the search did not name them. */
export async function readableAmong(
  authoriser: Authoriser,
  caller: Caller,
  collections: Iterable<string>,
): Promise<ReadonlySet<string>> {
  const readable = new Set(collections);
  for (const name of readable) {
    try {
      await authoriser.requireReadOn(caller, [name]);
    } catch (error) {
      if (!isCloudError(error) || error.code !== 'REQUEST_FORBIDDEN') throw error;
      readable.delete(name);
    }
  }
  return readable;
}
