import { isCloudError } from './cloud-error.ts';

/** How deep fields are looked through. An error may be its own cause. */
const deepestField = 8;

interface LoggedParts {
  /** Whether the stacks of errors are wanted. */
  readonly hasStacks: boolean;
}

/**
 * A value as lines of logs hold it. JSON leaves out what an error says. So an error becomes an object, wherever it stands: in a list,
 * in a field, as the cause of another one or among several.
 */
export function loggedValue(value: unknown, parts: LoggedParts, depth = 0): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const inner = (each: unknown) => loggedValue(each, parts, depth + 1);
  if (depth > deepestField) return '…';
  if (value instanceof Error || isCloudError(value)) return errorFacts(value, parts, inner);
  if (Array.isArray(value)) return value.map(inner);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]));
}

function errorFacts(error: Error, { hasStacks }: LoggedParts, inner: (value: unknown) => unknown): object {
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? { code: inner(error.code) } : {};
  const steps = isCloudError(error) && error.nextSteps.length > 0 ? { nextSteps: error.nextSteps } : {};
  const several: unknown = isCloudError(error) ? error.others : 'errors' in error ? error.errors : undefined;
  return {
    ...{ name, message, ...code, ...steps },
    ...(hasStacks ? { stack } : {}),
    ...(cause === undefined ? {} : { cause: inner(cause) }),
    ...(Array.isArray(several) && several.length > 0 ? { errors: inner(several) } : {}),
  };
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What the errors in a logged value say, in one text; `undefined` where there is none. */
export function saidByErrors(logged: unknown): string | undefined {
  if (typeof logged !== 'object' || logged === null) return undefined;
  if (!('message' in logged) || typeof logged.message !== 'string') return joined(Object.values(logged));
  const code = 'code' in logged && typeof logged.code === 'string' ? `${logged.code}: ` : '';
  const behind = joined([
    ...('cause' in logged ? [logged.cause] : []),
    ...('errors' in logged && Array.isArray(logged.errors) ? logged.errors : []),
  ]);
  return `${code}${logged.message}${behind === undefined ? '' : ` (${behind})`}`;
}

function joined(values: readonly unknown[]): string | undefined {
  const texts = values.flatMap((value) => saidByErrors(value) ?? []);
  return texts.length === 0 ? undefined : texts.join('; ');
}
