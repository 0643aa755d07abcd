import type { Generated } from 'kysely';

export interface PeopleTables {
  readonly peopleChanges: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly userId: number;
    readonly authorId: number;
    readonly at: number;
    /** JSON, `PersonChanges` of `#contracts/people`. */
    readonly changes: string;
  };
}
