/** How a client is answered when customization code refuses: 400, 403, 404 and 422. */
export type RefusalKind = 'ValidationError' | 'ForbiddenError' | 'NotFoundError' | 'UnprocessableError';

/** Facts for the client, sent as `data`: JSON. `field` names the field that is wrong. */
export type RefusalData = Readonly<Record<string, unknown>>;

/** Holds the kind of a refusal, by a name that every copy of the package knows. */
export const refusalKind = Symbol.for('@vendor/cloud/refusal kind');

class Refusal extends Error {
  readonly data: RefusalData | undefined;

  constructor(kind: RefusalKind, message: string, data: RefusalData | undefined) {
    super(message);
    this.data = data;
    Object.defineProperty(this, refusalKind, { value: kind });
  }
}

/**
 * The request holds wrong data. It is answered with 400, and the message is the detail.
 *
 * @example throw new ValidationError('The end is before the beginning.', { field: 'ends_at' });
 */
export class ValidationError extends Refusal {
  override readonly name: string = 'ValidationError';

  constructor(message: string, data?: RefusalData) {
    super('ValidationError', message, data);
  }
}

/** The caller may not do this: answered with 403, the message as its detail. */
export class ForbiddenError extends Refusal {
  override readonly name: string = 'ForbiddenError';

  constructor(message: string, data?: RefusalData) {
    super('ForbiddenError', message, data);
  }
}

/** The requested thing does not exist. It is answered with 404, and the message is the detail. */
export class NotFoundError extends Refusal {
  override readonly name: string = 'NotFoundError';

  constructor(message: string, data?: RefusalData) {
    super('NotFoundError', message, data);
  }
}

/** The request is well-formed and cannot be carried out: answered with 422, the message as its detail. */
export class UnprocessableError extends Refusal {
  override readonly name: string = 'UnprocessableError';

  constructor(message: string, data?: RefusalData) {
    super('UnprocessableError', message, data);
  }
}

/** The methods of a context that throw refusals. */
export const refusing = {
  throwValidationError(message: string): never {
    throw new ValidationError(message);
  },
  throwForbiddenError(message: string): never {
    throw new ForbiddenError(message);
  },
  throwError(message: string): never {
    throw new UnprocessableError(message);
  },
};
