import { verifierOf } from '#contracts/audit/checkpoint';
import type { Integrity } from '#contracts/public-api/integrity';
import type { PublicApi } from '../public-api/public-api.ts';
import type { ExportParts } from './export-logs.ts';

/** `GET /v1/project/<project>/integrity`: the public key of the platform and the newest checkpoint of each chain. */
export function addIntegrityRoutes(api: PublicApi, { store, signer }: ExportParts): void {
  api.add({
    method: 'GET',
    path: '/project/:projectName/integrity',
    scope: undefined,
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
