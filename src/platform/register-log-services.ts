import type { FastifyInstance } from 'fastify';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import { nodeFileSystem } from '#node/files/node-file-system';
import type { AuditSigner } from './audit/audit-signer.ts';
import { deriveCheckpointKey } from './audit/checkpoint-key.ts';
import { createCheckpoints } from './audit/checkpoints.ts';
import { keepAuditLog } from './audit/keep-audit-log.ts';
import type { Retention } from './audit/retention.ts';
import { addIntegrityRoutes } from './log-api/integrity-routes.ts';
import { addLogRoutes } from './log-api/log-routes.ts';
import type { Cursors } from './public-api/cursor.ts';
import type { PublicApi } from './public-api/public-api.ts';
import type { Store } from './store/store.ts';

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
  addIntegrityRoutes(api, parts);
}
