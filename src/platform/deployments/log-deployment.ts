import type { AdminValues } from '#contracts/audit/admin-values';
import { type AdminLog, type Author, authorOf, thePlatform } from '../audit/admin-log.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import type { StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

type Deployment = Tables['deployments'];
type Deployed = Pick<Deployment, 'number' | 'versionNumber' | 'variablesRevision'>;
type EndedDeployment = Deployed & Pick<Deployment, 'environmentId' | 'state'> & { readonly author: UserRecord };

/**
 * Log that somebody asked for a deployment.
 *
 * @param rollbackTo number of the earlier deployment that it goes back to.
 */
export async function logDeployment(
  transaction: StoreTransaction,
  adminLog: AdminLog,
  { environmentId, author, ...deployment }: Deployed & { readonly environmentId: number; readonly author: Author },
  rollbackTo: number | undefined,
): Promise<void> {
  const { name, projectId } = await environmentOf(transaction, environmentId);
  const newValue = { ...deploymentValue(deployment, 'queued'), ...(rollbackTo === undefined ? {} : { rollbackTo }) };
  adminLog(transaction, { projectId, author, type: 'add', resource: 'deployment', environment: name, newValue });
}

/**
 * Log how a deployment ended: the platform found out, but who asked for it changed what the environment serves.
 *
 * @param replaced what was live before.
 */
export async function logEndOfDeployment(
  transaction: StoreTransaction,
  adminLog: AdminLog,
  deployment: EndedDeployment,
  end: 'live' | 'failed',
  replaced: Deployed | undefined,
): Promise<void> {
  const { name, projectId } = await environmentOf(transaction, deployment.environmentId);
  const [previousValue, newValue] = [deploymentValue(deployment, deployment.state), deploymentValue(deployment, end)];
  const ended = { type: 'update', resource: 'deployment', environment: name, previousValue, newValue } as const;
  adminLog(transaction, { projectId, author: thePlatform, ...ended });
  if (end === 'failed' || replaced?.versionNumber === deployment.versionNumber) return;
  adminLog(transaction, {
    projectId,
    author: authorOf(deployment.author, undefined),
    type: 'update',
    resource: 'environment',
    environment: name,
    previousValue: { name, codeCustomizationVersion: replaced ? String(replaced.versionNumber) : null },
    newValue: { name, codeCustomizationVersion: String(deployment.versionNumber) },
  });
}

function deploymentValue(
  { number, versionNumber, variablesRevision }: Deployed,
  state: Deployment['state'],
): AdminValues['deployment'] {
  return { number, version: versionNumber, variablesRevision, state };
}

function environmentOf({ db }: StoreTransaction, id: number) {
  return db.selectFrom('environments').select(['name', 'projectId']).where('id', '=', id).executeTakeFirstOrThrow();
}
