import path from 'node:path';
import { permissionFileName } from '#contracts/project-config';
import { createPlatformClient, type PlatformClient } from '#platform-client/platform-client';
import { type Project, readPermissions } from '#project/index';
import { publishSchema } from '../agent-worker/publish-schema.ts';
import type { HashedSchema } from '../agent-worker/worker-protocol.ts';
import type { FlowContext } from '../flow-context.ts';
import { type LeftOut, leftOutBy } from '../platform-access/rights-of-environment.ts';
import type { UsedPlatform } from './used-platform.ts';

type PlatformOfProject = Pick<UsedPlatform, 'url' | 'envSecret' | 'userToken'>;

/** With the people of the local platform that it leaves out. They are those that a new platform has. */
export interface AppliedFile extends Pick<LeftOut, 'leftOut' | 'rolesLeftOut'> {
  readonly path: string;
  /** Of the rights on the local platform. */
  readonly revision: number;
}

/** The schema of the code that is loaded; `null` where its hash is `known`. */
export type AskForSchema = (known: string | null) => Promise<HashedSchema | null>;

/** Brings the local platform in line with the `permissions.json` of the project. */
export class PermissionController {
  readonly file: string;
  readonly #context: FlowContext;
  readonly #root: string;
  readonly #client: PlatformClient;
  #sentSchema: HashedSchema | undefined;
  #lastRevision = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(context: FlowContext, project: Project, { url, envSecret, userToken }: PlatformOfProject) {
    this.file = path.join(project.root, permissionFileName);
    this.#context = context;
    this.#root = project.root;
    this.#client = createPlatformClient({
      serverUrl: url,
      http: context.http,
      credentials: { envSecret, userToken },
    });
  }

  /** Whether the project has rights of its own. */
  isUsed(): Promise<boolean> {
    return this.#context.fs.exists(this.file);
  }

  /**
   * Send the file, and the schema that its names are checked against. Rejects with `PERMISSION_FILE_INVALID`; the platform keeps what
   * it had then. Nothing comes back when nothing has changed.
   */
  apply(askForSchema: AskForSchema): Promise<AppliedFile | undefined> {
    const applied = this.#queue.then(() => this.#apply(askForSchema));
    this.#queue = applied.catch(() => undefined); // The caller sees the failure; the next one runs all the same.
    return applied;
  }

  async #apply(askForSchema: AskForSchema): Promise<AppliedFile | undefined> {
    const changed = await askForSchema(this.#sentSchema?.hash ?? null);
    const schema = changed ?? this.#sentSchema;
    const document = await readPermissions(this.#context.fs, this.#root, schema?.document);
    if (!document) return undefined;
    // The rights of every other collection depend on which there are.
    if (changed) await publishSchema(this.#client, changed);
    this.#sentSchema = schema;
    const { revision: base } = await this.#client.rights();
    // The developer may do everything here, so that nobody is locked out.
    const { revision } = await this.#client.replaceRights({ document, base, allowLockout: true });
    if (revision === this.#lastRevision) return undefined;
    this.#lastRevision = revision;
    const { leftOut, rolesLeftOut } = await leftOutBy(this.#client, document);
    return { path: this.file, revision, leftOut, rolesLeftOut };
  }
}
