import { createHash } from 'node:crypto';
import path from 'node:path';
import { permissionFileName } from '#contracts/permission-file';
import type { SchemaDocument } from '#contracts/schema-document';
import { canonicalJson } from '#kernel/json/canonical-json';
import { createPlatformClient, type PlatformClient } from '#platform/index';
import { type Project, readPermissions } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import type { LocalPlatform } from './start-platform.ts';

export interface AppliedFile {
  readonly path: string;
  /** Of the rights on the local platform. */
  readonly revision: number;
}

/** Brings the local platform in line with the `permissions.json` of the project. */
export class PermissionController {
  readonly file: string;
  readonly #context: FlowContext;
  readonly #root: string;
  readonly #client: PlatformClient;
  #sentSchema = '';
  #lastRevision = 0;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(context: FlowContext, project: Project, { url, envSecret, userToken }: LocalPlatform) {
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
  apply(schema: SchemaDocument): Promise<AppliedFile | undefined> {
    const applied = this.#queue.then(() => this.#apply(schema));
    this.#queue = applied.catch(() => undefined); // The caller sees the failure; the next one runs all the same.
    return applied;
  }

  async #apply(schema: SchemaDocument): Promise<AppliedFile | undefined> {
    const document = await readPermissions(this.#context.fs, this.#root, schema.collections);
    if (!document) return undefined;
    // The rights of every other collection depend on which there are.
    const hash = createHash('sha1').update(canonicalJson(schema.collections)).digest('hex');
    if (hash !== this.#sentSchema) await this.#client.uploadSchema(schema, hash);
    this.#sentSchema = hash;
    const { revision: base } = await this.#client.rights();
    const { revision } = await this.#client.replaceRights({ document, base });
    if (revision === this.#lastRevision) return undefined;
    this.#lastRevision = revision;
    return { path: this.file, revision };
  }
}
