import { types } from 'node:util';

/**
 * A thrown value of user code that can be read safely. A Proxy may give anything for its name, and an object may throw when
 * it is read. An error that says so replaces them.
 */
export function legibleThrown(thrown: unknown): unknown {
  if (types.isProxy(thrown)) return new Error('It threw a Proxy, which cannot be read.');
  return isLegible(thrown) ? thrown : new Error('It threw an object that cannot be read.');
}

function isLegible(thrown: unknown): boolean {
  try {
    if (thrown instanceof Error) void [thrown.name, thrown.message, thrown.stack, thrown.cause];
    String(thrown);
    JSON.stringify(Object(thrown).data);
    return true;
  } catch {
    return false;
  }
}
