import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { SignInLink } from '#contracts/sign-in-links';
import { redactingLogger } from '#kernel/ports/logger';
import { hostInUrl } from '#node/http/host-in-url';
import { listenOnPort } from '#node/http/listen-on-port';
import { sha256Hex } from '#node/system/digest';
import { createAdminLog } from './audit/admin-log.ts';
import { createEventHub } from './events/event-hub.ts';
import { createIdentityRepository } from './identity/identity-repository.ts';
import {
  type DevelopmentAccess,
  type DevelopmentInput,
  provisionDevelopment,
} from './identity/provision-development.ts';
import { type PersonInput, type ProvisionedPerson, provisionPerson } from './identity/provision-person.ts';
import { checkCertificate } from './operation/check-certificate.ts';
import { checkExposure } from './operation/check-exposure.ts';
import { measuredStore } from './operation/measured-store.ts';
import { createMetrics } from './operation/metrics.ts';
import { registerMetrics, registerReadiness } from './operation/operation-routes.ts';
import { createReadinessCheck, type ReadinessCheck } from './operation/readiness.ts';
import type { TeamOptions } from './operation/team-options.ts';
import { teamServer } from './operation/team-server.ts';
import { createPasswordHashes } from './passwords/password-hash.ts';
import { registerServices } from './register-services.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { registerCopyScript } from './server/copy-button.ts';
import { createServer } from './server/create-server.ts';
import { parsePublicOrigin } from './server/public-origin.ts';
import { registerSetupRoutes } from './setup/setup-routes.ts';
import { createSetupService, type SetupLink } from './setup/setup-service.ts';
import { createSignInLinks } from './sign-in/sign-in-links.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import { createTokenRepository } from './tokens/token-repository.ts';
import { createTokenService } from './tokens/token-service.ts';

export interface SandboxPerson extends Omit<PersonInput, 'environment'> {
  readonly envSecret: string;
}

/** A running platform. */
export interface Sandbox {
  /** Where it listens, without a slash at its end. */
  readonly url: string;
  /** Make sure project, development environment and user exist, and sign the user in. */
  provisionDevelopment(input: DevelopmentInput): Promise<DevelopmentAccess>;
  /** Make sure that somebody is a user of the project of the environment, with a role and a team. */
  provisionPerson(input: SandboxPerson): Promise<ProvisionedPerson>;
  revoke(userToken: string): Promise<void>;
  /** A new link for the first administrator of a team; `undefined` once the platform has people. */
  makeSetupLink(): Promise<SetupLink | undefined>;
  /** A one-time link that signs a browser of this machine in as somebody. Throws where the platform has no such links. */
  makeSignInLink(userId: number): SignInLink;
  /** Stop accepting, let requests in flight end, close the store. The local platform does so within a second. May be called again. */
  stop(): Promise<void>;
}

const localDrainMs = 400;

/**
 * Start the platform on this machine. Rejects with `PLATFORM_ADDRESS_INVALID` for a public address that is no origin,
 * `PLATFORM_EXPOSED` for a team whose passwords would be sent in the open, `DATABASE_URI_INVALID`, `PLATFORM_STORE_UNAVAILABLE`, `PLATFORM_STORE_IN_USE`, `MACHINE_PORT_IN_USE` or `MACHINE_ADDRESS_UNUSABLE`, leaving nothing open.
 */
export async function startSandbox(given: SandboxOptions): Promise<Sandbox> {
  const options: SandboxOptions = { ...given, logger: redactingLogger(given.logger) };
  const publicOrigin = options.publicUrl === undefined ? undefined : parsePublicOrigin(options.publicUrl);
  const host = options.host ?? '127.0.0.1';
  const { team, clock, random, logger } = options;
  if (team) checkExposure(host, publicOrigin, team);
  if (team?.tls) checkCertificate(team.tls);
  const opened = await openStore(options.store);
  let server: FastifyInstance | undefined;
  try {
    const metrics = team && (await createMetrics(opened, clock));
    const store = metrics ? measuredStore(opened, metrics) : opened;
    const events = createEventHub(store);
    const record = createAdminLog(clock, random);
    const identity = createIdentityRepository(store, clock, record);
    const tokens = createTokenService(createTokenRepository(store, clock, record), clock, random);
    const hashes = createPasswordHashes(options.passwordCost);
    const setup = createSetupService(store, { tokens, hashes, record, clock, random });
    const readiness = createReadinessCheck(store);
    const addresses = { listenHost: host, publicOrigin };
    const observe = options.traffic && { observe: (observed: FastifyInstance) => options.traffic?.watch(observed) };
    const extras = team && metrics ? teamServer(team, metrics, publicOrigin) : observe;
    server = await createServer({ addresses, logger, random, ...extras });
    let url = '';
    const origin = () => publicOrigin ?? url;
    registerCopyScript(server);
    registerReadiness(server, readiness);
    if (metrics) registerMetrics(server, metrics, team.metricsToken);
    if (team) registerSetupRoutes(server, setup, origin);
    const links = options.hasSignInLinks ? createSignInLinks({ clock, random, origin }) : undefined;
    registerServices(server, store, { identity, tokens, hashes, record, events, links, origin }, options);
    await server.ready();
    const scheme = team?.tls ? 'https' : 'http';
    url = `${scheme}://${hostInUrl(host)}:${await listenOnPort(server.server, host, options.port)}`;
    return {
      url,
      provisionDevelopment: (input) => provisionDevelopment(identity, tokens, input),
      provisionPerson: async ({ envSecret, ...person }) => {
        const environment = await identity.findEnvironmentBySecret(sha256Hex(envSecret));
        if (!environment) throw new TypeError('No environment has that secret.');
        return provisionPerson(store, { clock, record }, { environment, ...person });
      },
      revoke: (userToken) => tokens.revoke(userToken),
      makeSetupLink: () => setup.makeLink(),
      makeSignInLink: (userId) => {
        if (!links) throw new TypeError('The platform was started without links for signing in.');
        return links.make(userId);
      },
      stop: onlyOnce(server, store, readiness, team ?? { noticeMs: 0, drainMs: localDrainMs }),
    };
  } catch (error) {
    await server?.close();
    await opened.close();
    throw error;
  }
}

/** The store closes last, when no request can reach it any more. */
function onlyOnce(
  server: FastifyInstance,
  store: Store,
  readiness: ReadinessCheck,
  { noticeMs, drainMs }: Pick<TeamOptions, 'noticeMs' | 'drainMs'>,
): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    readiness.beginStop();
    if (noticeMs > 0) await wait(noticeMs);
    const forced = setTimeout(() => server.server.closeAllConnections(), drainMs);
    try {
      await server.close();
    } finally {
      clearTimeout(forced);
      await store.close();
    }
  };
  return () => {
    stopping ??= stop();
    return stopping;
  };
}
