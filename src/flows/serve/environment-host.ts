import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type HostedProgram, hostBeatMs, type Orders } from '#contracts/hosting';
import { type CloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { HostPlatform } from '#platform-client/host-client';
import { publishSchema } from '../agent-worker/publish-schema.ts';
import type { HostLog } from './host-log.ts';
import type { FetchedProgram, ProgramStore } from './program-store.ts';
import type { ServeEvent } from './serve-event.ts';
import type { ServingPool } from './serving-pool.ts';

export interface EnvironmentHostInput {
  /** Id of this host, as long as it runs. */
  readonly id: string;
  readonly name: string;
  readonly workers: number;
  readonly platform: HostPlatform;
  readonly programs: ProgramStore;
  readonly log: HostLog;
  readonly clock: Clock;
  /** Version of this package, which the code is given when it asks for the package. */
  readonly packageVersion: string;
  /** Folder that the code is said to be in. Reports name places in it as in the project. */
  readonly codeFolder: string;
  /** Makes the workers, with the secret that signs session tokens. */
  openPool(authSecret: string): ServingPool;
  tell(event: ServeEvent): void;
}

/**
 * Brings this machine to what the platform wants served, again and again: it reports what it serves, hears what is wanted, and
 * works off the difference. What it missed meanwhile does not matter. While the platform is away, it serves what it served.
 */
export class EnvironmentHost {
  readonly #input: EnvironmentHostInput;
  #pool: ServingPool | undefined;
  #serving: HostedProgram | undefined;
  #checked: FetchedProgram | undefined;
  #refused: { readonly deployment: number; readonly reason: string } | undefined;
  /** Why this machine cannot serve anything. */
  #machineError: CloudError | undefined;
  /** What is being fetched, checked or swapped. Beats go on meanwhile. */
  #work: Promise<void> | undefined;
  #isAway = false;
  #hasToldWaiting = false;
  /** The deployment that the platform and the screen were told of last, because another version built it. */
  #warnedOf: number | undefined;
  #wake: () => void = () => undefined;

  constructor(input: EnvironmentHostInput) {
    this.#input = input;
  }

  /** Serve until `signal` aborts. Rejects when the machine does not let it, for instance with `MACHINE_PORT_IN_USE`. */
  async run(signal: AbortSignal): Promise<void> {
    const { platform, log } = this.#input;
    const subscription = platform.followEvents({
      connected: () => this.#wake(),
      resumed: () => this.#wake(),
      received: ({ name }) => {
        if (name === 'refresh-orders' || name === 'refresh-everything') this.#wake();
      },
      // The beats notice by themselves when the platform is away.
      disconnected: () => undefined,
    });
    try {
      while (!signal.aborted && !this.#machineError) {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        await this.#beat();
        const pause = new AbortController();
        await Promise.race([
          woken,
          delay(hostBeatMs, undefined, { signal: AbortSignal.any([signal, pause.signal]) }).catch(() => undefined),
        ]);
        pause.abort();
      }
      if (this.#machineError) throw this.#machineError;
    } finally {
      subscription.close();
      await this.#work;
      await platform
        .leave(this.#input.id)
        .catch((error: unknown) => log.add('Warn', `The platform was not told of the end: ${String(error)}`));
    }
  }

  /** Let requests in flight end for `drainMs`, and close the workers. */
  async stop(drainMs: number): Promise<void> {
    await this.#pool?.stop(drainMs);
  }

  async #beat(): Promise<void> {
    const { platform, log, tell, id: host, name, workers } = this.#input;
    const { lines, arrived } = log.next();
    try {
      const orders = await platform.beat({
        host,
        name,
        workers,
        serving: this.#serving?.deployment ?? null,
        checked: this.#checked?.hosted.deployment ?? null,
        refused: this.#refused ?? null,
        log: [...lines],
      });
      arrived();
      if (this.#isAway) tell({ event: 'platform-back' });
      this.#isAway = false;
      this.#obey(orders);
    } catch (error) {
      if (!this.#isAway) tell({ event: 'platform-away', error: toCloudError(error) });
      this.#isAway = true;
      if (!this.#serving) this.#begin(() => this.#serveKept());
    }
  }

  #obey({ serve, check }: Orders): void {
    if (!serve && !check && !this.#hasToldWaiting) {
      this.#hasToldWaiting = true;
      this.#input.tell({ event: 'waiting' });
    }
    if (serve && serve.deployment !== this.#serving?.deployment) this.#begin(() => this.#serve(serve));
    else if (check && check.deployment !== this.#checked?.hosted.deployment && !this.#hasRefused(check))
      this.#begin(() => this.#check(check));
  }

  /** Begin some work unless there is some; the next beat, right after it, tells what else is wanted. */
  #begin(work: () => Promise<void>): void {
    this.#work ??= work().finally(() => {
      this.#work = undefined;
      this.#wake();
    });
  }

  async #check(hosted: HostedProgram): Promise<void> {
    const { programs, tell, log } = this.#input;
    tell({ event: 'checking', deployment: hosted.deployment, version: hosted.version });
    this.#warnOfOtherVersion(hosted);
    try {
      const fetched = await programs.fetch(hosted);
      await this.#poolFor(fetched).check(fetched.program);
      this.#checked = fetched;
      log.add('Info', `Deployment ${hosted.deployment} (version ${hosted.version}) passed its check.`);
    } catch (error) {
      this.#refuse(hosted, toCloudError(error));
    }
  }

  async #serve(hosted: HostedProgram): Promise<void> {
    const { programs, tell, log, clock, workers } = this.#input;
    const start = clock.monotonicMs();
    this.#warnOfOtherVersion(hosted);
    try {
      const isChecked = this.#checked?.hosted.deployment === hosted.deployment;
      const fetched = isChecked && this.#checked ? this.#checked : await programs.fetch(hosted);
      const pool = this.#poolFor(fetched);
      await pool.serve(fetched.program);
      this.#serving = hosted;
      const { deployment, version } = hosted;
      log.add('Info', `Deployment ${deployment} (version ${version}) serves.`);
      tell({ event: 'serving', deployment, version, url: pool.url, workers, ms: clock.monotonicMs() - start });
      await this.#keep(fetched, pool);
    } catch (error) {
      this.#fail(hosted, toCloudError(error));
    }
  }

  /** Keep what serves for the time the platform is away, and tell the platform its schema. It serves without either. */
  async #keep(fetched: FetchedProgram, pool: ServingPool): Promise<void> {
    const { platform, programs, log } = this.#input;
    await programs
      .keep(fetched)
      .catch((error: unknown) => log.add('Warn', `The deployment could not be kept: ${toCloudError(error).message}`));
    await pool
      .schema()
      .then((schema) => publishSchema(platform, schema))
      .catch((error: unknown) =>
        log.add('Warn', `The platform did not take the schema: ${toCloudError(error).message}`),
      );
  }

  /** What served last, when the platform cannot be asked. */
  async #serveKept(): Promise<void> {
    const { programs, tell, log, clock, workers } = this.#input;
    const start = clock.monotonicMs();
    const kept = await programs
      .kept()
      .catch((error: unknown) => log.add('Warn', `What was kept cannot be used: ${toCloudError(error).message}`));
    if (!kept) return;
    this.#warnOfOtherVersion(kept.hosted);
    const { deployment, version } = kept.hosted;
    try {
      const pool = this.#poolFor(kept);
      await pool.serve(kept.program);
      this.#serving = kept.hosted;
      tell({ event: 'serving', deployment, version, url: pool.url, workers, ms: clock.monotonicMs() - start });
    } catch (error) {
      this.#fail(kept.hosted, toCloudError(error));
    }
  }

  #warnOfOtherVersion({ deployment, builtWith }: HostedProgram): void {
    const { packageVersion: host, tell, log } = this.#input;
    if (builtWith === undefined || builtWith === host || this.#warnedOf === deployment) return;
    this.#warnedOf = deployment;
    log.add('Warn', `Deployment ${deployment} was built with vendor-cloud ${builtWith}, and this host is ${host}.`);
    tell({ event: 'built-with-other-version', deployment, builtWith, host });
  }

  /** The machine ends the host; anything else is the deployment's own fault. */
  #fail(hosted: HostedProgram, error: CloudError): void {
    if (error.code === 'MACHINE_PORT_IN_USE' || error.code === 'MACHINE_ADDRESS_UNUSABLE') this.#machineError = error;
    else this.#refuse(hosted, error);
  }

  #refuse({ deployment }: HostedProgram, error: CloudError): void {
    const { tell, log, codeFolder } = this.#input;
    const reason = error.message.replaceAll(codeFolder + path.sep, '').slice(0, 4000);
    if (this.#refused?.deployment !== deployment || this.#refused.reason !== reason) {
      tell({ event: 'refused', deployment, error });
      log.add('Error', `Deployment ${deployment} was refused: ${reason}`);
    }
    this.#refused = { deployment, reason };
  }

  #hasRefused({ deployment }: HostedProgram): boolean {
    return this.#refused?.deployment === deployment;
  }

  #poolFor({ variables }: FetchedProgram): ServingPool {
    this.#pool ??= this.#input.openPool(variables.authSecret);
    return this.#pool;
  }
}
