import { isCloudError } from '#kernel/errors/cloud-error';
import type { AgentRuntime } from '#runtime/index';

/** Milliseconds between two looks at the catalogue of the databases. */
const lookMs = 2_000;

/** Tells when the tables or columns of a database are not what the model was made from. */
export class TableWatch {
  readonly #onChange: () => void;
  #runtime: AgentRuntime | undefined;
  #known: string | undefined;
  #looking: Promise<void> | undefined;
  /** Whether to look again after the look that is under way, which may have asked before the change. */
  #looksAgain = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  async start(runtime: AgentRuntime): Promise<void> {
    // A database that is away now has changed when it is back: nobody knows what from.
    this.#known = await runtime.catalogueFingerprint().catch(ignoreOutage);
    this.#runtime = runtime;
    this.#timer = setInterval(() => this.#look(), lookMs);
  }

  /**
   * Whether an error of a request says that the tables have changed. Then it looks at once. Nobody need be told of the error: what has
   * changed is reported, and the request meets the tables as they are when it is sent again.
   */
  takes(error: unknown): boolean {
    const isTaken = this.#runtime !== undefined && isCloudError(error) && error.code === 'DATABASE_TABLE_CHANGED';
    if (isTaken) {
      this.#looksAgain = this.#looking !== undefined;
      this.#look();
    }
    return isTaken;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    this.#looking ??= this.#compare();
  }

  async #compare(): Promise<void> {
    // A database that does not answer counts as unchanged; requests tell of the failure.
    const now = await this.#runtime?.catalogueFingerprint().catch(() => this.#known);
    this.#looking = undefined;
    if (now !== this.#known) {
      // This worker keeps serving if the code does not fit to the change; the next change may fix that.
      this.#known = now;
      this.#onChange();
    }
    if (!this.#looksAgain) return;
    this.#looksAgain = false;
    this.#look();
  }
}

function ignoreOutage(error: unknown): undefined {
  if (!isCloudError(error) || error.code !== 'DATABASE_UNREACHABLE') throw error;
}
