import type { SavedSchema } from '#contracts/saved-schema';
import type { Project } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { prepareWorker } from '../project-agent/prepare-worker.ts';
import type { CompileAgainst } from '../schema/compile-against.ts';
import { schemaToCompile } from '../schema/saved-schema-file.ts';

type StartedWorker = ReturnType<typeof prepareWorker>;

/**
 * What a check of code takes besides the code. It gets ready while the code is built: the build runs in a process of its own, and a
 * worker takes some 200 ms to start. Whoever makes one ends it.
 */
export class PreparedCheck {
  readonly #context: FlowContext;
  readonly #project: Project;
  readonly #against: CompileAgainst | undefined;
  #savedSchema: Promise<SavedSchema | undefined> | undefined;
  #worker: Promise<StartedWorker> | undefined;

  /** @param against what the code is compiled against. Default: `schema.json` where there is one, else the databases. */
  constructor(context: FlowContext, project: Project, against: CompileAgainst | undefined) {
    this.#context = context;
    this.#project = project;
    this.#against = against;
  }

  /** Get ready. Whoever asks for what fails gets its error. */
  begin(): void {
    this.worker().catch(() => undefined);
  }

  /** What the databases look like, where none is to be asked. Rejects with `SCHEMA_FILE_INVALID`. */
  savedSchema(): Promise<SavedSchema | undefined> {
    this.#savedSchema ??= schemaToCompile(this.#context, this.#project, this.#against);
    return this.#savedSchema;
  }

  /** The worker that loads the code. Rejects with `PROJECT_VARIABLE_MISSING`, and as `savedSchema` does. */
  worker(): Promise<StartedWorker> {
    this.#worker ??= this.#startWorker();
    return this.#worker;
  }

  /** Ends the worker that no check has taken. */
  async end(): Promise<void> {
    const worker = await this.#worker?.catch(() => undefined);
    await worker?.end();
  }

  async #startWorker(): Promise<StartedWorker> {
    const savedSchema = await this.savedSchema();
    // Addresses of databases that are not asked need no variables.
    const { dataSources } = savedSchema ? this.#project.config : this.#project;
    return prepareWorker(this.#context, { dataSources }, { isServing: false, savedSchema });
  }
}
