import { maxActivitiesPerBatch } from '#contracts/activity';
import { isCloudError } from '#kernel/errors/cloud-error';

/** After so many refusals in a row, the fault is hardly in the activities. */
const maxSuspects = 10;

/** Finds the acts that the platform refuses for their content, so that they do not hold up the others. */
export interface RefusalSearch {
  /** Whether a refused batch is being searched. */
  readonly isUnderWay: boolean;
  /** How many entries to send next, and how many of the oldest acts to pass over: an entry of each was refused by itself. */
  next(): { readonly count: number; readonly suspects: number };
  /** A batch of `count` entries was not taken. Whether that is a reason to look on at once. */
  goesOn(error: unknown, count: number): boolean;
  /** Begin again, with whole batches. */
  end(): void;
}

export function createRefusalSearch(): RefusalSearch {
  let size = maxActivitiesPerBatch;
  let suspects = 0;
  return {
    get isUnderWay() {
      return size < maxActivitiesPerBatch || suspects > 0;
    },
    next: () => ({ count: size, suspects }),
    goesOn: (error, count) => {
      if (!isAboutContent(error)) return false;
      if (count > 1) size = Math.ceil(count / 2);
      else suspects++;
      return suspects <= maxSuspects;
    },
    end: () => {
      size = maxActivitiesPerBatch;
      suspects = 0;
    },
  };
}

/** The reason is not rights, an address or load, so the platform may accept other acts. */
function isAboutContent(error: unknown): boolean {
  if (!isCloudError(error) || error.code !== 'PLATFORM_REFUSED') return false;
  const { status } = error.safeDetails;
  return status === 400 || status === 422;
}
