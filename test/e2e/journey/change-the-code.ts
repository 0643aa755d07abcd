import { strict as assert } from 'node:assert';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ServedProject } from './served-project.ts';

interface Edit {
  /** What is added to the collection `products`. */
  readonly operation: string;
  /** See over HTTP that it is served. `name` is the name of product 1. */
  see(project: ServedProject, name: string): Promise<void>;
}

const edits: readonly Edit[] = [
  {
    operation:
      ".addField('shouted', { columnType: 'String', dependencies: ['name'], getValues: (rows) => rows.map((row) => row.name.toUpperCase()) })",
    see: (project, name) => seeShouted(project, name),
  },
  {
    operation: ".addSegment('First', { field: 'id', operator: 'Equal', value: 1 })",
    async see(project) {
      const { body } = await project.api('GET', '/products?fields[products]=id&segment=First');
      assert.deepEqual(
        body.data.map(({ id }: { readonly id: string }) => id),
        ['1'],
      );
    },
  },
  {
    operation: `.addAction('Greet', {
        scope: 'Single',
        execute: async (context, result) => {
          const { name } = await context.getRecord(['name']);
          console.log(\`greeted \${name}\`);
          return result.success(\`Hello \${name}\`);
        },
      })`,
    see: (project, name) => seeGreeting(project, `Hello ${name}`),
  },
  {
    operation:
      ".addChart('Length', async ({ getRecord }, result) => result.value((await getRecord(['name'])).name.length))",
    async see(project, name) {
      const { body } = await project.api('GET', '/_charts/products/Length?record_id=1');
      assert.equal(body.countCurrent, name.length, JSON.stringify(body));
    },
  },
  {
    operation: ".addHook('Before', 'Delete', (context) => context.throwForbiddenError('Products stay.'))",
    async see(project) {
      const { status, body } = await project.api('DELETE', '/products/1');
      assert.equal(status, 403);
      assert.match(JSON.stringify(body), /Products stay\./);
    },
  },
];

/** Five edits, one after the other. Resolves with how long each reload took, in milliseconds. */
export async function editTheCode(project: ServedProject): Promise<readonly unknown[]> {
  const { body } = await project.api('GET', '/products/1');
  const reloads: unknown[] = [];
  for (const [index, edit] of edits.entries()) {
    const operations = edits.slice(0, index + 1).map(({ operation }) => operation);
    await project.saveCode(codeWith(project, operations));
    reloads.push((await project.dev.next('reloaded'))['ms']);
    await edit.see(project, body.data.attributes.name);
  }
  return reloads;
}

/** Another program renames a column that the code uses; then the code follows. */
export async function renameAColumn(project: ServedProject): Promise<void> {
  const { body } = await project.api('GET', '/products/1');
  const database = new DatabaseSync(path.join(project.root, 'shop.sqlite'), { timeout: 5_000 });
  database.exec('alter table products rename column name to title');
  database.close();
  const { code, message } = await project.nextError();
  assert.equal(code, 'CUSTOMIZATION_INVALID', message);
  assert.match(message, /\bname\b/);
  assert.equal((await project.api('GET', '/customers/count')).status, 200);

  const operations = edits.map(({ operation }) => operation.replaceAll(/\bname\b/g, 'title'));
  await project.saveCode(codeWith(project, operations));
  await project.dev.next('reloaded');
  await seeShouted(project, body.data.attributes.name);
}

/** Run the action on product 1. */
export async function seeGreeting(project: ServedProject, greeting: string): Promise<void> {
  const { body } = await project.api('POST', '/_actions/products/0/greet', {
    data: { attributes: { ids: ['1'], values: {} } },
  });
  assert.equal(body.success, greeting, JSON.stringify(body));
}

async function seeShouted(project: ServedProject, name: string): Promise<void> {
  const { body } = await project.api('GET', '/products/1?fields[products]=id,shouted');
  assert.equal(body.data?.attributes.shouted, name.toUpperCase(), JSON.stringify(body));
}

function codeWith({ template }: ServedProject, operations: readonly string[]): string {
  const addition = `
  agent.customizeCollection('products', (products) =>
    products
      ${operations.join('\n      ')},
  );`;
  return template.replace('): void {', () => `): void {${addition}`);
}
