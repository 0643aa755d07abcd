/** Which values a function has read. */
export interface Reads {
  readonly ids: Set<string>;
  /** The function looked at all of them: it spread the object, or listed its keys. */
  all: boolean;
}

export function createReads(): Reads {
  return { ids: new Set(), all: false };
}

export function hasRead(reads: Reads, id: string): boolean {
  return reads.all || reads.ids.has(id);
}

/** The values of a form as user code sees them: it cannot change them, and what it reads is noted in `reads`. */
export function trackedValues(
  values: Readonly<Record<string, unknown>>,
  reads: Reads,
): Readonly<Record<string, unknown>> {
  return new Proxy(values, {
    get(target, key) {
      if (typeof key === 'symbol') return Reflect.get(target, key);
      reads.ids.add(key);
      return Reflect.get(target, key);
    },
    has(target, key) {
      if (typeof key === 'string') reads.ids.add(key);
      return Object.hasOwn(target, key);
    },
    ownKeys(target) {
      reads.all = true;
      return Reflect.ownKeys(target);
    },
    getOwnPropertyDescriptor(target, key) {
      if (typeof key === 'string') reads.ids.add(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    set: (_target, key) => refuse(key),
    defineProperty: (_target, key) => refuse(key),
    deleteProperty: (_target, key) => refuse(key),
    setPrototypeOf: () => refuse('its prototype'),
  });
}

function refuse(key: string | symbol): never {
  throw new TypeError(
    `formValues is read-only: "${String(key)}" cannot be set. Give the field a "value" function instead.`,
  );
}
