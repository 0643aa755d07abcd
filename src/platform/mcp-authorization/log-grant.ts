import { type AdminLog, type Author, auditUserOf } from '../audit/admin-log.ts';
import type { StoreTransaction } from '../store/store.ts';
import type { GrantRecord } from './find-grants.ts';

/** Log that a client was let in, or no longer is. */
export function logGrant(
  transaction: StoreTransaction,
  adminLog: AdminLog,
  type: 'add' | 'remove',
  { environment, user, client, scopes }: GrantRecord,
  author: Author,
): void {
  const value = { user: auditUserOf(user), client: client.name, redirectUris: client.redirectUris, scopes };
  adminLog(transaction, {
    projectId: environment.projectId,
    author,
    type,
    resource: 'mcp-client',
    environment: environment.name,
    ...(type === 'add' ? { newValue: value } : { previousValue: value }),
  });
}
