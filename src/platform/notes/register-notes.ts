import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import type { Cursors } from '../public-api/cursor.ts';
import type { PublicApi } from '../public-api/public-api.ts';
import { createKnownCollections } from '../schemas/known-collections.ts';
import type { SchemaRepository } from '../schemas/schema-repository.ts';
import type { Store } from '../store/store.ts';
import { addNoteRoutes } from './note-routes.ts';
import { createNoteService } from './note-service.ts';

export interface NoteServices {
  readonly api: PublicApi;
  readonly cursors: Cursors;
  readonly identity: IdentityRepository;
  readonly schemas: SchemaRepository;
}

/** Notes on records, in the public API. */
export function registerNotes(
  store: Store,
  { api, cursors, identity, schemas }: NoteServices,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): void {
  const collections = createKnownCollections(schemas);
  addNoteRoutes(api, createNoteService({ store, identity, collections, clock, random }), cursors);
}
