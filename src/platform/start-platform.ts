import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { SignInLink } from '#contracts/sign-in';
import { redactingLogger } from '#kernel/ports/logger';
import { hostInUrl, listenOnPort } from '#node/http/listen-on-port';
import { resolveKnownEnvironment } from './access/guards.ts';
import { createAdminLog } from './audit/admin-log.ts';
import { deriveCheckpointKey, refuseOtherKey } from './audit/checkpoints.ts';
import { registerFramePage } from './console/frame-page.ts';
import { createEventHub } from './events/event-hub.ts';
import { createIdentityRepository, type EnvironmentRecord } from './identity/identity-repository.ts';
import { checkCertificate, checkExposure } from './operation/check-exposure.ts';
import { createMetrics, measuredStore } from './operation/metrics.ts';
import {
  createReadinessCheck,
  type ReadinessCheck,
  registerMetrics,
  registerReadiness,
} from './operation/readiness.ts';
import { teamServer } from './operation/team-server.ts';
import { createPasswordHashes } from './passwords/password-hash.ts';
import type { PlatformOptions, PlatformParts } from './platform-options.ts';
import { registerServices } from './register-services.ts';
import { needsSecondFactor } from './rights/needs-second-factor.ts';
import { registerCopyScript } from './server/copy-button.ts';
import { createServer, parsePublicOrigin } from './server/create-server.ts';
import type { TeamOptions } from './server/team-options.ts';
import { registerSetupRoutes } from './setup/setup-page.ts';
import { createSetupService, type SetupLink } from './setup/setup-service.ts';
import { createSignInLinks } from './sign-in/sign-in-links.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import { createTokenRepository } from './tokens/token-repository.ts';
import { createTokenService } from './tokens/token-service.ts';

/** A running platform. */
export interface Platform {
  /** Where it listens, without a slash at its end. */
  readonly url: string;
  /** What its services share. They serve nothing after the stop. */
  readonly parts: PlatformParts;
  /** The environment that has a secret. */
  findEnvironment(secret: string): Promise<EnvironmentRecord | undefined>;
  /** A new link for the first administrator of a team; `undefined` once the platform has people. */
  makeSetupLink(): Promise<SetupLink | undefined>;
  /** A one-time link that signs a browser of this machine in as somebody. Throws where the platform has no such links. */
  makeSignInLink(userId: number): SignInLink;
  /** Stop accepting, let requests in flight end, close the store. The local platform does so within a second. May be called again. */
  stop(): Promise<void>;
}

const localDrainMs = 400;

/**
 * Start the platform on this machine. Rejects with `PLATFORM_ADDRESS_INVALID` for a public address that is not an origin, and with
 * `PLATFORM_EXPOSED` for a team whose passwords would be sent in the open. Other codes are `DATABASE_URI_INVALID`,
 * `PLATFORM_STORE_UNAVAILABLE`, `PLATFORM_STORE_IN_USE`, `PLATFORM_KEY_WRONG`, `MACHINE_PORT_IN_USE` or `MACHINE_ADDRESS_UNUSABLE`. Nothing stays
 * open.
 */
export async function startPlatform(given: PlatformOptions): Promise<Platform> {
  const options: PlatformOptions = { ...given, logger: redactingLogger(given.logger) };
  const publicOrigin = options.publicUrl === undefined ? undefined : parsePublicOrigin(options.publicUrl);
  const host = options.host ?? '127.0.0.1';
  const { team, clock, random, logger } = options;
  if (team) checkExposure(host, publicOrigin, team);
  if (team?.tls) checkCertificate(team.tls);
  const opened = await openStore(options.store);
  let server: FastifyInstance | undefined;
  try {
    // A developer who has lost the key goes on: nobody proves anything by the log of a local platform.
    if (team && options.platformKey !== undefined)
      await refuseOtherKey(opened.db, deriveCheckpointKey(options.platformKey), 'The platform does not start.');
    const metrics = team && (await createMetrics(opened, clock));
    const store = metrics ? measuredStore(opened, metrics) : opened;
    const events = createEventHub(store);
    const adminLog = createAdminLog(clock, random);
    const identity = createIdentityRepository(store);
    const isFactorNeeded = (userId: number) => needsSecondFactor(store.db, userId, clock.now());
    const tokens = createTokenService(createTokenRepository(store, clock, adminLog), clock, random, isFactorNeeded);
    const hashes = createPasswordHashes(options.passwordCost);
    const setup = createSetupService(store, { tokens, hashes, adminLog, clock, random });
    const readiness = createReadinessCheck(store);
    const addresses = { listenHost: host, publicOrigin };
    const extras = team && metrics ? teamServer(team, metrics, publicOrigin) : {};
    const observe = options.observe && { observe: options.observe };
    server = await createServer({ addresses, logger, random, ...observe, ...extras });
    let url = '';
    const origin = () => publicOrigin ?? url;
    registerCopyScript(server);
    registerFramePage(server);
    registerReadiness(server, readiness);
    if (metrics) registerMetrics(server, metrics, team.metricsToken);
    if (team) registerSetupRoutes(server, setup, origin);
    const links = options.hasSignInLinks ? createSignInLinks({ clock, random, origin }) : undefined;
    const parts = registerServices(
      server,
      store,
      { identity, tokens, hashes, adminLog, events, links, needsSecondFactor: isFactorNeeded, origin },
      options,
    );
    await server.ready();
    const scheme = team?.tls ? 'https' : 'http';
    url = `${scheme}://${hostInUrl(host)}:${await listenOnPort(server.server, host, options.port)}`;
    return {
      url,
      parts,
      findEnvironment: resolveKnownEnvironment(identity),
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
