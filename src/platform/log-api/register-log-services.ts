import type { FastifyInstance } from 'fastify';
import { verifierOf } from '#contracts/audit/signing';
import type { Integrity } from '#contracts/public-api/integrity';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import { nodeFileSystem } from '#node/files/node-file-system';
import type { AuditSigner } from '../audit/audit-signer.ts';
import { createCheckpoints, deriveCheckpointKey } from '../audit/checkpoints.ts';
import { keepAuditLog, type Retention } from '../audit/retention.ts';
import type { Cursors } from '../public-api/cursor.ts';
import type { PublicApi } from '../public-api/public-api.ts';
import type { Store } from '../store/store.ts';
import type { ExportParts } from './export-logs.ts';
import { addLogRoutes } from './log-routes.ts';
import { addSegmentRoutes } from './segment-routes.ts';

export interface LogServiceOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly platformKey?: string;
  /** A file beside the store to which every checkpoint is added. */
  readonly checkpointFile?: string;
  readonly retention?: Retention;
}

/** The audit log: signed, kept for as long as it is to be kept, and read by the public API. */
export function registerLogServices(
  server: FastifyInstance,
  store: Store,
  { api, cursors }: { readonly api: PublicApi; readonly cursors: Cursors },
  { clock, random, logger, platformKey, checkpointFile, retention = {} }: LogServiceOptions,
): void {
  const keep = async (note: string) => {
    if (checkpointFile === undefined) return;
    try {
      await nodeFileSystem.append(checkpointFile, `${note}\n`, { mode: 0o600 });
    } catch (error) {
      // The store has the checkpoint as well; a full disk must not end exports.
      logger.log('Warn', 'A checkpoint of the audit log could not be added to its file.', { error });
    }
  };
  let signer: AuditSigner | undefined;
  if (platformKey !== undefined) {
    const key = deriveCheckpointKey(platformKey);
    signer = { key, checkpoints: createCheckpoints({ store, clock, key, keep }) };
    const stop = keepAuditLog({ store, clock, random, logger, signer, retention });
    server.addHook('onClose', stop);
  }
  const parts = { store, clock, random, cursors, signer, open: new Map<string, number>() };
  addLogRoutes(api, parts);
  addSegmentRoutes(api, parts);
  addIntegrityRoutes(api, parts);
}

/** `GET /v1/project/<project>/integrity`: the public key of the platform and the newest checkpoint of each chain. */
function addIntegrityRoutes(api: PublicApi, { store, signer }: ExportParts): void {
  api.add({
    method: 'GET',
    path: '/project/:projectName/integrity',
    scope: undefined,
    isForPages: true,
    handle: async ({ caller }): Promise<Integrity> => {
      const chains = await store.db
        .selectFrom('auditChains')
        .leftJoin('environments', 'environments.id', 'auditChains.environmentId')
        .selectAll('auditChains')
        .select('environments.name as environment')
        .where('auditChains.projectId', '=', caller.project.id)
        .orderBy('auditChains.id')
        .execute();
      const described = chains.map(async (chain) => ({
        chain: chain.chain,
        kind: chain.kind,
        environment: chain.environment,
        firstSequence: chain.firstSequence,
        headSequence: chain.headSequence,
        checkpoint: signer ? await signer.checkpoints.sign(chain) : null,
      }));
      return {
        object: 'integrity',
        keys: signer ? [verifierOf(signer.key).verifier] : [],
        chains: await Promise.all(described),
      };
    },
  });
}
