import { type ExpressHost, mountOnExpress } from './express.ts';
import { type FastifyHost, mountOnFastify } from './fastify.ts';
import { invalidMount, type MountGate, requireMethod } from './mount-gate.ts';

/** An application of NestJS on Express or Fastify, before it is initialised. */
export interface NestHost {
  getHttpAdapter(): {
    getType(): string;
    /** The application of Express or Fastify below. */
    getInstance(): unknown;
  };
}

export function mountOnNest(host: NestHost, gate: MountGate): void {
  const need = 'mountOnNestJs needs an application of NestJS';
  requireMethod(host, 'getHttpAdapter', need);
  // By then NestJS has a route on Express that answers everything without a route of its own.
  if (Object(host).isInitialized === true) throw invalidMount(`${need} that is not initialised yet`);
  const adapter = host.getHttpAdapter();
  switch (adapter.getType()) {
    case 'express':
      mountOnExpress(adapter.getInstance() as ExpressHost, gate);
      break;
    case 'fastify':
      mountOnFastify(adapter.getInstance() as FastifyHost, gate);
      break;
    default:
      throw invalidMount(`${need} on Express or Fastify, and its adapter is "${adapter.getType()}"`);
  }
}
