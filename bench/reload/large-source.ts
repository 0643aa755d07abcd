import { customizedTables, projectSource } from '../typings/project.ts';

export const largeTables = 1000;
/** The collections that the code customizes. */
export const largeCollections: readonly string[] = customizedTables(largeTables).map((table) => `t${table}`);

/** The code of the project, with a revision filled in. */
export function largeSource(revision: string): string {
  return `const revision = '${revision}';\n${projectSource(largeTables, revisionField)}`;
}

const revisionField = `  agent.customizeCollection('t0', (collection) =>
    collection.addField('revision', {
      columnType: 'String',
      dependencies: ['name'],
      getValues: (records) => records.map(({ name }) => \`\${name} \${revision}\`),
    }),
  );
`;
