import { setTimeout as delay } from 'node:timers/promises';
import type { Project, TypeProblem } from '#project/index';
import { checkTypes } from '../check/check-types.ts';
import type { FlowContext } from '../flow-context.ts';

export interface TypeListener {
  /** A check has found other errors than the one before; none where everything is right again. */
  onErrors(errors: readonly TypeProblem[]): void;
  /** The types could not be checked. */
  onFailure(error: unknown): void;
}

/**
 * How long nothing is saved before the compiler starts. It needs a processor for a while, and to start a process holds this one up.
 * Whoever saves again within this time would wait longer for their reload, and learn nothing of types.
 */
const quietMs = 300;

/** Has the compiler of a project check its types, in a process of its own, while nothing is being built. */
export class TypeChecker {
  readonly #context: FlowContext;
  readonly #project: Project;
  readonly #listener: TypeListener;
  #running = new AbortController();
  /** What was told last; at the start nothing is wrong. */
  #told = '[]';
  /** The check that was begun last, for tests and for the end. */
  #last: Promise<void> = Promise.resolve();

  constructor(context: FlowContext, project: Project, listener: TypeListener) {
    this.#context = context;
    this.#project = project;
    this.#listener = listener;
  }

  /** Check what is on the disk once nothing is saved for a while. A check that is running ends without a word. */
  check(): void {
    this.cancel();
    this.#running = new AbortController();
    this.#last = this.#check(this.#running.signal).catch((error: unknown) => this.#listener.onFailure(error));
  }

  /** Files are changing: what is found in them now is not worth the time. */
  cancel(): void {
    this.#running.abort();
  }

  async stop(): Promise<void> {
    this.cancel();
    await this.#last;
  }

  async #check(signal: AbortSignal): Promise<void> {
    // Only the end of the check ends the pause.
    const isQuiet = await delay(quietMs, true, { signal, ref: false }).catch(() => false);
    if (!isQuiet) return;
    const errors = await checkTypes(this.#context, this.#project.root, { signal, isBackground: true });
    const found = JSON.stringify(errors);
    if (errors === null || signal.aborted || found === this.#told) return;
    this.#told = found;
    this.#listener.onErrors(errors);
  }
}
