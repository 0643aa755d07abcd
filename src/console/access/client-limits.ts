import type { ClientCollection, ClientRights } from '#contracts/client-rights';
import type { ToolName } from '#contracts/mcp';

/** What a program may do at most, as somebody fills it in. */
export interface ClientLimits {
  /** Names of collections, where `*` stands for every other one; `undefined` for all that the person may use. */
  readonly collections: readonly string[] | undefined;
  readonly isReadOnly: boolean;
  /** `undefined` for all of them. */
  readonly tools: readonly ToolName[] | undefined;
  /** As typed; empty for no bound. */
  readonly recordsPerCall: string;
  readonly writesPerHour: string;
}

/** Every tool, in the order in which people choose. */
export const allTools: readonly ToolName[] = [
  'describeCollection',
  'listCollections',
  'searchCollections',
  'list',
  'listRelated',
  'getRecord',
  'aggregate',
  'getChart',
  'create',
  'update',
  'delete',
  'associate',
  'dissociate',
  'getActionForm',
  'executeAction',
];

const everyOther = '*';
const reading: ClientCollection = { browse: true, read: true };
const everything: ClientCollection = {
  ...reading,
  edit: true,
  add: true,
  delete: true,
  export: true,
  actions: { [everyOther]: true },
};

export const noLimits: ClientLimits = {
  collections: undefined,
  isReadOnly: false,
  tools: undefined,
  recordsPerCall: '',
  writesPerHour: '',
};

/** What was set for a program. */
export function limitsOf(rights: ClientRights | null): ClientLimits {
  if (rights === null) return noLimits;
  const { collections, tools, recordsPerCall, writesPerHour } = rights;
  const entries = Object.entries(collections ?? {});
  const isReadOnly = entries.length > 0 && entries.every(([, entry]) => onlyReads(entry));
  const isWhole = collections === undefined || (isReadOnly && entries.length === 1 && entries[0]?.[0] === everyOther);
  return {
    collections: isWhole ? undefined : entries.map(([name]) => name),
    isReadOnly,
    tools,
    recordsPerCall: recordsPerCall === undefined ? '' : String(recordsPerCall),
    writesPerHour: writesPerHour === undefined ? '' : String(writesPerHour),
  };
}

/**
 * What is to be set from now on; `null` where nothing is bounded. Rules that the form does not show, such as those of fields, stay with their
 * collections.
 */
export function rightsOf(limits: ClientLimits, before: ClientRights | null): ClientRights | null {
  const { collections: names, isReadOnly, tools, recordsPerCall, writesPerHour } = limits;
  const collections = names ?? (isReadOnly ? [everyOther] : undefined);
  const wasReadOnly = limitsOf(before).isReadOnly;
  const entryOf = (name: string): ClientCollection => {
    const known = before?.collections && Object.hasOwn(before.collections, name) ? before.collections[name] : undefined;
    if (!known) return isReadOnly ? reading : everything;
    if (isReadOnly) return readingPart(known);
    return wasReadOnly ? { ...known, ...everything } : known;
  };
  const rights: ClientRights = {
    ...(collections ? { collections: Object.fromEntries(collections.map((name) => [name, entryOf(name)])) } : {}),
    ...(tools ? { tools: [...tools] } : {}),
    ...(recordsPerCall === '' ? {} : { recordsPerCall: Number(recordsPerCall) }),
    ...(writesPerHour === '' ? {} : { writesPerHour: Number(writesPerHour) }),
  };
  return Object.keys(rights).length === 0 ? null : rights;
}

function onlyReads({ edit, add, delete: remove, export: exported, actions = {} }: ClientCollection): boolean {
  return ![edit, add, remove, exported, ...Object.values(actions)].some((given) => given === true);
}

function readingPart({ browse, read, fields }: ClientCollection): ClientCollection {
  return {
    ...(browse === undefined ? {} : { browse }),
    ...(read === undefined ? {} : { read }),
    ...(fields === undefined ? {} : { fields }),
  };
}
