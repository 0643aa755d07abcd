import { maxActivitiesPerBatch } from '#contracts/activity';
import { isCloudError } from '#kernel/errors/cloud-error';

/** Refused one after the other, without one that is taken: then the fault is hardly theirs. */
const maxSuspects = 10;

/** Looks for the activities that the platform refuses for what they say, so that they do not hold up the others. */
export interface RefusalSearch {
  /** How many to send next, and how many of the oldest to pass over: each of those was refused by itself. */
  next(): { readonly count: number; readonly suspects: number };
  /** A batch of `count` was not taken. Whether that is a reason to look on at once. */
  goesOn(error: unknown, count: number): boolean;
  /** Begin again, with whole batches. */
  end(): void;
}

export function createRefusalSearch(): RefusalSearch {
  let size = maxActivitiesPerBatch;
  let suspects = 0;
  return {
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

/** Not a matter of rights, of an address or of load: another activity may well be taken. */
function isAboutContent(error: unknown): boolean {
  if (!isCloudError(error) || error.code !== 'PLATFORM_REFUSED') return false;
  const { status } = error.safeDetails;
  return status === 400 || status === 422;
}
