import type { AdminEntry, AdminResource, AdminValue, AuditUser } from '#contracts/audit/rows';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { fullNameOf } from '../identity/full-name.ts';
import type { StoreTransaction } from '../store/store.ts';
import { openChain } from './chain-writer.ts';

/** Who changes something, and from where. */
export interface Author {
  readonly initiator: AdminEntry['initiator'];
  /** A signed-in person; `undefined` for the platform and for an identity provider. */
  readonly user?: AuditUser | undefined;
  /** Address of the client, where it is known. */
  readonly address?: string | undefined;
}

/** The platform itself, for what happens without anybody asking for it. */
export const thePlatform: Author = { initiator: 'platform' };

export interface AdminChange {
  readonly projectId: number;
  readonly author: Author;
  readonly type: AdminEntry['type'];
  readonly resource: AdminResource;
  /** Name of the environment that it is about. */
  readonly environment?: string | undefined;
  /** Without secrets. */
  readonly previousValue?: AdminValue | undefined;
  readonly newValue?: AdminValue | undefined;
}

/** Writes changes of the configuration of a project to its audit log, as a part of the transaction that makes them. */
export type RecordChange = (transaction: StoreTransaction, change: AdminChange) => void;

export function createAdminLog(clock: Clock, random: Random): RecordChange {
  return (transaction, { projectId, author, environment, ...change }) => {
    const entry: AdminEntry = {
      object: 'adminLog',
      id: random.uuid(),
      ...change,
      initiator: author.initiator,
      user: author.user,
      address: author.address,
      environment: environment === undefined ? undefined : { object: 'environment', name: environment },
    };
    // Taken last, so that the chain is held for a short time.
    transaction.beforeCommit(async () => {
      const writer = await openChain(transaction, { kind: 'admin', projectId }, { clock, random });
      writer.add(entry);
      await writer.write();
    });
  };
}

/** A signed-in person as the author of a change. */
export function authorOf(
  user: { readonly id: number; readonly email: string; readonly firstName: string; readonly lastName: string },
  address: string | undefined,
): Author {
  const { id, email } = user;
  return { initiator: 'administrator', user: { object: 'user', id, email, username: fullNameOf(user) }, address };
}
