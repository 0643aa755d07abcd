import { vi } from 'vitest';

/** A machine may be busy. What never comes only has to end some day. */
const timeout = 60_000;

/** Wait until `check` no longer throws. */
export function eventually<Value>(check: () => Value | Promise<Value>, options: { readonly interval?: number } = {}) {
  return vi.waitFor(check, { ...options, timeout });
}

/** Wait until `check` gives something true. */
export function eventuallyTrue<Value>(
  check: () => Value | Promise<Value>,
  options: { readonly interval?: number } = {},
) {
  return vi.waitUntil(check, { ...options, timeout });
}
