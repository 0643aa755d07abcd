const { getOwnPropertyDescriptor } = Object;
const { ownKeys } = Reflect;

/** What every program takes for granted. Names and not objects, because the globals themselves may be replaced. */
const names = [
  ...['Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'BigInt', 'Date', 'RegExp', 'Promise'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'Error', 'TypeError', 'ArrayBuffer', 'Uint8Array', 'Iterator'],
  ...['JSON', 'Math', 'Reflect', 'Proxy', 'Intl'],
];

/** The modules of Node.js that the agent and its databases work with. */
const modules = [
  ...['async_hooks', 'buffer', 'crypto', 'dns', 'events', 'fs', 'fs/promises', 'http', 'https', 'net', 'path'],
  ...[
    'process',
    'querystring',
    'stream',
    'stream/promises',
    'string_decoder',
    'timers',
    'timers/promises',
    'tls',
    'url',
    'util',
  ],
];

interface Intrinsic {
  readonly holder: object;
  readonly key: PropertyKey;
  /** A function: a value, or what gets it. */
  readonly original: unknown;
}

/**
 * Notes the functions of the language, the globals, and the modules of Node.js that the agent works with, their classes too. The
 * function that comes back says whether one of them was replaced or removed since, or something was added that every `for … in`
 * meets. It calls nothing that may be harmed.
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
  const classes = noteRuntime(noted);
  return () => {
    for (let index = 0; index < noted.length; index++) {
      const { holder, key, original } = noted[index] as Intrinsic;
      if (functionAt(holder, key) !== original) return true;
    }
    for (let index = 0; index < prototypes.length; index++) {
      for (const _added in prototypes[index]) return true;
    }
    for (let index = 0; index < classes.length; index++) {
      const { prototype, size } = classes[index] as NotedClass;
      if (ownKeys(prototype).length !== size) return true;
    }
    return false;
  };
}

/** A class of Node.js. One more method of its own may hide an inherited one. */
interface NotedClass {
  readonly prototype: object;
  /** How many properties of its own it has. */
  readonly size: number;
}

/**
 * Globals that Node.js makes when somebody looks at them: with them it loads its HTTP client of 69 modules, which takes 30 ms and
 * 8 MB of each worker. The agent has a client of its own.
 */
const madeWhenSeen: readonly PropertyKey[] = [
  ...['CloseEvent', 'EventSource', 'FormData', 'Headers', 'MessageEvent', 'Request', 'Response', 'WebSocket'],
];

/**
 * What is passed over. The agent replaces some functions itself: the loading of code notes the timers, and `write-file-atomic`
 * learns about the end of the process while it writes.
 */
const passedOver = new Map<object, ReadonlySet<PropertyKey>>([
  [globalThis, new Set(['setTimeout', 'setInterval', ...madeWhenSeen])],
  [process, new Set(['emit', 'reallyExit'])],
]);

/** Notes what Node.js adds to the language. What it makes at the first use is an accessor until then, and is passed over. */
function noteRuntime(noted: Intrinsic[]): readonly NotedClass[] {
  const classes: NotedClass[] = [];
  const seen = new Set<object>();
  const note = (holder: object) => {
    if (seen.has(holder)) return;
    seen.add(holder);
    for (const key of ownKeys(holder)) {
      if (passedOver.get(holder)?.has(key)) continue;
      const original: unknown = getOwnPropertyDescriptor(holder, key)?.value;
      if (typeof original !== 'function') continue;
      noted.push({ holder, key, original });
      const prototype: unknown = getOwnPropertyDescriptor(original, 'prototype')?.value;
      if (typeof prototype !== 'object' || prototype === null || seen.has(prototype)) continue;
      note(prototype);
      if (holder !== globalThis) classes.push({ prototype, size: ownKeys(prototype).length });
    }
  };
  // All are loaded before the first is noted: a module that Node.js loads may replace functions of others.
  const holders = [globalThis, ...modules.map((name) => process.getBuiltinModule(name) as object)];
  for (const holder of holders) note(holder);
  return classes;
}

function functionAt(holder: object, key: PropertyKey): unknown {
  const descriptor = getOwnPropertyDescriptor(holder, key);
  const value = descriptor?.get ?? descriptor?.value;
  return typeof value === 'function' ? value : undefined;
}
