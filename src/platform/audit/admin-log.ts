import type { AdminChangeOf, AdminEntry, AdminResource, AuditUser } from '#contracts/audit/rows';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { fullNameOf } from '#kernel/text/full-name';
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

export interface PersonAsAuthor extends Author {
  readonly user: AuditUser;
}

/** The platform itself, for what happens without anybody asking for it. */
export const thePlatform: Author = { initiator: 'platform' };

/** What changed, without secrets. */
type Change = {
  readonly type: AdminEntry['type'];
  /** Name of the environment that it is about. */
  readonly environment?: string | undefined;
} & { [Resource in AdminResource]: AdminChangeOf<Resource> }[AdminResource];

type AdminChange = Change & { readonly projectId: number; readonly author: Author };

/** Writes changes of the configuration of a project to its audit log, as a part of the transaction that makes them. */
export type AdminLog = (transaction: StoreTransaction, change: AdminChange) => void;

export function createAdminLog(clock: Clock, random: Random): AdminLog {
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

/** Writes what one author changes in one project, as a part of one transaction. */
export type LogChange = (change: Change) => void;

export function changeLog(
  adminLog: AdminLog,
  transaction: StoreTransaction,
  projectId: number,
  author: Author,
): LogChange {
  return (change) => adminLog(transaction, { ...change, projectId, author });
}

interface Person {
  readonly id: number;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** Somebody as they are called now. */
export function auditUserOf({ id, email, ...names }: Person): AuditUser {
  return { object: 'user', id, email, username: fullNameOf(names) };
}

/** A person as the author of a change. */
export function authorOf(user: Person, address: string | undefined): PersonAsAuthor {
  return { initiator: 'administrator', user: auditUserOf(user), address };
}
