/**
 * Code of a project whose customers have a revision.
 *
 * @param lines of data that the code carries along; 20,000 make about a megabyte.
 */
export function codeOfRevision(revision: string, lines = 0): string {
  const filler = Array.from({ length: lines }, (_, line) => `'line ${line} of some data that code carries along'`);
  return `import type { Agent } from '@vendor/cloud';
export const filler: readonly string[] = [${filler.join(',\n')}];
export default (agent: Agent) => agent.customizeCollection('customers', (customers) => customers.addField('revision', {
  columnType: 'String', dependencies: ['first_name'], getValues: (records) => records.map(() => '${revision}' + (filler.length === ${lines} ? '' : '?')) }));
`;
}
