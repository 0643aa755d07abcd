/** Takes down what a request changes, for the report of it. A service tells what it was asked for; what handlers write is not in it. */
export interface WriteNotes {
  /** All records that the write made or changed, as packed ids. Absent where nobody needs them: the request names its records. */
  readonly records?: ((ids: readonly string[]) => void) | undefined;
  /** Names of the fields that the write set, or changed. */
  fields(names: readonly string[]): void;
}
