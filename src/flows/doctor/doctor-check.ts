import type { CloudError } from '#kernel/errors/cloud-error';

/** One thing that was looked at. */
export interface Check {
  /** What was looked at: one or two words. */
  readonly name: string;
  /** `skipped`: there was nothing to look at. */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly message: string;
  /** What to do; empty where all is well. */
  readonly nextSteps: readonly string[];
}

export function passed(name: string, message: string): Check {
  return { name, status: 'ok', message, nextSteps: [] };
}

export function skipped(name: string, message: string): Check {
  return { name, status: 'skipped', message, nextSteps: [] };
}

export function warning(name: string, message: string, ...nextSteps: string[]): Check {
  return { name, status: 'warning', message, nextSteps };
}

export function failed(name: string, { message, nextSteps }: Pick<CloudError, 'message' | 'nextSteps'>): Check {
  return { name, status: 'failed', message, nextSteps };
}
