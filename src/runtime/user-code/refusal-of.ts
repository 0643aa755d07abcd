import { type CloudError, type CloudErrorInput, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { type RefusalData, type RefusalKind, refusalKind } from './refusals.ts';

const codes = {
  ValidationError: 'REQUEST_INVALID',
  ForbiddenError: 'REQUEST_FORBIDDEN',
  NotFoundError: 'REQUEST_NOT_FOUND',
  UnprocessableError: 'REQUEST_UNPROCESSABLE',
} as const satisfies Readonly<Record<RefusalKind, CloudErrorInput['code']>>;

/** The names that an error or one of its classes may have. Other libraries have classes of these names. */
const kinds: ReadonlyMap<unknown, RefusalKind> = new Map<unknown, RefusalKind>([
  ...(Object.keys(codes) as RefusalKind[]).map((kind) => [kind, kind] as const),
  ['BadRequestError', 'ValidationError'],
  ['BusinessError', 'UnprocessableError'],
]);

/**
 * The error that a client gets when user code refuses on purpose: an error of ours unchanged, or one of the kind of the
 * refusal. `undefined` for anything else, which is a mistake of the code.
 */
export function refusalOf(thrown: unknown): CloudError | undefined {
  if (isCloudError(thrown)) return thrown;
  const kind = kindOf(thrown);
  if (kind === undefined || !isErrorLike(thrown)) return undefined;
  const data = dataOf(thrown);
  return cloudError(
    codes[kind],
    thrown.message === '' ? 'Unexpected error' : thrown.message,
    'See the message, which the project has written.',
    {
      wireName: kinds.has(thrown.name) || isGeneral(thrown.name) ? kind : thrown.name,
      ...(data ? { details: data } : {}),
      cause: thrown,
    },
  );
}

/** Whether the error is one that user code threw on purpose: by its mark, its name, or the name of one of its classes. */
export function isRefusal(thrown: unknown): boolean {
  return kindOf(thrown) !== undefined;
}

interface ErrorLike {
  readonly name: string;
  readonly message: string;
}

function isErrorLike(thrown: unknown): thrown is ErrorLike {
  if (typeof thrown !== 'object' || thrown === null || !('message' in thrown) || !('name' in thrown)) return false;
  return typeof thrown.message === 'string' && typeof thrown.name === 'string';
}

function kindOf(thrown: unknown): RefusalKind | undefined {
  if (!isErrorLike(thrown)) return undefined;
  const marked = refusalKind in thrown ? kinds.get(thrown[refusalKind]) : undefined;
  return (
    marked ??
    kinds.get(thrown.name) ??
    classNames(thrown)
      .map((name) => kinds.get(name))
      .find(Boolean)
  );
}

/** The names of its classes, its own first. */
function classNames(thrown: object): readonly string[] {
  const names: string[] = [];
  for (let holder = Object.getPrototypeOf(thrown); holder; holder = Object.getPrototypeOf(holder)) {
    const { constructor: itsClass } = holder as { readonly constructor?: { readonly name?: unknown } };
    if (typeof itsClass?.name === 'string') names.push(itsClass.name);
  }
  return names;
}

function isGeneral(name: string): boolean {
  return name === '' || name === 'Error';
}

/** Its data besides the message, where JSON can hold it. */
function dataOf(thrown: object): RefusalData | undefined {
  const { data, field } = thrown as { readonly data?: unknown; readonly field?: unknown };
  if (typeof data === 'object' && data !== null && !Array.isArray(data) && isJson(data)) return { ...data };
  return typeof field === 'string' ? { field } : undefined;
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
