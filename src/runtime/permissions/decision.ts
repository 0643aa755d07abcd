import type { Right } from '#contracts/permissions';
import { CloudError } from '#kernel/errors/cloud-error';

/** What the permissions say about one thing that somebody wants, and why, in a few words. */
export type Decision = Allowed | Denied;

interface Allowed {
  readonly isAllowed: true;
  readonly because: string;
}

export interface Denied {
  readonly isAllowed: false;
  readonly because: string;
  /** What a request is refused with. */
  readonly error: CloudError;
}

export const inDevelopment = allow('a development environment allows everything');

export function allow(because: string): Allowed {
  return { isAllowed: true, because };
}

export function deny(because: string, error: CloudError): Denied {
  return { isAllowed: false, because, error };
}

/** Denied with `REQUEST_FORBIDDEN`. */
export function forbid(because: string, message: string): Denied {
  const nextSteps = ['Ask an administrator of the project for the right.'] as const;
  return deny(because, new CloudError({ code: 'REQUEST_FORBIDDEN', message, nextSteps, safeDetails: { because } }));
}

/** Whether a role holds a right, and why. */
export function holding(right: Right, roleId: number): { readonly holds: boolean; readonly because: string } {
  if (typeof right === 'boolean') return { holds: right, because: right ? 'everybody may' : 'nobody may' };
  if (right.roles.includes(roleId)) return { holds: true, because: `role ${roleId} may` };
  const [first, ...others] = right.roles;
  if (first === undefined) return { holds: false, because: 'no role may' };
  const because = others.length === 0 ? `only role ${first} may` : `only roles ${right.roles.join(', ')} may`;
  return { holds: false, because };
}

/** A collection may be called `constructor`: only what the document itself says counts. */
export function ownEntry<Value>(entries: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}
