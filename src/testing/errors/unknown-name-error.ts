import { CloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';

/** What a name is looked for as. */
type Named = 'collection' | 'relation' | 'segment' | 'action' | 'field' | 'option' | 'chart' | 'user';

/** A test names something that does not exist. Code `TEST_NAME_UNKNOWN`. */
export class UnknownNameError extends CloudError {
  /** The name in the test. */
  readonly wanted: string;
  /** The name that was most likely meant; `undefined` where none is close. */
  readonly nearest: string | undefined;

  /** @param owner Where it was looked for: `The collection "orders"`. */
  constructor(owner: string, what: Named, wanted: string, known: readonly string[]) {
    const nearest = nearestName(wanted, known);
    super({
      code: 'TEST_NAME_UNKNOWN',
      message: `${owner} has no ${what} "${wanted}".${didYouMean(nearest)}`,
      nextSteps: [known.length === 0 ? `There is no ${what} at all.` : `Name one of: ${known.join(', ')}.`],
    });
    this.wanted = wanted;
    this.nearest = nearest;
  }
}

/** The form of an action has no such field now. A field with an `if` comes and goes with what is filled in. */
export class UnknownActionFieldError extends UnknownNameError {
  constructor(action: string, wanted: string, known: readonly string[]) {
    super(`The form of "${action}"`, 'field', wanted, known);
  }
}
