import { withLineEndsOf } from '#kernel/text/line-ends';

/** How code that was generated is called from the entry of the project. */
export interface Registration {
  /** What the module exports. */
  readonly name: string;
  /** The module, from the entry on: `./orders/refund.js`. */
  readonly module: string;
  /** Whether it is a plugin, which the agent uses, or a function of the agent. */
  readonly isPlugin: boolean;
}

/**
 * The default export of an entry: `export default function customize(agent: Agent<Schema>): void {`. The name and the type may be
 * missing.
 */
const customize = /export default (?:async )?function\s*\w*\s*\(\s*(\w+)[^)]*\)[^{]*\{/;

/**
 * The entry with the import and the call of a function, whose declarations come first: their order does not matter. `undefined`
 * where the entry is written in another way.
 */
export function registered(entry: string, registration: Registration): string | undefined {
  const changed = withRegistration(entry, registration);
  return changed === undefined ? undefined : withLineEndsOf(entry, changed);
}

function withRegistration(entry: string, registration: Registration): string | undefined {
  const found = customize.exec(entry);
  if (!found) return undefined;
  const [head, parameter = ''] = found;
  const agent = unusedName(entry, head, parameter);
  const end = found.index + head.length;
  const called = unusedAlias(entry, registration);
  const body = `\n  ${callOf(registration, agent, called)}${entry.slice(end)}`;
  const before = entry.slice(0, found.index) + head.replace(parameter, agent);
  return withImport(before + body, importOf(registration, called));
}

/** A parameter is called `_agent` as long as nothing uses it. */
function unusedName(entry: string, head: string, parameter: string): string {
  const isUsed = entry.replace(head, '').includes(parameter);
  return parameter.startsWith('_') && !isUsed ? parameter.slice(1) : parameter;
}

/** The name of a function in the entry, which may have something else of that name. */
function unusedAlias(entry: string, { name, isPlugin }: Registration): string {
  const isUsed = (candidate: string) => new RegExp(`(?<![\\w$])${candidate}(?![\\w$])`).test(entry);
  let alias = name;
  for (let number = 1; isUsed(alias); number++) {
    alias = `${name}${isPlugin ? 'Plugin' : ''}${isPlugin && number === 1 ? '' : number + 1}`;
  }
  return alias;
}

/** Behind the last import at the beginning of a line, or at the top. */
function withImport(source: string, line: string): string {
  const last = [...source.matchAll(/^import\s[^;]*?from\s+['"][^'"]+['"];?$/gm)].at(-1);
  if (!last) return `${line}\n\n${source}`;
  const end = last.index + last[0].length;
  return `${source.slice(0, end)}\n${line}${source.slice(end)}`;
}

/** What to write where the entry cannot be changed. */
export function registrationLines(registration: Registration): readonly string[] {
  return [importOf(registration), callOf(registration, 'agent')];
}

function importOf({ name, module }: Registration, called = name): string {
  return `import { ${called === name ? name : `${name} as ${called}`} } from '${module}';`;
}

function callOf({ name, isPlugin }: Registration, agent: string, called = name): string {
  return isPlugin ? `${agent}.use(${called});` : `${called}(${agent});`;
}
