import { leafOf, type RegisterGenesis } from '#contracts/audit/chain';
import { readCheckpoint } from '#contracts/audit/checkpoint';
import type { ExportedRegister } from '#contracts/audit/exported-register';
import type { RegisterEntry } from '#contracts/audit/register';
import type { Store } from '../store/store.ts';
import type { AuditSigner } from './checkpoints.ts';

/** The register as an export of one log has it; `undefined` before it begins. */
export async function exportedRegister(
  db: Store['db'],
  logChain: string,
  { checkpoints }: AuditSigner,
): Promise<ExportedRegister | undefined> {
  const signedCheckpoint = await checkpoints.signRegister();
  const size = signedCheckpoint === undefined ? undefined : readCheckpoint(signedCheckpoint)?.size;
  if (signedCheckpoint === undefined || size === undefined) return undefined;
  const rows = await db
    .selectFrom('auditRegister')
    .select('body')
    .where('sequence', '<=', size)
    .orderBy('sequence')
    .execute();
  const [genesis, ...others] = rows.map(({ body }) => body);
  if (genesis === undefined) return undefined;
  const { chain } = JSON.parse(genesis) as RegisterGenesis;
  const entries = others.map((body) => JSON.parse(body) as RegisterEntry);
  const own = entries.find((entry) => entry.object === 'chain' && entry.logChain === logChain);
  const isShown = (entry: RegisterEntry) => [logChain, chain].includes(entry.logChain) || isOfSameOwner(entry, own);
  return {
    genesis: JSON.parse(genesis) as RegisterGenesis,
    rows: others.map((body, index) =>
      entries[index] && isShown(entries[index]) ? { body } : { leaf: leafOf(body).toString('hex') },
    ),
    signedCheckpoint,
  };
}

/** Two logs of one owner would show that the first one was replaced. */
function isOfSameOwner(entry: RegisterEntry, other: RegisterEntry | undefined): boolean {
  if (entry.object !== 'chain' || other?.object !== 'chain') return false;
  return entry.projectId === other.projectId && entry.environmentId === other.environmentId;
}
