const { getOwnPropertyDescriptor } = Object;
const { ownKeys } = Reflect;

/** What every program takes for granted. Names and not objects, because the globals themselves may be replaced. */
const names = [
  ...['Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'BigInt', 'Date', 'RegExp', 'Promise'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'Error', 'TypeError', 'ArrayBuffer', 'Uint8Array', 'Iterator'],
  ...['JSON', 'Math', 'Reflect', 'Proxy', 'Intl'],
];

interface Intrinsic {
  readonly holder: object;
  readonly key: PropertyKey;
  /** A function: a value, or what gets it. */
  readonly original: unknown;
}

/**
 * Notes the functions of the language. The function that comes back says whether one of them was replaced or removed since, or
 * something was added that every `for … in` meets. It calls nothing that may be harmed.
 */
export function noteIntrinsics(): () => boolean {
  const prototypes: object[] = [];
  const noted: Intrinsic[] = [];
  const note = (holder: object) => {
    for (const key of ownKeys(holder)) {
      const original = functionAt(holder, key);
      if (original !== undefined) noted.push({ holder, key, original });
    }
  };
  for (const name of names) {
    const value: unknown = getOwnPropertyDescriptor(globalThis, name)?.value;
    if (typeof value === 'function') noted.push({ holder: globalThis, key: name, original: value });
    if (Object(value) !== value) continue;
    note(value as object);
    const prototype: unknown = getOwnPropertyDescriptor(value, 'prototype')?.value;
    if (typeof prototype !== 'object' && typeof prototype !== 'function') continue;
    if (prototype === null) continue;
    note(prototype);
    prototypes.push(prototype);
  }
  return () => {
    for (let index = 0; index < noted.length; index++) {
      const { holder, key, original } = noted[index] as Intrinsic;
      if (functionAt(holder, key) !== original) return true;
    }
    for (let index = 0; index < prototypes.length; index++) {
      for (const _added in prototypes[index]) return true;
    }
    return false;
  };
}

function functionAt(holder: object, key: PropertyKey): unknown {
  const descriptor = getOwnPropertyDescriptor(holder, key);
  const value = descriptor?.get ?? descriptor?.value;
  return typeof value === 'function' ? value : undefined;
}
