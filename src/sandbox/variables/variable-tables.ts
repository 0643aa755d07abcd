export interface VariableTables {
  readonly variables: {
    readonly environmentId: number;
    /** Counts from 1 in each environment; the greatest counts. */
    readonly revision: number;
    /** All variables of the environment, encrypted under the key of the platform. */
    readonly sealed: string;
    /** `null` for what the platform made itself. */
    readonly authorId: number | null;
    readonly createdAt: number;
  };
}
