import type { MemberRecord } from '../identity/identity-repository.ts';

/** A member, active or not. */
export interface PersonRecord extends MemberRecord {
  readonly deactivatedAt: number | null;
}
