import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** Refuse a host that is no application of its framework. Throws `AGENT_MOUNT_INVALID`. */
export function requireMethod(host: unknown, method: string, need: string): void {
  const found: unknown = Object(host)[method];
  if (typeof found !== 'function') throw invalidMount(`${need}, and what it was given has no method "${method}"`);
}

export function invalidMount(problem: string): CloudError {
  return cloudError(
    'AGENT_MOUNT_INVALID',
    `${problem}.`,
    'Hand over the application itself, before it is initialised, to the mount method of its framework.',
  );
}
