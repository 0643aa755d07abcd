/** Told now and then how many rows of a table are done, and at its end. */
export type Progress = (table: string, rows: number, isDone: boolean) => void;

/** Rows between two reports. */
export const reportEvery = 50_000;
