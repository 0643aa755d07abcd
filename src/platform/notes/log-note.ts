import type { ActivityEntry, AuditUser } from '#contracts/audit/rows';
import type { PermissionLevel } from '#contracts/permission-level';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { openChain } from '../audit/chain-writer.ts';
import { announceNews } from '../events/page-news.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import type { StoreTransaction } from '../store/store.ts';

/** Who does something to a note, and in which environment. */
export interface NoteAuthor {
  readonly environment: EnvironmentRecord;
  readonly user: AuditUser;
  readonly team: string;
  readonly role: string;
  readonly permissionLevel: PermissionLevel;
  /** `undefined` for a person who has signed in. */
  readonly tokenId: number | undefined;
  readonly source: 'api' | 'rest';
}

interface LoggedNote {
  readonly title: string;
  readonly collection: string;
  readonly recordId: string;
}

export type NoteAction = 'createNote' | 'createMessage' | 'deleteNote' | 'updateNote';

/**
 * Write what somebody does to a note to the log of the environment, as a part of the transaction that does it.
 *
 * @param fields that `updateNote` changes.
 */
export function logNote(
  transaction: StoreTransaction,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  { environment, user, team, role, tokenId, source }: NoteAuthor,
  note: LoggedNote,
  actions: readonly NoteAction[],
  fields?: readonly string[],
): void {
  const entries = actions.map(
    (action): ActivityEntry => ({
      object: 'activityLog',
      id: random.uuid(),
      type: 'write',
      action,
      label: note.title,
      collection: { object: 'collection', name: note.collection },
      recordIds: [note.recordId],
      recordCount: 1,
      fields,
      user,
      team: { object: 'team', name: team },
      role,
      environment: { object: 'environment', name: environment.name },
      source,
      status: 'completed',
      occurredAt: new Date(clock.now()).toISOString(),
      durationMs: null,
      tokenId: tokenId === undefined ? undefined : String(tokenId),
    }),
  );
  announceNews(transaction, environment.id, { type: 'note', collection: note.collection });
  announceNews(transaction, environment.id, { type: 'log' });
  // Taken last, so that the chain is held for a short time.
  transaction.beforeCommit(async () => {
    const owner = { kind: 'activity', environmentId: environment.id } as const;
    const writer = await openChain(transaction, owner, { clock, random });
    for (const entry of entries) writer.add(entry);
    await writer.write();
  });
}
