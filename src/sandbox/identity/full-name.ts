import type { UserRecord } from './identity-repository.ts';

export function fullNameOf({ firstName, lastName }: Pick<UserRecord, 'firstName' | 'lastName'>): string {
  return `${firstName} ${lastName}`.trim();
}
