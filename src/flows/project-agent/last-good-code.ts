import type { Loss } from '../agent-worker/worker-thread.ts';

/**
 * Code whose worker gives its last sign of life sooner than this after it loaded is not good, whatever its loading said. Long enough for an
 * endless loop that begins in its second second to be noticed.
 */
const trialMs = 2_000;

interface LoadedCode {
  readonly code: string;
  readonly loadedAtMs: number;
}

/** The code that has loaded, to go back to. */
export class LastGoodCode {
  /** Newest last. Two are enough: the one on trial, and the one before it. */
  #good: readonly LoadedCode[] = [];
  /** What is being loaded: when the worker is lost meanwhile, this is to blame and not the code before it. */
  #loading: string | undefined;

  get newest(): string | undefined {
    return this.#good.at(-1)?.code;
  }

  /** Load code, which is to blame for what happens until its load has ended. */
  async during<Result>(code: string, load: Promise<Result>): Promise<Result> {
    this.#loading = code;
    try {
      return await load;
    } finally {
      this.#loading = undefined;
    }
  }

  keep(code: string, loadedAtMs: number): void {
    this.#good = [...this.#good.filter((good) => good.code !== code), { code, loadedAtMs }].slice(-2);
  }

  /**
   * Code that loaded a moment ago and has lost its worker since is not good after all; nor is code that loses it when it loads. With no
   * code before it, one bad handler is better than no code.
   */
  blame({ lastSignMs, handler }: Loss): void {
    const newest = this.#good.at(-1);
    const isReplaceable = this.#good.length > 1 || handler === undefined;
    const isOnTrial = newest !== undefined && isReplaceable && lastSignMs - newest.loadedAtMs < trialMs;
    const blamed = this.#loading ?? (isOnTrial ? newest.code : undefined);
    this.#good = this.#good.filter(({ code }) => code !== blamed);
  }
}
