import type { Check } from '#contracts/checks';
import type { CloudError } from '#kernel/errors/cloud-error';

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
