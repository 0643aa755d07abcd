import { useQuery } from '@tanstack/react-query';
import type { PermissionFile } from '#contracts/permission-file';
import { publishedSchemaQuery } from '../model/rights.ts';
import { collectionQuery, type VisibleCollection } from '../model/schema.ts';
import { type KnownCollections, publishedCollections, seenCollection } from './rules-draft.ts';

/** A part of the rules of a role for a collection, in a dialog of its own. */
export interface PartDialogProps {
  readonly environment: string;
  readonly document: PermissionFile;
  readonly role: string;
  readonly collection: string;
  /** The collection, as people call it. */
  readonly name: string;
  /** Whether the schema that the person sees has the collection. */
  readonly isKnown: boolean;
  readonly mayEdit: boolean;
  readonly onChange: (document: PermissionFile) => void;
  readonly onClose: () => void;
}

/** What the rules of a collection can be about. */
export interface ToldSchema {
  readonly known: KnownCollections;
  /** Those of the code. */
  readonly masks: readonly string[];
  /** The collection as the person sees it, where they do. Conditions compare its fields. */
  readonly visible: VisibleCollection | undefined;
}

interface Known {
  /** Absent until everything has come. */
  readonly told: ToldSchema | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
}

/**
 * What the agent has told the platform. `dev` tells nothing as long as the project has no file of rights: there, the collection is what the
 * person sees of it.
 *
 * @param isKnown Whether the schema that the person sees has the collection.
 */
export function useKnown(environment: string, collection: string, isKnown: boolean): Known {
  const published = useQuery(publishedSchemaQuery({ environment }));
  const visible = useQuery({ ...collectionQuery({ environment }, collection), enabled: isKnown });
  const retry = () => {
    for (const each of [published, visible]) if (each.error) void each.refetch();
  };
  const error = published.error ?? visible.error;
  if (published.data === undefined || (isKnown && !visible.data)) return { told: undefined, error, retry };
  const seen = visible.data && [seenCollection(visible.data)];
  const known = published.data ? publishedCollections(published.data.collections) : seen;
  return { told: { known, masks: published.data?.meta.masks ?? [], visible: visible.data }, error, retry };
}
