import type { Generated } from 'kysely';

export interface NoteTables {
  readonly notes: {
    readonly id: Generated<number>;
    readonly environmentId: number;
    readonly title: string;
    readonly collection: string;
    /** Packed id of the record. */
    readonly recordId: string;
    readonly team: string;
    readonly userId: number;
    /** E-mail and name as they were when it was written. */
    readonly userEmail: string;
    /** The same as filters compare it. */
    readonly comparableEmail: string;
    readonly userName: string;
    readonly createdAt: number;
    readonly updatedAt: number;
    readonly archivedAt: number | null;
    /** Counts the changes of the note, its messages included. */
    readonly revision: number;
    /** Of all its messages together. */
    readonly sizeBytes: number;
  };
  readonly noteMessages: {
    readonly noteId: number;
    /** Counts from 1 in each note. */
    readonly number: number;
    /** Sanitized HTML. */
    readonly content: string;
    readonly userId: number;
    readonly userEmail: string;
    readonly userName: string;
    readonly createdAt: number;
  };
}
