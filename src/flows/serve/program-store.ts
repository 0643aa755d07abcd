import path from 'node:path';
import * as z from 'zod';
import { type HostedProgram, type HostVariables, hostedProgramSchema, hostVariablesSchema } from '#contracts/hosting';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { layeredEnv } from '#kernel/ports/env';
import type { SealedTexts } from '#kernel/ports/sealed-texts';
import type { HostPlatform } from '#platform-client/host-client';
import { resolveDataSources } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { onPlatform } from './host-worker.ts';
import type { ServedProgram } from './serving-pool.ts';

/** A deployment, ready to be loaded. */
export interface FetchedProgram {
  readonly hosted: HostedProgram;
  readonly program: ServedProgram;
  readonly variables: HostVariables;
}

const keptSchema = z.object({ hosted: hostedProgramSchema, variables: hostVariablesSchema });

/**
 * Fetches deployments from the platform, and keeps the one that is served in a folder, for the time the platform is away.
 * Variables are secrets, so what is kept of them is encrypted under the environment secret.
 */
export class ProgramStore {
  readonly #context: FlowContext;
  readonly #platform: HostPlatform;
  readonly #folder: string;
  readonly #sealed: SealedTexts;

  /** @param folder Private to the host; it is made where it is missing. */
  constructor(context: FlowContext, platform: HostPlatform, folder: string, envSecret: string) {
    this.#context = context;
    this.#platform = platform;
    this.#folder = folder;
    this.#sealed = context.sealTexts(envSecret, 'deployment kept by a host');
  }

  /** Rejects with `BUNDLE_DIGEST_MISMATCH`, `PROJECT_VARIABLE_MISSING` or an error of the family `PLATFORM_…`. */
  async fetch(hosted: HostedProgram): Promise<FetchedProgram> {
    const [code, variables] = await Promise.all([
      this.#fetchCode(hosted.code.digest),
      this.#platform.fetchVariables(hosted.variablesRevision),
    ]);
    return this.#programOf(hosted, code, variables);
  }

  /** Keep a program to start with when the platform is away, and forget those before it. */
  async keep({ hosted, variables }: FetchedProgram): Promise<void> {
    const { fs } = this.#context;
    const sealed = await this.#sealed.seal(JSON.stringify({ hosted, variables }));
    await fs.writeAtomically(this.#keptFile(), sealed, { mode: 0o600 });
    for (const name of await fs.list(this.#codeFolder())) {
      if (name !== hosted.code.digest) await fs.remove(path.join(this.#codeFolder(), name));
    }
  }

  /**
   * The program that was kept; `undefined` if there is no program that this host can read. Rejects with
   * `PROJECT_VARIABLE_MISSING`.
   */
  async kept(): Promise<FetchedProgram | undefined> {
    const sealed = await this.#context.fs.readText(this.#keptFile());
    const text = sealed === null ? undefined : await this.#sealed.open(sealed);
    if (text === undefined) return undefined;
    const read = keptSchema.safeParse(JSON.parse(text));
    if (!read.success) return undefined;
    const { hosted, variables } = read.data;
    const code = await this.#readCode(hosted.code.digest);
    return code && this.#programOf(hosted, code, variables);
  }

  #programOf(hosted: HostedProgram, code: Uint8Array, variables: HostVariables): FetchedProgram {
    const env = layeredEnv(variables.variables, this.#context.variables);
    const program: ServedProgram = {
      code: new TextDecoder().decode(code),
      dataSources: resolveDataSources(hosted.dataSources, this.#context.workingFolder, env, onPlatform),
      activityRequired: hosted.activityRequired === true,
      rest: hosted.rest ?? {},
      codeVersion: hosted.version,
      environment: variables.variables,
    };
    return { hosted, program, variables };
  }

  async #fetchCode(digest: string): Promise<Uint8Array> {
    const kept = await this.#readCode(digest);
    if (kept) return kept;
    const code = await this.#platform.fetchBundle(digest);
    if (this.#context.sha256Hex(code) !== digest) throw digestMismatch();
    await this.#context.fs.makePrivateFolder(this.#codeFolder());
    await this.#context.fs.writeAtomically(path.join(this.#codeFolder(), digest), code, { mode: 0o600 });
    return code;
  }

  /** A file that was damaged counts as none. */
  async #readCode(digest: string): Promise<Uint8Array | undefined> {
    const code = await this.#context.fs.readBytes(path.join(this.#codeFolder(), digest));
    return code && this.#context.sha256Hex(code) === digest ? code : undefined;
  }

  #keptFile(): string {
    return path.join(this.#folder, 'deployment.jwe');
  }

  #codeFolder(): string {
    return path.join(this.#folder, 'code');
  }
}

function digestMismatch(): CloudError {
  return cloudError(
    'BUNDLE_DIGEST_MISMATCH',
    'The code that the platform sent does not have the SHA-256 of the deployment.',
    'Deploy again; if it stays, look at what stands between this host and the platform.',
  );
}
