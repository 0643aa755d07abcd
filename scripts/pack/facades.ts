/** A package that has a part of this one, under a name of its own. */
export interface Facade {
  readonly name: string;
  /** Its version for a version of this package. Default: the same. */
  readonly versionFor?: (version: string) => string;
  /** The subpath of this package that it has. */
  readonly part: string;
  readonly description: string;
}

/** The packages beside `@vendor/cloud`. */
export const facades: readonly Facade[] = [
  {
    name: '@vendor/agent',
    versionFor: versionOfAgent,
    part: 'agent',
    description: 'The agent as a library: data sources, customizations, a JSON:API server and an MCP server.',
  },
  {
    name: '@vendor/agent-testing',
    part: 'agent-testing',
    description: 'A local platform and a client for tests of an agent.',
  },
  {
    name: '@vendor/plugin-export',
    part: 'plugin-export',
    description: 'An action that answers with records as a workbook or as CSV.',
  },
  {
    name: '@vendor/plugin-file-storage',
    part: 'plugin-file-storage',
    description: 'Fields whose files are kept in a bucket of S3 or of a server that speaks its protocol.',
  },
  {
    name: '@vendor/plugin-flattener',
    part: 'plugin-flattener',
    description: 'Columns of JSON, of composite types and of relations as fields of their own.',
  },
  {
    name: '@vendor/ai-proxy',
    part: 'ai-proxy',
    description: 'Providers of language models for an agent.',
  },
];

/** Those who come from an older agent state 1.83.0 at least: 0.1.0 is 1.83.0, 0.2.0 is 1.84.0, and 1.0.0 is 2.0.0. */
function versionOfAgent(version: string): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return major === 0 ? `1.${82 + minor}.${patch}` : `${major + 1}.${minor}.${patch}`;
}

/** The version of a façade of this package in a version. */
export function versionOfFacade({ versionFor }: Facade, version: string): string {
  return versionFor?.(version) ?? version;
}

/** What a façade adds to the package that it is made from. */
export interface PackedFrom {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author?: string;
  readonly homepage?: string;
  readonly bugs?: string;
  readonly repository?: { readonly type: string; readonly url: string };
  readonly engines: Readonly<Record<string, string>>;
}

/** The files of a façade, by their names. It holds no code: its part is loaded from this package, in the same version. */
export function filesOfFacade(facade: Facade, from: PackedFrom): Record<string, string> {
  const { name, part, description } = facade;
  const exported = `export * from '${from.name}/${part}';\n`;
  const manifest = {
    name,
    version: versionOfFacade(facade, from.version),
    description,
    license: from.license,
    author: from.author,
    homepage: from.homepage,
    bugs: from.bugs,
    // The registry compares it with what the provenance says.
    repository: from.repository,
    type: 'module',
    engines: from.engines,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
    files: ['index.js', 'index.d.ts'],
    dependencies: { [from.name]: from.version },
  };
  return {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'index.js': exported,
    'index.d.ts': exported,
    'README.md': `# ${name}\n\n${description}\n\nThe same as \`${from.name}/${part}\`, whose version ${from.version} comes with it.\n`,
  };
}
